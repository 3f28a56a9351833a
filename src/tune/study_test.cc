#include "tune/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "base/temp_folder.h"
#include "tune/study_protocol.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

ProfilerInfo machine() {
  ProfilerInfo info;
  info.device = "bench";
  info.fingerprint = "bench 1";
  return info;
}

// A program at the other end: says what `next` gives, which sees the last answer.
std::vector<Json> talk(const std::function<std::optional<Json>(const Json& last)>& next,
                       Store* store = nullptr) {
  std::vector<Json> answers;
  const StudyLine line{[&]() -> std::optional<std::string> {
                         const auto said = next(answers.empty() ? Json() : answers.back());
                         if (!said) return {};
                         return said->is_string() ? said->get<std::string>() : said->dump();
                       },
                       [&](const std::string& text) { answers.push_back(Json::parse(text)); }};
  EXPECT_TRUE(serve_study(line, machine(), store, "test").ok());
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
std::vector<Json> whole(Json create, Store* store = nullptr) {
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
      store);
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
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "watts": 3})"), HasSubstr("watts"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "power_budget": "0W"})"),
              HasSubstr("power_budget"));
  EXPECT_THAT(complaint(R"({"do": "create", "axes": {"b": [1]}, "default": {"b": 2}})"),
              HasSubstr("b = 2"));
  EXPECT_THAT(complaint(R"({"do": "tell", "trial": 1})"), HasSubstr("minibatch_ms"));
  EXPECT_THAT(complaint(R"({"do": "tell", "minibatch_ms": 1})"), HasSubstr("no trial"));
  EXPECT_THAT(complaint(R"({"do": "tell", "trial": 1, "minibatch_ms": 1e999})"), HasSubstr("JSON"));
  EXPECT_EQ(complaint(R"({"do": "tell", "trial": 1, "minibatch_ms": 1})"), "none");
}

}  // namespace
}  // namespace flyball
