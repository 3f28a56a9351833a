#include "answers/infeasible.h"

#include <gmock/gmock.h>

#include "search/registry.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

/// Knows the surface of testing_surface::beside_serving().
class KnowingPredictor : public Predictor {
 public:
  std::string name() const override { return "knowing"; }
  Status fit(const WorkloadTable&, std::span<const WorkloadTable>, const FitOptions&) override {
    return {};
  }
  Result<Prediction> predict(const Space& rows) const override {
    Prediction out;
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::span<const double> row = rows.row(i);
      const bool serves = row.size() > 2;
      add(out.minibatch_ms, testing_surface::time_ms(row) * (serves ? 0.2 + 0.05 * row[2] : 1.0));
      add(out.power_w, testing_surface::power_w(row) - (serves ? 1 : 0));
      out.extrapolated.push_back(false);
    }
    return out;
  }

 private:
  static void add(Estimates& to, double mean) {
    to.mean.push_back(mean);
    to.lo90.push_back(mean / 1.001);
    to.hi90.push_back(mean * 1.001);
  }
};

// 40 requests a second within 16 ms: batches of one on the fastest modes, with 25 ms between two
// of them and no minibatch (56 ms or more) that fits there.
TEST(Infeasible, MoreProfilesAreAdvisedWhereNothingTrains) {
  const auto problem = testing_surface::beside_serving(100, 40, 16);
  const Readings all = testing_surface::readings_of_both(*problem);
  int refused = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    SearchOptions options;
    options.profile_budget = 4;
    options.seed = seed;
    options.make_predictor = [] { return std::make_unique<KnowingPredictor>(); };
    const auto strategy = *make_strategy("random", problem, options);
    while (const auto ask = strategy->ask()) strategy->tell(*ask, all[ask->role][ask->candidate]);
    const auto answer = strategy->answer();
    if (answer.ok()) continue;
    ++refused;
    const Infeasibility why = explain_infeasible(*strategy);
    EXPECT_EQ(why.profiles, 8u) << seed;
    EXPECT_FALSE(why.trains) << seed;
    const auto flag_of = [](Constraint constraint, size_t) {
      return LimitFlag{constraint == Constraint::none ? "--profiles" : "--other", "W"};
    };
    const Refusal refusal = refusal_of(*strategy, answer.error(), flag_of, Provenance::measured);
    EXPECT_THAT(refusal.why_not.hint, HasSubstr("--profiles 8 (predicted, with no training)"));
    ASSERT_FALSE(refusal.remedies.alone.empty());
    EXPECT_FALSE(refusal.remedies.alone.front().trains);
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace flyball
