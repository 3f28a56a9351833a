// MAXN, the built-in mode with every element at its maximum, at each batch size.
#include "search/mode_grid.h"
#include "search/registry.h"

namespace flyball {
namespace {

class Maxn : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Ask> propose() override {
    const Candidates& all = *problem().candidates;
    const ModeGrid grid(all.modes(), {});
    const auto mode = grid.mode(grid.highest());
    if (!mode) return stop("the mode with everything at its maximum is not offered");
    for (size_t role = 0; role < all.roles(); ++role)
      for (size_t candidate : all.of_mode(role, *mode))
        if (!history().find(role, candidate))
          return Ask{role, candidate, "everything at its maximum", false};
    return stop("there is one such mode");
  }
};

}  // namespace

std::unique_ptr<Strategy> make_maxn(std::shared_ptr<const Problem> problem, SearchOptions options) {
  return std::make_unique<Maxn>(std::move(problem), std::move(options));
}

}  // namespace flyball
