// The papers' random baseline: modes drawn uniformly, as many as the budget of profiles, each with
// all its batch sizes (RND10 for a training, RND50 with five batch sizes), then the best of what
// was measured.
#include "base/random.h"
#include "search/registry.h"

namespace flyball {
namespace {

class RandomSearch : public Strategy {
 public:
  RandomSearch(const std::shared_ptr<const Problem>& asked, SearchOptions with)
      : Strategy(asked, std::move(with)) {
    const Candidates& all = *problem().candidates;
    Random random(options().seed);
    // Without board axes there is one mode, and the run settings of each role are what is drawn.
    if (all.modes().empty()) {
      for (size_t role = 0; role < all.roles(); ++role)
        for (size_t candidate : random.sample(all.size(role), options().profile_budget))
          plan_.push_back({role, candidate, "drawn at random", false});
      return;
    }
    for (size_t mode : random.sample(all.mode_count(), options().profile_budget))
      for (size_t role = 0; role < all.roles(); ++role)
        for (size_t candidate : all.of_mode(role, mode))
          plan_.push_back({role, candidate, "drawn at random", false});
  }

 protected:
  std::optional<Ask> propose() override {
    for (; next_ < plan_.size(); ++next_)
      if (!history().find(plan_[next_].role, plan_[next_].candidate)) return plan_[next_];
    return stop("all drawn modes were measured");
  }

 private:
  std::vector<Ask> plan_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_random(std::shared_ptr<const Problem> problem,
                                      SearchOptions options) {
  return std::make_unique<RandomSearch>(std::move(problem), std::move(options));
}

}  // namespace flyball
