#include "space/trial_facts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace flyball {
namespace {

TEST(TrialFacts, SaysWhyItsFiguresDeserveDoubt) {
  Measurement m;
  EXPECT_EQ(trial_doubts(m), "");
  m.interference.cores = 0.05;
  EXPECT_EQ(trial_doubts(m), "") << "nobody notices that";
  m.interference.cores = 0.83;
  m.interference.throttled = true;
  m.interference.by = "process 7 (flyball tune) since 12:30; process 9 (flyball)";
  EXPECT_EQ(trial_doubts(m), "throttled; others kept 0.83 cores busy; beside process 7, process 9");
  EXPECT_EQ(trial_facts(m)["doubts"], trial_doubts(m));
}

TEST(TrialFacts, WhatIsNotKnownIsNull) {
  Measurement m;
  m.noise = unknown_noise;
  m.minibatch_ms = 12;
  const auto facts = trial_facts(m);
  EXPECT_EQ(facts["minibatch_ms"], 12);
  for (const char* key :
       {"noise_pct", "power_w", "power_total", "power_noise_pct", "window_s", "stall_ms",
        "first_ms", "other_cores", "disturbed", "doubts", "failure", "throttled"})
    EXPECT_TRUE(facts[key].is_null()) << key;
  m.failure = "out of memory";
  EXPECT_TRUE(trial_facts(m)["minibatch_ms"].is_null());
}

TEST(TrialFacts, ATableTellsNoSpread) {
  Measurement m;
  m.minibatch_ms = 12;
  m.noise = 0.02;
  m.power = PowerReading{30, 0.01, "module", 0, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(trial_facts(m)["noise_pct"], 2);
  EXPECT_DOUBLE_EQ(trial_facts(m)["power_noise_pct"], 1);
  for (const Origin origin : {Origin::table, Origin::imported}) {
    m.origin = origin;
    EXPECT_TRUE(trial_facts(m)["noise_pct"].is_null()) << origin_name(origin);
    EXPECT_TRUE(trial_facts(m)["power_noise_pct"].is_null()) << origin_name(origin);
    EXPECT_EQ(trial_facts(m)["power_w"], 30);
  }
}

TEST(TrialFacts, ThrottlingIsToldWhereSomebodyLooked) {
  Measurement m;
  for (const bool slowed : {false, true}) {
    m.interference.throttled = slowed;
    EXPECT_EQ(trial_facts(m)["throttled"], slowed);
  }
}

// Nobody waited and nobody computed, as far as a study's program has told.
TEST(TrialFacts, WhatAProgramToldIsNotSplit) {
  Measurement m;
  m.minibatches.push_back({0, 0, 12, 0});
  EXPECT_EQ(trial_facts(m)["stall_ms"], 0);
  m.origin = Origin::told;
  EXPECT_TRUE(trial_facts(m)["stall_ms"].is_null());
  EXPECT_TRUE(trial_facts(m)["compute_ms"].is_null());
}

TEST(TrialFacts, OnlyWhatWasMeasuredHereShouldKnowTheLoad) {
  Measurement m;
  EXPECT_TRUE(measured_here(m));
  for (const Origin origin : {Origin::table, Origin::imported, Origin::told, Origin::simulated}) {
    m.origin = origin;
    EXPECT_FALSE(measured_here(m)) << origin_name(origin);
  }
}

}  // namespace
}  // namespace flyball
