#include "findings/measured_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "findings/judged_findings.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MeasuredRunsTest : public testing::Test {
 protected:
  MeasuredRunsTest() {
    options_.scale = 0.001;  // 60 digits
    options_.experiment.out = folder_ / "out";
    options_.experiment.store = &store_;
    options_.experiment.board.name = {BoardName::Kind::host, ""};
    options_.experiment.board.device = {
        .name = "host", .title = "A machine", .fingerprint = "this one"};
    options_.experiment.note = [this](const std::string& note) { notes_.push_back(note); };
  }

  FindingsAnswer ask(const PublishedStudy& study) {
    const auto source = measured_runs(study, options_);
    auto answer = judge_findings(study, {source.get()});
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return *answer;
  }

  void expect_nothing_to_run(const PublishedStudy& study) {
    const auto source = measured_runs(study, options_);
    EXPECT_TRUE(settings_asked(study, {source.get()}, *source).empty());
  }

  const TempFolder folder_;
  Store store_ = Store::open(folder_ / "store.db").value();
  MeasuredRunsOptions options_;
  std::vector<std::string> notes_;
};

PublishedStudy measured_study(const std::string& checks) {
  auto study = parse_study(
      "[modes]\ng = [8, 2265.6, 1377, 2133]\n[boards]\nxavier_agx = {mode = \"g\", storage = "
      "\"hdd\"}\n[[finding]]\nid = \"x\"\nname = \"z\"\nsays = \"y\"\nuse = \"held\"\n" +
          checks,
      "x.toml");
  EXPECT_TRUE(study.ok()) << study.error().message;
  return *study;
}

TEST_F(MeasuredRunsTest, AreMadeOnceAndTakenUpAgain) {
  const PublishedStudy study = measured_study(
      "change = [{board = \"xavier_agx\", workload = \"lenet5\", figure = \"compute_s\", from = "
      "{batch = 1}, to = {}, published = [10, 1]}]\n");
  const auto source = measured_runs(study, options_);
  const auto ahead = source->ahead(settings_asked(study, {source.get()}, *source));
  ASSERT_TRUE(ahead.ok()) << ahead.error().message;
  ASSERT_EQ(ahead->size(), 1u);
  EXPECT_EQ(ahead->front().runs, 2u);
  EXPECT_EQ(ahead->front().held, 0u);

  const FindingsAnswer first = ask(study);
  EXPECT_TRUE(first.findings.front().transferred);
  ASSERT_TRUE(first.findings.front().figures.front().ours);
  EXPECT_EQ(first.boards.front().provenance, Provenance::measured);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_.front(), HasSubstr("2 runs to make, about"));
  EXPECT_EQ(source->ahead(settings_asked(study, {source.get()}, *source))->front().held, 2u);

  const FindingsAnswer again = ask(study);
  EXPECT_EQ(notes_.size(), 1u) << "nothing was left to run";
  EXPECT_EQ(again.findings.front().figures.front().ours->value.value,
            first.findings.front().figures.front().ours->value.value);
}

TEST_F(MeasuredRunsTest, SayWhatThisMachineCannotTell) {
  const PublishedStudy study = measured_study(
      "change = [{board = \"xavier_agx\", workload = \"lenet5\", figure = \"e2e_s\", from = {}, to "
      "= "
      "{batch = 64}, published = [10, 1]}, {board = \"xavier_agx\", workload = \"lstm\", figure = "
      "\"e2e_s\", from = {}, to = {workers = 0}, published = [10, 1]}]\n");
  expect_nothing_to_run(study);
  const JudgedFinding finding = ask(study).findings.front();
  EXPECT_EQ(finding.verdict, std::nullopt);
  EXPECT_THAT(finding.why, HasSubstr("60 samples are no two minibatches of 64"));
  EXPECT_THAT(finding.why, HasSubstr("Flyball has no set of lstm's study"));
}

// Of both settings of a change one is not run alone; a figure that no sensor tells is not run for.
TEST_F(MeasuredRunsTest, MakeNoneForWhatThisMachineCannotTell) {
  options_.experiment.root = folder_ / "bare";
  const PublishedStudy study = measured_study(
      "change = [{board = \"xavier_agx\", workload = \"lenet5\", figure = \"e2e_s\", from = {}, to "
      "= {governors = true}, published = [10, 11]}, {board = \"xavier_agx\", workload = "
      "\"lenet5\", figure = \"energy_mwh\", from = {}, to = {workers = 0}, published = [10, 1]}]\n"
      "level = [{board = \"xavier_agx\", workload = \"lenet5\", figure = \"gpu_pct\", published = "
      "25}]\n");
  expect_nothing_to_run(study);
  const JudgedFinding finding = ask(study).findings.front();
  EXPECT_TRUE(notes_.empty()) << notes_.front();
  ASSERT_EQ(finding.figures.size(), 3u);
  EXPECT_THAT(finding.figures[0].why, HasSubstr("this machine has no knob for it"));
  EXPECT_THAT(finding.figures[1].why, HasSubstr("power is not available on this machine"));
  EXPECT_THAT(finding.figures[2].why, HasSubstr("no GPU tells its load and clock here"));
}

}  // namespace
}  // namespace flyball
