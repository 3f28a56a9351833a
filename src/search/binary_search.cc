// BS, the paper's binary-search baseline: from the median mode, the axes in turn, two rounds, each
// halved upwards while power is within the budget and downwards otherwise. For a serving role the
// batch size is one more axis, as in the paper.
#include <algorithm>

#include "search/lookup.h"
#include "search/mode_grid.h"
#include "search/registry.h"

namespace flyball {
namespace {

class BinarySearch : public Strategy {
 public:
  BinarySearch(const std::shared_ptr<const Problem>& asked, SearchOptions with)
      : Strategy(asked, std::move(with)),
        grid_(problem().candidates->modes(),
              {axis::cpu_mhz, axis::gpu_mhz, axis::cpu_cores, axis::mem_mhz}) {}

 protected:
  std::optional<Ask> propose() override {
    Lookup lookup(history());
    run(lookup);
    if (lookup.wants()) return lookup.wants();
    return stop("the binary search ended");
  }

 private:
  void run(Lookup& lookup) {
    const Candidates& all = *problem().candidates;
    const auto& batches = all.batches(all.roles() - 1);
    GridPosition at = grid_.median();
    at.push_back(batches.size() / 2);
    std::vector<Remaining> remaining;
    for (size_t d = 0; d < grid_.dimensions(); ++d) remaining.emplace_back(grid_.length(d));
    if (batches.size() > 1) remaining.emplace_back(batches.size());
    auto power = visit(lookup, at);
    for (int round = 0; round < 2; ++round)
      for (size_t d = 0; d < remaining.size(); ++d) {
        if (!power) return;
        remaining[d].move(at[d], holds(*power, problem().budgets.power_w));
        power = visit(lookup, at);
        if (remaining[d].values.empty()) return;
      }
  }

  /// The larger power of the roles in that mode; the last entry of `at` is the batch size's index.
  std::optional<double> visit(Lookup& lookup, const GridPosition& at) {
    const Candidates& all = *problem().candidates;
    const auto mode = grid_.mode({at.begin(), at.end() - 1});
    if (!mode) return unlimited;
    double power = 0;
    for (size_t role = 0; role < all.roles(); ++role) {
      const auto candidate = role + 1 == all.roles()
                                 ? all.at(role, *mode, all.batches(role)[at.back()])
                                 : all.first_of(role, *mode);
      if (!candidate) return unlimited;
      const auto reading = lookup.read(role, *candidate, "half-way along the next axis");
      if (!reading) return {};
      power = std::max(power, reading->power_w);
    }
    return power;
  }

  ModeGrid grid_;
};

}  // namespace

std::unique_ptr<Strategy> make_binary_search(std::shared_ptr<const Problem> problem,
                                             SearchOptions options) {
  return std::make_unique<BinarySearch>(std::move(problem), std::move(options));
}

}  // namespace flyball
