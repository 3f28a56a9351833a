#include "tune/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/os/temp_folder.h"
#include "store/store.h"
#include "tune/dynamic_planning.h"
#include "tune/live_table_testing.h"
#include "tune/planning.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing_live::LiveTable;
using testing_live::smooth_table;

// Every event as one word, and what was measured.
struct Heard {
  std::vector<std::string> words;
  std::vector<Observation> trials;

  SessionListener listener() {
    return [this](const SessionEvent& event) {
      if (std::get_if<TrialAsked>(&event)) words.emplace_back("asked");
      if (std::get_if<TrialBegun>(&event)) words.emplace_back("begun");
      if (std::get_if<TrialSampled>(&event)) words.emplace_back("sampled");
      if (const auto* ended = std::get_if<TrialEnded>(&event)) {
        words.emplace_back("ended");
        trials.push_back(*ended->trial);
      }
      if (std::get_if<Predicted>(&event)) words.emplace_back("predicted");
      if (std::get_if<Answered>(&event)) words.emplace_back("answered");
    };
  }
};

SharedBoard shared(std::vector<std::unique_ptr<Profiler>> profilers) {
  return *share_board(std::move(profilers));
}

Request concurrent_request() {
  Request request;
  request.kind = "concurrent";
  request.predictor = "gp";
  request.rates_hz = {20};
  request.latencies_ms = {900};
  request.power_budget_w = 14;
  request.command = "flyball plan concurrent";
  return request;
}

SharedBoard train_and_serve(LiveTable::Spoil spoil = {}) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  profilers.push_back(std::make_unique<LiveTable>(smooth_table("net"), spoil));
  profilers.push_back(std::make_unique<LiveTable>(smooth_table("det", {1, 4, 16})));
  return shared(std::move(profilers));
}

TEST(SharedBoard, IsOfOnePowerTotal) {
  const auto refusal = [](const std::string& train, const std::string& serve) {
    std::vector<std::unique_ptr<Profiler>> profilers;
    for (const auto& [name, total] : {std::pair{"net", train}, {"det", serve}}) {
      WorkloadTable table = smooth_table(name);
      table.power_total = total;
      profilers.push_back(std::make_unique<LiveTable>(table));
    }
    const auto board = share_board(std::move(profilers));
    return board.ok() ? "" : board.error().message;
  };
  EXPECT_EQ(refusal("module", "module"), "");
  EXPECT_EQ(refusal("", ""), "");
  EXPECT_EQ(refusal("module", "monitor"),
            "the power of net is of 'module', that of det of 'monitor'");
  EXPECT_EQ(refusal("", "monitor"),
            "the power of net is of no named total, that of det of 'monitor'");
}

TEST(Session, TellsEachTrialFromAskedToEndedAndTheAnswerLast) {
  LiveTable board(smooth_table("net"));
  Heard heard;
  Request request;
  request.predictor = "gp";
  request.profiles = 4;
  const auto result = tune(board, nullptr, request, heard.listener());
  ASSERT_TRUE(result.ok());
  ASSERT_GE(heard.words.size(), 6u);
  EXPECT_THAT(std::vector(heard.words.begin(), heard.words.begin() + 4),
              ElementsAre("asked", "begun", "sampled", "ended"));
  EXPECT_THAT(std::vector(heard.words.end() - 2, heard.words.end()),
              ElementsAre("answered", "predicted"));
  EXPECT_EQ(heard.trials.size(), result->profiled.size());
  for (size_t i = 0; i < heard.trials.size(); ++i)
    EXPECT_EQ(heard.trials[i].config, result->profiled[i].config);
}

TEST(Session, WhatTheStoreKnowsIsNotBegun) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  LiveTable board(smooth_table("net"));
  Request request;
  request.predictor = "gp";
  ASSERT_TRUE(tune(board, &store, request).ok());
  Heard heard;
  ASSERT_TRUE(tune(board, &store, request, heard.listener()).ok());
  EXPECT_EQ(std::ranges::count(heard.words, "begun"), 0);
  EXPECT_GT(std::ranges::count(heard.words, "ended"), 4);
  for (const Observation& trial : heard.trials) EXPECT_TRUE(trial.from_store);
}

TEST(Session, TheDefaultIsMeasuredFirstForEveryRole) {
  const SharedBoard board = train_and_serve();
  Heard heard;
  ASSERT_TRUE(make_plan(board, nullptr, concurrent_request(), heard.listener()).ok());
  ASSERT_GE(heard.trials.size(), 2u);
  for (size_t i : {0, 1}) {
    const Observation& trial = heard.trials[i];
    EXPECT_EQ(trial.config, board.profilers[trial.role]->default_config());
  }
  EXPECT_NE(heard.trials[0].role, heard.trials[1].role);
}

TEST(Session, ALiveAnswerIsMeasuredOnceMoreForEveryRole) {
  const SharedBoard board = train_and_serve();
  Heard heard;
  const auto plan = make_plan(board, nullptr, concurrent_request(), heard.listener());
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(plan->answer);
  std::vector<bool> verified(2, false);
  for (const Observation& trial : heard.trials)
    if (trial.verification && trial.candidate == plan->answer->choice[trial.role])
      verified[trial.role] = true;
  EXPECT_THAT(verified, ElementsAre(true, true));
}

// One reading far too good to be true must not become the answer.
TEST(Session, ALuckyReadingDoesNotStand) {
  const WorkloadTable table = smooth_table("net");
  const size_t lucky = *table.space.find(std::array{4.0, 600.0});
  LiveTable board(table, [&](size_t config, int before, Measurement& m) {
    if (config == lucky && before == 0) m.minibatch_ms /= 20;
  });
  Request request;
  request.predictor = "gp";
  request.strategy = "brute-force";
  const auto result = tune(board, nullptr, request);
  ASSERT_TRUE(result.ok());
  EXPECT_GE(board.measured(lucky), 2);
  EXPECT_NE(result->choice, lucky);
}

TEST(Session, APlanIsARunThatHoldsItsTrialsAndItsAnswer) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  const SharedBoard board = train_and_serve();
  const auto plan = make_plan(board, &store, concurrent_request());
  ASSERT_TRUE(plan.ok());
  const auto runs = store.runs().value();
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(runs[0].state, RunState::done);
  EXPECT_EQ(runs[0].request.command, "flyball plan concurrent");
  EXPECT_EQ(store.run_measurements(runs[0].id)->size(), plan->profiled.size());
  const auto answer = SortedJson::parse(runs[0].answer);
  EXPECT_EQ(answer["problem"], "concurrent");
  EXPECT_FALSE(answer["answer"].is_null());
}

TEST(Session, APlanOfEarlierTrialsSaysWhoseTheyAre) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  const SharedBoard board = train_and_serve();
  ASSERT_TRUE(make_plan(board, &store, concurrent_request()).ok());
  const auto again = make_plan(train_and_serve(), &store, concurrent_request());
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(again->notes,
              Contains(AllOf(HasSubstr("configurations known: "), HasSubstr("from run 1"),
                             HasSubstr("--fresh measures again"))));
}

TEST(Session, ADynamicPlanOfEarlierTrialsSaysWhoseTheyAre) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  Request request = concurrent_request();
  request.kind = "dynamic";
  const std::vector<RateWindow> windows = {{5, 60}, {10, 60}};
  const auto first = plan_windows(train_and_serve(), &store, request, windows);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_THAT(first->notes, Not(Contains(HasSubstr("from run"))));
  const auto again = plan_windows(train_and_serve(), &store, request, windows);
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(again->notes,
              Contains(AllOf(HasSubstr("configurations known: "), HasSubstr("from run 1"),
                             HasSubstr("--fresh measures again"))));
}

TEST(Session, AnInterruptedPlanGoesOn) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  std::atomic<bool> stop = false;
  Request request = concurrent_request();
  request.cancelled = &stop;
  size_t ended = 0;
  const SharedBoard board = train_and_serve();
  const auto cut = make_plan(board, &store, request, [&](const SessionEvent& event) {
    if (std::get_if<TrialEnded>(&event) && ++ended == 9) stop = true;
  });
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code, Code::interrupted);
  EXPECT_THAT(cut.error().hint, HasSubstr("the same command goes on"));
  EXPECT_THAT(
      cut.error().message,
      testing::MatchesRegex("interrupted; the best so far: .* training minibatches/s, .* W: "
                            "cpu_cores .*; det batch_size .*"));
  EXPECT_EQ(store.runs().value().at(0).state, RunState::interrupted);
  stop = false;
  const auto whole = make_plan(board, &store, request);
  ASSERT_TRUE(whole.ok());
  EXPECT_THAT(store.runs().value(), SizeIs(1));
  EXPECT_TRUE(whole->profiled.at(0).from_store);
}

// Each rate has as many profiles as if nothing had been cut off.
TEST(Session, AnInterruptedDynamicPlanGoesOn) {
  Request request = concurrent_request();
  request.kind = "dynamic";
  request.profiles = 4;
  const std::vector<RateWindow> windows = {{5, 60}, {10, 60}, {20, 60}};
  const auto uncut = plan_windows(train_and_serve(), nullptr, request, windows);
  ASSERT_TRUE(uncut.ok()) << uncut.error().message;
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  std::atomic<bool> stop = false;
  request.cancelled = &stop;
  size_t ended = 0;
  const auto cut =
      plan_windows(train_and_serve(), &store, request, windows, [&](const SessionEvent& event) {
        if (std::get_if<TrialEnded>(&event) && ++ended == 10) stop = true;
      });
  ASSERT_FALSE(cut.ok());
  stop = false;
  const auto whole = plan_windows(train_and_serve(), &store, request, windows);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_GT(uncut->profiles, 4u);
  EXPECT_EQ(whole->profiles, uncut->profiles);
  EXPECT_NEAR(whole->plan.value, uncut->plan.value, 1e-9);
}

// What failed at one rate would fail at the next: it is not tried again.
TEST(Session, AFailedTrialIsNotRepeatedForEachRate) {
  const WorkloadTable table = smooth_table("det", {1, 4});
  const size_t broken = *table.space.find(std::array{2.0, 300.0, 4.0});
  auto serving = std::make_unique<LiveTable>(table, [&](size_t config, int, Measurement& m) {
    if (config == broken) m.failure = "out of \xff memory";  // in whatever encoding
  });
  const LiveTable& served = *serving;
  std::vector<std::unique_ptr<Profiler>> profilers;
  profilers.push_back(std::move(serving));
  const SharedBoard board = shared(std::move(profilers));
  Request request;
  request.kind = "dynamic";
  request.strategy = "brute-force";
  request.predictor = "gp";
  request.latencies_ms = {2000};
  const std::vector<RateWindow> windows = {{5, 60}, {10, 60}, {20, 60}};
  const auto answer = plan_windows(board, nullptr, request, windows);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(served.measured(broken), 1);
  EXPECT_EQ(answer->plan.windows.size(), 3u);
}

TEST(Session, WhatIsRefusedIsNoRun) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  const SharedBoard board = train_and_serve();
  Request request = concurrent_request();
  request.rates_hz = {0};
  EXPECT_FALSE(make_plan(board, &store, request).ok());
  request = concurrent_request();
  request.strategy = "magic";
  EXPECT_FALSE(make_plan(board, &store, request).ok());
  EXPECT_TRUE(store.runs().value().empty());
}

}  // namespace
}  // namespace flyball
