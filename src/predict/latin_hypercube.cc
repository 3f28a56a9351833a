#include "predict/latin_hypercube.h"

#include "base/random.h"
#include "space/ranked_space.h"

namespace flyball {

std::vector<size_t> latin_hypercube(const Space& space, size_t count, uint64_t seed) {
  const size_t n = space.size();
  const RankedSpace ranks = rank_axes(space);
  Random random(seed);
  std::vector<std::vector<size_t>> slices;
  for (size_t d = 0; d < ranks.dimensions; ++d) slices.push_back(random.sample(count, count));
  std::vector<size_t> order = random.sample(n, n), chosen;
  std::vector<bool> taken(n, false);
  std::vector<double> point(ranks.dimensions);
  for (size_t k = 0; k < count; ++k) {
    for (size_t d = 0; d < ranks.dimensions; ++d)
      point[d] =
          (static_cast<double>(slices[d][k]) + random.uniform()) / static_cast<double>(count);
    size_t best = n;
    double least = 0;
    for (size_t i : order) {
      if (taken[i]) continue;
      double distance = 0;
      for (size_t d = 0; d < ranks.dimensions; ++d) {
        const double gap = ranks.values[i * ranks.dimensions + d] - point[d];
        distance += gap * gap;
      }
      if (best == n || distance < least) {
        least = distance;
        best = i;
      }
    }
    taken[best] = true;
    chosen.push_back(best);
  }
  return chosen;
}

}  // namespace flyball
