#include "tune/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <deque>

#include "base/json.h"
#include "base/json_line.h"
#include "base/os/temp_folder.h"
#include "device/measuring_testing.h"
#include "tune/study_protocol.h"

namespace flyball {
namespace {

using measuring_testing::Other;
using testing::HasSubstr;
using testing::Not;

ProfilerInfo machine() {
  ProfilerInfo info;
  info.device = "bench";
  info.fingerprint = "bench 1";
  return info;
}

// A program at the other end: says what `next` gives, which sees the last answer.
std::vector<Json> talk(const std::function<std::optional<Json>(const Json& last)>& next,
                       Store* store = nullptr, const ProfilerInfo& board = machine()) {
  static const TempFolder state;  // in which nobody else measures
  ::setenv("FLYBALL_STATE", state.path().c_str(), 1);
  std::vector<Json> answers;
  const StudyLine line{[&]() -> std::optional<std::string> {
                         const auto said = next(answers.empty() ? Json() : answers.back());
                         if (!said) return {};
                         return said->is_string() ? said->get<std::string>() : said->dump();
                       },
                       [&](const Json& said) { answers.push_back(Json::parse(json_line(said))); }};
  EXPECT_TRUE(serve_study(line, {board}, store, "test").ok());
  return answers;
}

std::vector<Json> say(std::deque<Json> words) {
  return talk([words](const Json&) mutable -> std::optional<Json> {
    if (words.empty()) return {};
    const Json word = words.front();
    words.pop_front();
    return word;
  });
}

// A whole study of a program whose minibatch takes 4 ms and 0.5 ms for each sample.
std::vector<Json> whole(Json create, Store* store = nullptr,
                        const ProfilerInfo& board = machine()) {
  return talk(
      [&, create](const Json& last) -> std::optional<Json> {
        if (last.is_null()) return create;
        if (last.contains("answer")) return {};
        if (last.contains("best")) return Json{{"do", "answer"}};
        if (last.contains("finished")) return Json{{"do", "best"}};
        if (!last.contains("trial")) return Json{{"do", "ask"}};
        const double batch = last["trial"]["config"]["batch_size"];
        return Json{{"do", "tell"},
                    {"trial", last["trial"]["number"]},
                    {"minibatch_ms", 4 + 0.5 * batch},
                    {"power_w", 10 + 0.25 * batch}};
      },
      store, board);
}

const Json three = {{"do", "create"}, {"axes", {{"batch_size", {8, 16, 32}}}}};

TEST(Study, FindsTheFastestWithinItsBudget) {
  Json create = three;
  create["power_budget"] = "15W";
  const auto answers = whole(create);
  const Json& answer = answers.back().at("answer");
  EXPECT_EQ(answer["choice"]["config"]["batch_size"], 16);  // 32 takes 18 W
  EXPECT_EQ(answer["profiles"], 3);
  EXPECT_EQ(answer["default"]["config"]["batch_size"], 8);  // named first
  const Json& best = answers[answers.size() - 2].at("best");
  EXPECT_EQ(best["config"]["batch_size"], 16);
  EXPECT_EQ(best["minibatch_ms"], 12);
  EXPECT_EQ(best["power_w"], 14);
}

// Of a sample 8, 16 and 32 take 1, 0.75 and 0.625 ms.
TEST(Study, KeepsWithinALimitOnTheSlowdownAgainstItsDefault) {
  Json create = three;
  create["objective"] = "power";
  create["default"] = {{"batch_size", 16}};
  for (const auto& [limit, batch] : {std::pair{"30%", 16}, std::pair{"35 %", 8}}) {
    create["at_most"] = {{"slowdown", limit}};
    const Json answer = whole(create).back().at("answer");
    EXPECT_EQ(answer["choice"]["config"]["batch_size"], batch) << limit;
  }
  create["power_budget"] = "13W";
  create["at_most"] = {{"slowdown", "1%"}};
  const Json answer = whole(create).back().at("answer");
  EXPECT_THAT(answer["infeasible"]["hint"].get<std::string>(),
              HasSubstr("at_most={\"slowdown\": \"33.34%\"}"));
}

TEST(Study, EveryTrialIsAskedAndToldOnce) {
  const auto answers = whole(three);
  size_t trials = 0, told = 0;
  for (const Json& answer : answers) {
    trials += answer.contains("trial");
    told += answer.contains("told");
    if (answer.contains("trial")) {
      EXPECT_EQ(answer["trial"]["number"], trials);
    }
    EXPECT_FALSE(answer.contains("error")) << answer;
  }
  EXPECT_EQ(trials, told);
  EXPECT_EQ(answers.back()["answer"]["trials"], trials);
}

TEST(Study, AskingTwiceGivesTheSameTrial) {
  const Json ask = {{"do", "ask"}};
  const auto answers = say({three, ask, ask});
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[1], answers[2]);
  EXPECT_EQ(answers[1]["trial"]["number"], 1);
}

TEST(Study, WhatIsWrongGetsOneLineAndChangesNothing) {
  const Json ask = {{"do", "ask"}};
  const auto answers = say({"rubbish",
                            ask,
                            three,
                            three,
                            {{"do", "answer"}},
                            {{"do", "tell"}, {"trial", 7}, {"minibatch_ms", 1}},
                            ask,
                            {{"do", "tell"}, {"trial", 1}, {"minibatch_ms", -1}},
                            {{"do", "tell"}, {"trial", 1}, {"minibatch_ms", 4}}});
  ASSERT_EQ(answers.size(), 9u);
  for (const int i : {0, 1, 3, 4, 5, 7}) {
    ASSERT_TRUE(answers[i].contains("error")) << i << answers[i];
    EXPECT_NE(answers[i]["error"]["hint"], "") << answers[i];
  }
  EXPECT_TRUE(answers[2].contains("created"));
  EXPECT_EQ(answers[6]["trial"]["number"], 1);
  EXPECT_THAT(answers[7]["error"]["message"].get<std::string>(), HasSubstr("minibatch_ms"));
  EXPECT_EQ(answers[8]["told"], 1);
}

TEST(Study, UnderAPowerBudgetATrialIsToldWithItsPower) {
  Json create = three;
  create["power_budget"] = "20W";
  const auto answers = say({create,
                            {{"do", "ask"}},
                            {{"do", "tell"}, {"trial", 1}, {"minibatch_ms", 4}},
                            {{"do", "tell"}, {"trial", 1}, {"minibatch_ms", 4}, {"power_w", 9}},
                            {{"do", "ask"}},
                            {{"do", "tell"}, {"trial", 2}, {"failure", "no memory"}}});
  ASSERT_EQ(answers.size(), 6u);
  EXPECT_THAT(answers[2]["error"]["message"].get<std::string>(), HasSubstr("without its power"));
  EXPECT_THAT(answers[2]["error"]["hint"].get<std::string>(), HasSubstr("power_w"));
  EXPECT_EQ(answers[3]["told"], 1);
  EXPECT_EQ(answers[5]["told"], 2);
}

TEST(Study, AFailedTrialIsLeftOut) {
  const auto answers = talk([](const Json& last) -> std::optional<Json> {
    if (last.is_null()) return three;
    if (last.contains("answer")) return {};
    if (last.contains("finished")) return Json{{"do", "answer"}};
    if (!last.contains("trial")) return Json{{"do", "ask"}};
    const double batch = last["trial"]["config"]["batch_size"];
    Json told = {{"do", "tell"}, {"trial", last["trial"]["number"]}};
    if (batch > 16)
      told["failure"] = "out of memory";
    else
      told["minibatches_ms"] = {4 + batch, 4.5 + batch, 4.25 + batch};
    return told;
  });
  const Json& answer = answers.back()["answer"];
  EXPECT_EQ(answer["choice"]["config"]["batch_size"], 16);
  EXPECT_EQ(answer["choice"]["minibatch_ms"], 20.25);
  EXPECT_THAT(answer["notes"].dump(), HasSubstr("out of memory"));
}

TEST(Study, TrialsAreKeptUnderARunAndANamedOneKnowsThemAgain) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder.ok());
  auto store = Store::open(folder->path() / "store.db");
  ASSERT_TRUE(store.ok());
  Json create = three;
  create["name"] = "mine";
  const auto first = whole(create, &*store);
  const auto runs = store->runs();
  ASSERT_TRUE(runs.ok() && runs->size() == 1);
  EXPECT_EQ(runs->front().state, RunState::done);
  EXPECT_EQ(runs->front().measurements, first.back()["answer"]["trials"].get<size_t>());
  const auto again = whole(create, &*store);
  for (const Json& answer : again) EXPECT_FALSE(answer.contains("trial")) << answer;
  EXPECT_EQ(again.back()["answer"]["choice"], first.back()["answer"]["choice"]);
  create.erase("name");
  const auto unnamed = whole(create, &*store);
  EXPECT_TRUE(unnamed[2].contains("told") || unnamed[1].contains("trial"));
}

// Its program ended after the first trial; nobody can mean that run.
TEST(Study, WithoutANameItDoesNotGoOnWithOneThatWasLeft) {
  const TempFolder folder;
  auto store = Store::open(folder / "store.db");
  ASSERT_TRUE(store.ok());
  const auto asked = [&](const Json& create, size_t trials) {
    size_t told = 0;
    const auto answers = talk(
        [&](const Json& last) -> std::optional<Json> {
          if (last.is_null()) return create;
          if (!last.contains("trial")) {
            if (last.contains("finished") || told >= trials) return {};
            return Json{{"do", "ask"}};
          }
          ++told;
          return Json{{"do", "tell"}, {"trial", last["trial"]["number"]}, {"minibatch_ms", 10}};
        },
        &*store);
    return std::ranges::count_if(answers, [](const Json& said) { return said.contains("trial"); });
  };
  Json named = three;
  named["name"] = "mine";
  const auto all = asked(three, 100);
  EXPECT_EQ(asked(three, 1), 1);
  EXPECT_EQ(asked(three, 100), all);
  EXPECT_EQ(asked(named, 1), 1);
  EXPECT_EQ(asked(named, 100), all - 1) << "this one goes on";
}

TEST(Study, AGovernorThatWasChangedIsAnotherCondition) {
  const TempFolder folder;
  auto store = Store::open(folder / "store.db");
  ASSERT_TRUE(store.ok());
  Json create = three;
  create["name"] = "mine";
  ProfilerInfo board = machine();
  board.conditions = {{"cpu governor", "powersave"}};
  const auto trials = [&] {
    const auto answers = whole(create, &*store, board);
    return std::ranges::count_if(answers, [](const Json& said) { return said.contains("trial"); });
  };
  EXPECT_GT(trials(), 0);
  EXPECT_EQ(trials(), 0);
  board.conditions = {{"cpu governor", "performance"}};
  EXPECT_GT(trials(), 0);
}

TEST(Study, IsNamedAsItsScript) {
  const TempFolder folder;
  auto store = Store::open(folder / "store.db");
  ASSERT_TRUE(store.ok());
  Json create = three;
  for (const auto& [words, name] :
       {std::pair{Json{"/venv/bin/python3.11", "/home/me/train.py", "--fast"}, "train.py"},
        {Json{"/opt/pypy3", "-u", "/home/me/train", "--fast"}, "train"},
        {Json{"/home/me/python_learner", "--fast"}, "python_learner"},
        {Json{"python3"}, "python3"},
        {Json{""}, "study"},
        {Json::array(), "study"}}) {
    create["program"] = words;
    whole(create, &*store);
    const auto trials = store->run_measurements(store->runs()->front().id);
    ASSERT_TRUE(trials.ok() && !trials->empty());
    EXPECT_EQ(trials->front().measurement.trial.job.workload, name);
  }
}

// What is said to a program names what a program can write.
TEST(Study, AdviceIsInTheCallersNames) {
  Json create = three;
  create["power_budget"] = "11W";
  const auto answers = whole(create);
  const Json& why = answers.back().at("answer").at("infeasible");
  ASSERT_FALSE(why["easing"].empty());
  EXPECT_EQ(why["easing"][0]["flag"], "power_budget");
  EXPECT_THAT(why["hint"].get<std::string>(), HasSubstr("power_budget=\"12W\""));
  create = three;
  create["at_least"] = {{"accuracy", 0.9}};
  const auto unheld = whole(create);
  EXPECT_THAT(unheld.back()["answer"]["infeasible"]["hint"].get<std::string>(),
              HasSubstr("ease that limit, or open other axes"));
  create = three;
  create["time_budget"] = "4s";
  const auto refused = say({create});
  EXPECT_THAT(refused[0]["error"]["hint"].get<std::string>(), HasSubstr("samples=60000"));
  for (const auto& said : {answers, unheld, refused})
    for (const Json& answer : said) EXPECT_THAT(answer.dump(), Not(HasSubstr("--"))) << answer;
}

TEST(Study, TakesOverTrialsInTheCallersNames) {
  const TempFolder folder;
  auto store = Store::open(folder / "store.db");
  ASSERT_TRUE(store.ok());
  Json create = three;
  create["name"] = "mine";
  whole(create, &*store);
  const auto again = whole(create, &*store);
  EXPECT_THAT(again.back()["answer"]["effort"].get<std::string>(),
              HasSubstr("fresh=True measures again"));
}

// One session measures on a machine at a time, a study like any other.
TEST(StudyBesideAnother, IsRefusedAndMayAskAgain) {
  const Json ask = {{"do", "ask"}};
  say({});  // names the state folder
  std::optional<Other> other(std::in_place);
  const std::string name = other->name();
  int asked = 0;
  const auto answers = talk([&](const Json& last) -> std::optional<Json> {
    if (last.is_null()) return three;
    if (++asked == 2) other.reset();
    if (asked > 2) return {};
    return ask;
  });
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_THAT(answers[1]["error"]["message"].get<std::string>(), HasSubstr(name));
  EXPECT_THAT(answers[1]["error"]["hint"].get<std::string>(), HasSubstr("wait=True"));
  EXPECT_THAT(answers[1]["error"]["hint"].get<std::string>(), HasSubstr("force=True"));
  EXPECT_TRUE(answers[2].contains("trial")) << answers[2];
}

TEST(StudyBesideAnother, AnywayMarksItsTrials) {
  say({});
  const Other other;
  Json create = three;
  create["force"] = true;
  const auto answers = whole(create);
  const Json& answer = answers.back().at("answer");
  for (const Json& trial : answer["profiled"])
    EXPECT_THAT(trial["disturbed"].dump(), HasSubstr(other.name())) << trial;
  EXPECT_FALSE(answer["comparison"]["established"].get<bool>());
}

TEST(StudyBesideAnother, WaitsAndSaysForWhom) {
  say({});
  Other other;
  Json create = three;
  create["wait"] = true;
  std::vector<Json> answers;
  const std::deque<Json> words = {create, {{"do", "ask"}}};
  size_t next = 0;
  const StudyLine line{[&]() -> std::optional<std::string> {
                         if (next == words.size()) return {};
                         return words[next++].dump();
                       },
                       [&](const Json& said) {
                         answers.push_back(Json::parse(json_line(said)));
                         if (answers.back().contains("waiting")) other.kill();
                       }};
  ASSERT_TRUE(serve_study(line, {machine()}, nullptr, "test").ok());
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_THAT(answers[1]["waiting"].get<std::string>(), HasSubstr("process "));
  EXPECT_TRUE(answers[2].contains("trial")) << answers[2];
}

TEST(StudyBesideAnother, AWaitEndsWhenNobodyReads) {
  say({});
  const Other other;
  std::deque<std::string> words = {three.dump(), R"({"do": "ask"})"};
  size_t said = 0;
  const StudyLine line{[&]() -> std::optional<std::string> {
                         if (words.empty()) return {};
                         const std::string word = words.front();
                         words.pop_front();
                         return word;
                       },
                       [&](const Json&) { ++said; }, [] { return true; }};
  EXPECT_TRUE(serve_study(line, {machine()}, nullptr, "test", {.wait = true}).ok());
  EXPECT_EQ(said, 1u) << "created, and nothing more";
}

TEST(StudyProtocol, NamesWhatIsWrong) {
  const auto complaint = [](const std::string& line) {
    const auto message = parse_study_message(line);
    return message.ok() ? "none" : message.error().message;
  };
  EXPECT_THAT(complaint("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(complaint(R"({"do": "dance"})"), HasSubstr("\"do\""));
  EXPECT_THAT(complaint(R"({"do": "ask", "now": 1})"), HasSubstr("\"do\""));
  EXPECT_THAT(complaint(R"({"do": "create"})"), HasSubstr("needs axes"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": []}})"), HasSubstr("axes.b"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": ["x"]}})"), HasSubstr("axes.b"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"batch_size": [8, -1]}})"),
              HasSubstr("batch_size cannot be -1: it takes whole numbers from 1"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"loader_workers": [0, 0.5]}})"),
              HasSubstr("loader_workers cannot be 0.5"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "watts": 3})"), HasSubstr("watts"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "power_budget": "0W"})"),
              HasSubstr("power_budget"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "default": {"b": 2}})"),
              HasSubstr("b = 2"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "wait": true, "anyway": true})"),
              HasSubstr("exclude"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "wait": "yes"})"),
              HasSubstr("wait"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "at_most": {"slowdown": 0.05},
                            "default": {"b": 1}})"),
              HasSubstr("at_most.slowdown"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "at_most": {"slowdown": "5%"}})"),
              HasSubstr("told without one"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "at_least": {"slowdown": "5%"}})"),
              HasSubstr("no lower bound"));
  EXPECT_THAT(
      complaint(R"({"do": "tell", "trial": 1, "minibatch_ms": 1, "figures": {"slowdown": 1}})"),
      HasSubstr("no figure to report"));
  EXPECT_THAT(complaint(R"({"do": "tell", "trial": 1})"), HasSubstr("minibatch_ms"));
  EXPECT_THAT(complaint(R"({"do": "tell", "minibatch_ms": 1})"), HasSubstr("no trial"));
  EXPECT_THAT(complaint(R"({"do": "tell", "trial": 1, "minibatch_ms": 1e999})"), HasSubstr("JSON"));
  EXPECT_EQ(complaint(R"({"do": "tell", "trial": 1, "minibatch_ms": 1})"), "none");
}

}  // namespace
}  // namespace flyball
