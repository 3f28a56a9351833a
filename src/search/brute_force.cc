// Measures every candidate of every role in order; the truth, at its price.
#include "search/registry.h"

namespace flyball {
namespace {

class BruteForce : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Ask> propose() override {
    for (; role_ < problem().roles.size(); ++role_, next_ = 0)
      for (; next_ < problem().candidates->size(role_); ++next_)
        if (!history().find(role_, next_)) return Ask{role_, next_, "every configuration", false};
    return stop("everything was measured");
  }

 private:
  size_t role_ = 0, next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_brute_force(std::shared_ptr<const Problem> problem,
                                           SearchOptions options) {
  return std::make_unique<BruteForce>(std::move(problem), std::move(options));
}

}  // namespace flyball
