#include "findings/judged_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "device/registry/board.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

PublishedStudy built_in(const std::string& id = "jetson_training") {
  for (const auto& [file, text] : published_studies()) {
    auto study = parse_study(text, file);
    EXPECT_TRUE(study.ok()) << study.error().message;
    if (study->id == id) return *study;
  }
  ADD_FAILURE() << "there is no study " << id;
  return {};
}

PublishedStudy parsed(const std::string& text) {
  auto study = parse_study(text, "x.toml");
  EXPECT_TRUE(study.ok()) << study.error().message;
  return *study;
}

FindingsAnswer ask(const PublishedStudy& study, const std::vector<std::string>& boards) {
  std::vector<std::unique_ptr<Board>> opened;
  std::vector<std::unique_ptr<RunSource>> sources;
  std::vector<RunSource*> asked;
  for (const std::string& board : boards) {
    opened.push_back(*open_board("twin:" + board));
    sources.push_back(simulated_runs(study, *opened.back()));
    asked.push_back(sources.back().get());
  }
  auto answer = judge_findings(study, asked);
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return *answer;
}

const std::vector<std::string> studied = {"xavier_agx", "xavier_nx", "nano", "orin_agx"};

/// A study of one finding with one check of ResNet-18 on AGX Xavier.
PublishedStudy study_of(const std::string& kind, const std::string& check) {
  return parsed(
      "[modes]\ng = [8, 2265.6, 1377, 2133]\nb = [8, 1190.4, 675.75, 1331.2]\n"
      "[boards]\nxavier_agx = {mode = \"g\", storage = \"hdd\"}\n"
      "[[finding]]\nid = \"x\"\nname = \"z\"\nsays = \"y\"\nuse = \"held\"\n" +
      kind + " = [{board = \"xavier_agx\", workload = \"resnet18_cifar10\", " + check + "}]\n");
}

/// The verdict on one check of AGX Xavier, as a file would have it.
std::optional<FindingVerdict> judged(const std::string& kind, const std::string& check) {
  return ask(study_of(kind, check), {"xavier_agx"}).findings.front().verdict;
}

std::vector<std::string> of_verdict(const FindingsAnswer& answer,
                                    std::optional<FindingVerdict> verdict, bool held) {
  std::vector<std::string> ids;
  for (const JudgedFinding& one : answer.findings)
    if (one.verdict == verdict && one.held == held) ids.push_back(one.id);
  return ids;
}

TEST(Findings, AChangeNeedsItsSignAndItsSize) {
  const auto change = [](const std::string& published, const std::string& more = "") {
    return judged("change",
                  "figure = \"e2e_s\", from = {mode = \"b\"}, to = {mode = \"g\"}, "
                  "published = " +
                      published + more);
  };
  EXPECT_EQ(change("[660.4, 345.3]"), FindingVerdict::holds);
  EXPECT_EQ(change("[660.4, 600.0]"), FindingVerdict::size);
  EXPECT_EQ(change("[660.4, 60.0]"), FindingVerdict::size);
  EXPECT_EQ(change("[345.3, 660.4]"), FindingVerdict::sign);
  EXPECT_EQ(change("[1, 1]", ", spread = 3"), FindingVerdict::size);
  EXPECT_EQ(change("[1, 1]", ", spread = 200"), FindingVerdict::holds);
  EXPECT_EQ(change("[100, 101]", ", spread = 200, sign = true"), FindingVerdict::sign);
}

TEST(Findings, LevelsRangesAndFrontsAreTheTwinsOwn) {
  EXPECT_EQ(judged("level", "figure = \"e2e_s\", published = 345.3"), FindingVerdict::holds);
  EXPECT_EQ(judged("level", "figure = \"e2e_s\", published = 900"), FindingVerdict::size);
  EXPECT_EQ(judged("level", "figure = \"e2e_s\", published = 900, most = true"),
            FindingVerdict::holds);
  EXPECT_EQ(judged("front", "modes = \"bg\", published = \"bg\", on = \"g\", off = \"\""),
            FindingVerdict::holds);
  EXPECT_EQ(judged("front", "modes = \"bg\", published = \"b\", on = \"b\", off = \"g\""),
            FindingVerdict::sign);
}

// Which findings the twin shows: a change of the twin that gains or loses one is to say so here and
// in docs/twin.md.
TEST(Findings, OfTheStudy) {
  const FindingsAnswer answer = ask(built_in(), studied);
  EXPECT_THAT(of_verdict(answer, FindingVerdict::sign, false), UnorderedElementsAre());
  EXPECT_THAT(of_verdict(answer, FindingVerdict::sign, true),
              UnorderedElementsAre("fronts-of-time-and-energy"));
  EXPECT_THAT(of_verdict(answer, FindingVerdict::size, false),
              UnorderedElementsAre("free-clocks-cost-little", "governors-lower-an-idle-gpu",
                                   "workers-slow-the-computing"));
  EXPECT_THAT(of_verdict(answer, FindingVerdict::size, true),
              UnorderedElementsAre("cores", "the-memorys-clock", "what-trains-where"));
  EXPECT_EQ(answer.count(FindingVerdict::holds), 22u);
}

TEST(Findings, AreTheSameEachTime) {
  const FindingsAnswer a = ask(built_in(), studied), b = ask(built_in(), studied);
  EXPECT_EQ(findings_json(a), findings_json(b));
}

// A board that the study has not is asked by signs what it can be asked at all.
TEST(Findings, MoveToABoardThatTheStudyHasNot) {
  const FindingsAnswer answer = ask(built_in(), {"orin_nano"});
  const auto find = [&](const std::string& id) {
    return *std::ranges::find(answer.findings, id, &JudgedFinding::id);
  };
  const JudgedFinding workers = find("a-worker-hides-the-loading");
  EXPECT_TRUE(workers.transferred);
  EXPECT_EQ(workers.verdict, FindingVerdict::holds);
  EXPECT_THAT(workers.figures.front().name, HasSubstr("orin_nano"));
  EXPECT_THAT(workers.why, HasSubstr("by its sign"));
  const JudgedFinding modes = find("the-memorys-clock");
  EXPECT_EQ(modes.verdict, std::nullopt);
  EXPECT_THAT(modes.why, HasSubstr("it is asked of xavier_agx"));
}

// Of a board that the study has not the sign alone counts; what is about the same has none.
TEST(Findings, MovedOnesAreJudgedByTheSign) {
  const auto judged_there = [](const std::string& published) {
    const PublishedStudy study = study_of(
        "change", "figure = \"e2e_s\", from = {batch = 1}, to = {}, published = " + published);
    return *ask(study, {"orin_nano"}).findings.front().verdict;
  };
  EXPECT_EQ(judged_there("[100, 90]"), FindingVerdict::holds) << "of another size by far";
  EXPECT_EQ(judged_there("[90, 100]"), FindingVerdict::sign);
  EXPECT_EQ(judged_there("[90, 100], spread = 500"), FindingVerdict::holds);
  EXPECT_EQ(judged_there("[1, 100], spread = 500"), FindingVerdict::size)
      << "too small to have one";
}

// Nobody is told of a board that nobody asked.
TEST(Findings, OfOneBoardAreItsOwn) {
  const FindingsAnswer answer = ask(built_in(), {"xavier_nx"});
  for (const JudgedFinding& finding : answer.findings) {
    EXPECT_FALSE(finding.transferred) << finding.id;
    EXPECT_EQ(finding.verdict.has_value(), !finding.figures.empty()) << finding.id;
    for (const JudgedFigure& figure : finding.figures)
      EXPECT_THAT(figure.name, Not(HasSubstr("xavier_agx:"))) << finding.id;
  }
  EXPECT_GT(answer.count({}), 0u);
  EXPECT_EQ(answer.findings.front().why, "it is asked of xavier_agx");
}

TEST(Findings, SayWhatABoardLacks) {
  const FindingsAnswer answer =
      ask(study_of("change",
                   "figure = \"e2e_s\", from = {}, to = {storage = \"tape\"}, published = [1, 2]"),
          {"xavier_agx"});
  EXPECT_EQ(answer.findings.front().verdict, std::nullopt);
  EXPECT_THAT(answer.findings.front().why, HasSubstr("xavier_agx has no tape"));
}

// The other studies, of the boards that they had.
TEST(Findings, OfModesPredictionsAndSearches) {
  const FindingsAnswer pagoda = ask(built_in("pagoda"), {"orin_agx"});
  EXPECT_THAT(of_verdict(pagoda, FindingVerdict::holds, true),
              UnorderedElementsAre("the-fastest-mode-is-not-the-thriftiest",
                                   "little-is-saved-for-little-time"));
  EXPECT_THAT(pagoda.findings.back().why, HasSubstr("flyball roofline measure"));
  const FindingsAnswer fulcrum = ask(built_in("fulcrum"), {"orin_agx"});
  EXPECT_EQ(fulcrum.count({}), 0u);
  const FindingsAnswer machines =
      ask(built_in("four_machines"), {"orin_agx", "rtx3090", "rtx_a5000", "rpi5"});
  EXPECT_EQ(machines.count({}), 0u);
  EXPECT_EQ(machines.count(FindingVerdict::sign), 0u);
}

// A table is asked of the board that is there, what is of two machines of nobody else.
TEST(Findings, OfTablesMove) {
  const FindingsAnswer pagoda = ask(built_in("pagoda"), {"orin_nano"});
  EXPECT_EQ(pagoda.count({}), 1u);
  EXPECT_TRUE(pagoda.findings.front().transferred);
  EXPECT_EQ(ask(built_in("four_machines"), {"orin_nano"}).count({}), 3u);
}

/// A board that was measured: batch size 1 and others, each with the times of its later epochs.
class MeasuredBoard final : public RunSource {
 public:
  MeasuredBoard(std::vector<double> of_one, std::vector<double> of_others)
      : of_one_(std::move(of_one)), of_others_(std::move(of_others)) {}
  std::string board() const override { return "xavier_agx"; }
  Provenance provenance() const override { return Provenance::measured; }
  std::string usual_mode() const override { return ""; }
  Result<bool> fits(const std::string&) override { return true; }
  Result<RunFigures> run(const FindingSetting& setting) override {
    RunFigures run;
    for (const double e2e_s : setting.batch == 1 ? of_one_ : of_others_)
      run.epochs.push_back({.epoch = static_cast<int>(run.epochs.size()) + 1, .e2e_s = e2e_s});
    return run;
  }

 private:
  std::vector<double> of_one_, of_others_;
};

JudgedFigure judged_of(const std::vector<double>& from, const std::vector<double>& to) {
  MeasuredBoard board(from, to);
  const PublishedStudy study =
      study_of("change", "figure = \"e2e_s\", from = {batch = 1}, to = {}, published = [10, 5]");
  const auto answer = judge_findings(study, {&board});
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return answer->findings.front().figures.front();
}

// Means, as the runs beside them are told; what their epochs do not tell is not decided.
TEST(Findings, OfMeasuredEpochsAreTheirMeans) {
  const JudgedFigure clear = judged_of({10, 10.2, 9.8, 10.1, 9.9}, {5, 5.1, 4.9, 5, 5});
  EXPECT_EQ(clear.verdict, FindingVerdict::holds);
  EXPECT_NEAR(clear.ours->value.value, -50, 1e-9);
  EXPECT_LT(clear.ours->value.low, -50);
  EXPECT_GT(clear.ours->value.high, -50);

  const JudgedFigure torn = judged_of({10, 10, 10, 10, 10}, {5, 5, 5, 40, 40});
  EXPECT_NEAR(torn.ours->value.value, 90, 1e-9) << "of their mean, 19 s";
  EXPECT_EQ(torn.verdict, std::nullopt);
  EXPECT_THAT(torn.why, HasSubstr("epochs differ too much to tell (10 → 19 s"));

  const JudgedFigure nothing = judged_of({10, 0, 10, 10, 10}, {5, 0, 5, 40, 40});
  EXPECT_EQ(nothing.verdict, std::nullopt);

  const JudgedFigure single = judged_of({10}, {5});
  EXPECT_EQ(single.verdict, std::nullopt);
  EXPECT_EQ(single.why, "one value of each is too little to tell (10 → 5 s)");
}

// A training has one first epoch: the later ones say what would be none of theirs.
TEST(Findings, OneEpochIsJudgedBesideSeveral) {
  const std::vector<double> later = {5, 5.1, 4.9, 5, 5};  // 5 ± 2.13 * 0.0707 * √1.2
  const JudgedFigure far = judged_of({10}, later);
  EXPECT_EQ(far.verdict, FindingVerdict::holds);
  EXPECT_NEAR(far.ours->value.low, -51.65, 0.01);
  EXPECT_NEAR(far.ours->value.high, -48.35, 0.01);
  EXPECT_EQ(judged_of({5.2}, later).verdict, FindingVerdict::size);
  EXPECT_EQ(judged_of({4.8}, later).verdict, FindingVerdict::sign);
  const JudgedFigure near = judged_of({5.15}, later);
  EXPECT_EQ(near.verdict, std::nullopt);
  EXPECT_THAT(near.why, HasSubstr("epochs differ too much to tell (5.15 → 5 s; 90 %: -"));
  EXPECT_EQ(judged_of(later, {2.5}).verdict, FindingVerdict::holds);
  EXPECT_EQ(judged_of({10}, {0, 0, 0, 40, 40}).verdict, std::nullopt);
}

TEST(Findings, FilesSayWhichLineIsWrong) {
  const auto complaint = [](const std::string& text) {
    const auto study = parse_study(text, "x.toml");
    EXPECT_FALSE(study.ok()) << text;
    return study.ok() ? "" : study.error().message;
  };
  const std::string finding =
      "[[finding]]\nid = \"x\"\nname = \"z\"\nsays = \"y\"\nuse = \"held\"\n";
  EXPECT_THAT(complaint(""), HasSubstr("there is no [[finding]]"));
  EXPECT_THAT(complaint("[[finding]]\nid = \"x\"\n"), HasSubstr("x.toml:1: a finding needs"));
  EXPECT_THAT(complaint("[[finding]]\nid = \"a, b\"\nname = \"z\"\nsays = \"y\"\nuse = \"held\"\n"),
              HasSubstr("the id 'a, b' has other signs"));
  EXPECT_THAT(complaint(finding), HasSubstr("'x' has nothing to check"));
  EXPECT_THAT(complaint(finding + "level = [{figure = \"joy\", published = 1}]\n"),
              HasSubstr("x.toml:6: there is no figure 'joy'"));
  EXPECT_THAT(complaint(finding + "level = [{figure = \"e2e_s\"}]\n"),
              HasSubstr("'published' is missing"));
  EXPECT_THAT(complaint(finding + "level = [{figur = \"e2e_s\"}]\n"),
              HasSubstr("unknown key 'figur'"));
  EXPECT_THAT(complaint(finding + "level = [{figure = \"e2e_s\", published = 1, at = {mode = "
                                  "\"z\"}}]\n"),
              HasSubstr("there is no mode 'z'"));
  EXPECT_THAT(complaint(finding + "table = [{figure = \"profiles\", published = 1}]\n"),
              HasSubstr("'profiles' is of a strategy"));
  const std::string level = "level = [{figure = \"e2e_s\", published = 1}]\n";
  EXPECT_THAT(complaint(finding + level + finding + level), HasSubstr("two findings 'x'"));
  EXPECT_THAT(complaint(finding + "chnage = []\n"), HasSubstr("unknown key 'chnage'"));
  EXPECT_THAT(
      complaint(finding + "level = [{figure = \"e2e_s\", published = 1, at = {worker = 0}}]\n"),
      HasSubstr("unknown key 'worker'"));
  EXPECT_THAT(complaint(finding + "level = [{figure = \"e2e_s\", published = 1, at = {epoch = "
                                  "\"frist\"}}]\n"),
              HasSubstr("no such epoch"));
  EXPECT_THAT(complaint(finding + "front = [{modes = \"ab\", published = \"a\"}]\n"),
              HasSubstr("judged by 'on' and 'off'"));
  EXPECT_THAT(complaint(finding + "table = [{figure = \"e2e_s\", published = 1}]\n"),
              HasSubstr("tables have no figure 'e2e_s'"));
  EXPECT_THAT(complaint(finding + "change = [{figure = \"e2e_s\", published = \"epochs\"}]\n"),
              HasSubstr("no such published epochs"));
  EXPECT_THAT(complaint(finding + "fits = [{workload = \"lstm\", published = [\"nano\"]}]\n"),
              HasSubstr("asked 'among'"));
  EXPECT_THAT(complaint("[modes]\na = [1, 2]\n" + finding), HasSubstr("x.toml:2: a mode is"));
}

}  // namespace
}  // namespace flyball
