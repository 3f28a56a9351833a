// Live readings are noisy and sometimes wrong; the loop asks again for those that are.
#include "search/doubt.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "search/registry.h"
#include "search/run.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace surface = testing_surface;

// A live board: every reading has noise, and one goes wrong.
class LiveBoard {
 public:
  LiveBoard(const Problem& problem, Readings truth, double noise = 0.01)
      : candidates_(problem.candidates), truth_(std::move(truth)), noise_(noise) {}

  // Of this role the first reading of the first configuration that has so many others measured
  // before it, and lies between them, is multiplied by this.
  size_t wrong_role = 0, wrong_after = 4;
  double wrong_by = 1;

  Result<TrialOutcome> operator()(const Ask& ask) {
    const Key key(ask.role, ask.candidate);
    const bool goes_wrong = !wrong && ask.role == wrong_role && among_others(ask);
    asked[key].push_back(ask);
    Reading reading = truth_[ask.role][ask.candidate];
    reading.minibatch_ms *= std::exp(noise_ * random_.normal());
    reading.power_w *= std::exp(noise_ * random_.normal());
    if (goes_wrong) {
      reading.minibatch_ms *= wrong_by;
      wrong = key;
    }
    return TrialOutcome{reading, ""};
  }

  using Key = std::pair<size_t, size_t>;
  // Configurations that were measured more than once.
  std::vector<Key> repeated() const {
    std::vector<Key> keys;
    for (const auto& [key, asks] : asked)
      if (asks.size() > 1) keys.push_back(key);
    return keys;
  }

  std::map<Key, std::vector<Ask>> asked;
  std::optional<Key> wrong;

 private:
  bool among_others(const Ask& ask) const {
    const Space& space = candidates_->space(ask.role);
    size_t others = 0;
    std::vector<bool> below(space.dimensions()), above(space.dimensions());
    for (const auto& [key, asks] : asked) {
      if (key.first != ask.role) continue;
      ++others;
      for (size_t d = 0; d < space.dimensions(); ++d) {
        const double other = space.row(key.second)[d], own = space.row(ask.candidate)[d];
        below[d] = below[d] || other <= own;
        above[d] = above[d] || other >= own;
      }
    }
    return others >= wrong_after && std::ranges::find(below, false) == below.end() &&
           std::ranges::find(above, false) == above.end();
  }

  std::shared_ptr<const Candidates> candidates_;
  Readings truth_;
  double noise_;
  Random random_{3};
};

SearchOptions options(size_t profiles = 20) {
  SearchOptions made;
  made.profile_budget = profiles;
  made.min_gain = 0;
  made.make_predictor = [] { return std::make_unique<surface::NearestPredictor>(); };
  return made;
}

TEST(Doubt, AWrongReadingIsMeasuredAgainWhateverTheStrategy) {
  const auto problem = surface::problem({.power_w = 14}, Objective::time, 4);
  const Readings truth = surface::readings(*problem);
  for (const char* name : {"flyball", "brute-force", "random", "gmd", "als"}) {
    LiveBoard board(*problem, truth);
    board.wrong_by = 0.3;
    const auto strategy = *make_strategy(name, problem, options());
    Doubt doubt(strategy->options());
    (void)run_search(*strategy, std::ref(board), &doubt);
    ASSERT_TRUE(board.wrong) << name;
    EXPECT_THAT(board.repeated(), Contains(*board.wrong)) << name;
    EXPECT_LE(board.repeated().size(), 2u) << name;
    // An honest reading that neighbours contradict costs one trial: the second time it is believed.
    for (const LiveBoard::Key& key : board.repeated())
      if (key != *board.wrong) {
        EXPECT_EQ(board.asked[key].size(), 2u) << name;
      }
    const std::vector<Ask>& asks = board.asked[*board.wrong];
    ASSERT_EQ(asks.size(), 3u) << name;  // the two disagree, so a third decides
    EXPECT_TRUE(asks[1].repeat && asks[2].repeat);
    EXPECT_THAT(asks[1].reason, HasSubstr("ms where its neighbours let expect"));
    EXPECT_THAT(asks[2].reason, HasSubstr("two readings disagree"));
    const size_t candidate = board.wrong->second;
    EXPECT_NEAR(strategy->history().find(0, candidate)->value().minibatch_ms /
                    truth[0][candidate].minibatch_ms,
                1, 0.03)
        << name;
  }
}

TEST(Doubt, OrdinaryNoiseIsBelieved) {
  const auto problem = surface::problem({.power_w = 14}, Objective::time, 2);
  LiveBoard board(*problem, surface::readings(*problem), 0.015);
  const auto strategy = *make_strategy("brute-force", problem, options());
  Doubt doubt(strategy->options());
  ASSERT_TRUE(run_search(*strategy, std::ref(board), &doubt).ok());
  EXPECT_EQ(board.asked.size(), problem->candidates->size(0));
  EXPECT_THAT(board.repeated(), IsEmpty());
}

// What was known beforehand says otherwise everywhere, and is no reason to read again.
TEST(Doubt, IsOfOtherReadingsAlone) {
  auto told = std::make_shared<Problem>(*surface::problem({.power_w = 14}, Objective::time, 2));
  const Readings truth = surface::readings(*told);
  WorkloadTable prior = empty_table(told->roles[0], told->candidates->space(0));
  for (size_t i = 0; i < truth[0].size(); ++i)
    prior.add(told->candidates->space(0).row(i), 3 * truth[0][i].minibatch_ms,
              0.4 * truth[0][i].power_w, Provenance::simulated);
  prior.accepted.simulated = true;
  told->roles[0].prior = std::make_shared<const WorkloadTable>(prior);
  LiveBoard board(*told, truth, 0.015);
  const auto strategy = *make_strategy("brute-force", told, options());
  Doubt doubt(strategy->options());
  ASSERT_TRUE(run_search(*strategy, std::ref(board), &doubt).ok());
  EXPECT_EQ(board.asked.size(), told->candidates->size(0));
  EXPECT_THAT(board.repeated(), IsEmpty());
}

TEST(Doubt, CoversTheWorkloadBeside) {
  const auto problem = surface::beside_serving(30, 60, 400);
  LiveBoard board(*problem, surface::readings_of_both(*problem));
  board.wrong_role = 1;
  board.wrong_after = 8;
  board.wrong_by = 0.2;
  const auto strategy = *make_strategy("brute-force", problem, options());
  Doubt doubt(strategy->options());
  ASSERT_TRUE(run_search(*strategy, std::ref(board), &doubt).ok());
  ASSERT_TRUE(board.wrong);
  EXPECT_THAT(board.repeated(), ElementsAre(*board.wrong));
}

// Fewer than four let expect nothing, and nothing is expected beyond them.
TEST(Doubt, WhatHasNoNeighboursIsBelieved) {
  const auto problem = surface::problem({.power_w = 14});
  const Readings truth = surface::readings(*problem);
  const auto repeats = [&](const std::vector<size_t>& measured) {
    const auto strategy = *make_strategy("brute-force", problem, options());
    Doubt doubt(strategy->options());
    size_t count = 0;
    for (size_t candidate : measured) {
      const Ask ask{0, candidate, "", false};
      Reading reading = truth[0][candidate];
      if (candidate == measured.back()) reading.minibatch_ms *= 0.3;
      strategy->tell(ask, reading);
      count += doubt.again(strategy->history(), ask).has_value();
    }
    return count;
  };
  // Candidates are cores × clocks: 0 to 9 of 2 cores, 30 to 39 of 8.
  EXPECT_EQ(repeats({0, 9, 30, 39, 25}), 1u);
  EXPECT_EQ(repeats({0, 9, 39, 25}), 0u);
  EXPECT_EQ(repeats({0, 8, 30, 38, 29}), 0u);
}

// What is told first has no neighbours yet; it is judged when it has eight.
TEST(Doubt, AnEarlyReadingIsJudgedLater) {
  const auto problem = surface::problem({.power_w = 14});
  const Readings truth = surface::readings(*problem);
  const auto strategy = *make_strategy("brute-force", problem, options());
  Doubt doubt(strategy->options());
  std::vector<Ask> again;
  for (size_t candidate : {15, 0, 9, 30, 39, 10, 19, 20, 29}) {
    const Ask ask{0, candidate, "", false};
    Reading reading = truth[0][candidate];
    if (candidate == 15) reading.minibatch_ms *= 0.3;
    strategy->tell(ask, reading);
    if (const auto next = doubt.again(strategy->history(), ask)) again.push_back(*next);
  }
  ASSERT_FALSE(again.empty());
  EXPECT_EQ(again.back().candidate, 15u);
  EXPECT_TRUE(again.back().repeat);
}

// The default lies at a corner: there only what is far off is doubted.
TEST(Doubt, ADefaultFarOffIsDoubtedAtItsCorner) {
  const auto problem = surface::problem({.power_w = 14});
  const Readings truth = surface::readings(*problem);
  for (const double factor : {24.0, 1.1}) {
    SearchOptions made = options();
    made.default_choice = {39};
    const auto strategy = *make_strategy("brute-force", problem, made);
    Doubt doubt(strategy->options());
    size_t doubted = 0;
    for (size_t candidate : {39, 0, 9, 30, 35, 10, 18, 20, 28}) {
      const Ask ask{0, candidate, "", false};
      Reading reading = truth[0][candidate];
      if (candidate == 39) reading.minibatch_ms *= factor;
      strategy->tell(ask, reading);
      const auto next = doubt.again(strategy->history(), ask);
      doubted += next && next->candidate == 39;
    }
    EXPECT_EQ(doubted, factor > 2 ? 1u : 0u) << factor;
  }
}

// A mode that is as odd as it reads (a throttled clock, say) is believed the second time.
TEST(Doubt, WhatIsReadTwiceIsTrue) {
  const auto problem = surface::problem({.power_w = 14});
  Readings truth = surface::readings(*problem);
  truth[0][27].minibatch_ms *= 1.6;
  LiveBoard board(*problem, truth, 0.002);
  const auto strategy = *make_strategy("brute-force", problem, options());
  Doubt doubt(strategy->options());
  ASSERT_TRUE(run_search(*strategy, std::ref(board), &doubt).ok());
  EXPECT_EQ(board.asked[std::pair(size_t{0}, size_t{27})].size(), 2u);
  EXPECT_NEAR(strategy->history().find(0, 27)->value().minibatch_ms / truth[0][27].minibatch_ms, 1,
              0.01);
}

TEST(Doubt, EndsWhereRepeatsFail) {
  const auto problem = surface::problem({.power_w = 14});
  LiveBoard board(*problem, surface::readings(*problem));
  board.wrong_after = 20;
  board.wrong_by = 0.3;
  const auto strategy = *make_strategy("brute-force", problem, options());
  Doubt doubt(strategy->options());
  std::map<LiveBoard::Key, size_t> failed;
  const auto answer = run_search(
      *strategy,
      [&](const Ask& ask) -> Result<TrialOutcome> {
        if (!ask.repeat) return board(ask);
        ++failed[{ask.role, ask.candidate}];
        return TrialOutcome{{}, "out of memory"};
      },
      &doubt);
  EXPECT_TRUE(answer.ok());
  ASSERT_TRUE(board.wrong);
  EXPECT_EQ(failed[*board.wrong], 2u);
  EXPECT_EQ(strategy->history().find(0, board.wrong->second)->readings.size(), 1u);
}

}  // namespace
}  // namespace flyball
