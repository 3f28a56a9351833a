#include "answers/reused.h"

#include <gmock/gmock.h>

#include <cmath>

namespace flyball {
namespace {

using ::testing::SizeIs;

Observation stored(std::optional<int64_t> run, const std::string& utc, double others) {
  Observation trial;
  trial.from_store = true;
  trial.run = run;
  trial.measurement.started_utc = utc;
  trial.measurement.interference.cores = others;
  return trial;
}

TEST(Reused, SaysWhoseHowOldAndHowTheMachineWas) {
  std::vector<Observation> trials;
  for (const char* utc : {"2026-03-01T12:00:00Z", "2026-03-01T12:02:00Z"})
    trials.push_back(stored(1, utc, 0.8));
  trials.push_back({});  // made now
  const auto reused = reused_trials(trials, 2, "2026-03-01T12:10:00Z");
  ASSERT_THAT(reused, SizeIs(1));
  EXPECT_EQ(reused[0].age_s, 480);
  EXPECT_EQ(reused_text(reused),
            "2 trials from run 1, 8 min ago, on a busy machine; --fresh measures again");
  EXPECT_EQ(known_text(3, 20, 4, reused),
            "3 of 20 configurations known: 2 trials now, 2 trials from run 1, 8 min ago, on a busy "
            "machine; --fresh measures again");
}

TEST(Reused, WhatThisRunMeasuredBeforeItWasInterruptedIsItsOwn) {
  const std::vector<Observation> trials = {stored(3, "2026-03-01T12:00:00Z", 0)};
  EXPECT_THAT(reused_trials(trials, 3, "2026-03-01T12:10:00Z"), SizeIs(0));
  EXPECT_EQ(reused_text({}), "");
  EXPECT_EQ(known_text(3, 20, 4, {}), "");
}

TEST(Reused, SeveralRunsAreToldApart) {
  const std::vector<Observation> trials = {stored(1, "2026-02-27T12:00:00Z", 0),
                                           stored(2, "2026-03-01T12:09:30Z", 0),
                                           stored({}, "garbled", 0)};
  const auto reused = reused_trials(trials, 4, "2026-03-01T12:10:00Z");
  ASSERT_THAT(reused, SizeIs(3));
  EXPECT_TRUE(std::isnan(reused[0].age_s));
  EXPECT_EQ(reused_text(reused),
            "1 trial from the store, of unknown age; 1 trial from run 1, 2 days ago; 1 trial from "
            "run 2, 30 s ago; --fresh measures again");
}

}  // namespace
}  // namespace flyball
