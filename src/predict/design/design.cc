#include "predict/design/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "base/text.h"
#include "predict/design/informed_design.h"
#include "predict/latin_hypercube.h"
#include "space/ranked_space.h"

namespace flyball {
namespace {

constexpr double far = std::numeric_limits<double>::infinity();

Result<std::vector<size_t>> choose_random(const DesignRequest& request) {
  return Random(request.seed).sample(request.space->size(), request.count);
}

// Greedy maximin (Johnson, Moore, Ylvisaker 1990) on ranks: each next configuration is the farthest
// from those chosen; the first is random, ties go to the seed.
Result<std::vector<size_t>> choose_maximin(const DesignRequest& request) {
  const size_t n = request.space->size();
  const RankedSpace ranks = rank_axes(*request.space);
  Random random(request.seed);
  std::vector<size_t> order = random.sample(n, n), chosen = {order.front()};
  std::vector<double> nearest(n, far);
  while (chosen.size() < request.count) {
    size_t best = n;
    for (size_t i : order) {
      nearest[i] = std::min(nearest[i], ranks.distance(i, chosen.back()));
      if (i == chosen.back()) nearest[i] = -1;
      if (best == n || nearest[i] > nearest[best]) best = i;
    }
    chosen.push_back(best);
  }
  return chosen;
}

Result<std::vector<size_t>> choose_lhs(const DesignRequest& request) {
  return latin_hypercube(*request.space, request.count, request.seed);
}

}  // namespace

const std::vector<DesignEntry>& designs() {
  static const std::vector<DesignEntry> list = {
      {"random", "as in the papers", choose_random},
      {"maximin", "each next configuration the farthest from those before", choose_maximin},
      {"lhs", "Latin hypercube", choose_lhs},
      {"informed",
       "each next configuration the one that tells a Gaussian process most of all others",
       choose_informed},
  };
  return list;
}

Result<std::vector<size_t>> choose_configurations(const std::string& design,
                                                  const DesignRequest& request) {
  std::vector<std::string> names;
  for (const DesignEntry& entry : designs()) {
    names.push_back(entry.name);
    if (entry.name != design) continue;
    if (request.count == 0 || request.count > request.space->size())
      return Error{Code::invalid_argument,
                   fmt::format("{} configurations of {} cannot be profiled", request.count,
                               request.space->size()),
                   fmt::format("ask for {} at most", request.space->size())};
    return entry.choose(request);
  }
  return Error{Code::invalid_argument, fmt::format("there is no design '{}'", design),
               name_hint(design, names)};
}

}  // namespace flyball
