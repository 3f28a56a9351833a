#include "findings/logged_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "findings/judged_findings.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

PublishedStudy logged_study(const std::string& checks) {
  auto study = parse_study(
      "[modes]\nMAXN = []\nslow = [6, 400, 306, 2133]\n[boards]\norin_nano = {mode = \"MAXN\", "
      "storage = "
      "\"ssd\"}\n[[finding]]\nid = \"x\"\nname = \"z\"\nsays = \"y\"\nuse = \"held\"\n" +
          checks,
      "x.toml");
  EXPECT_TRUE(study.ok()) << study.error().message;
  return *study;
}

class LoggedRunsTest : public testing::Test {
 protected:
  /// Two epochs of two minibatches: the first waits `stall_ms` for each, the second a tenth of it.
  void write_run(const std::string& folder, const std::string& prefix, double stall_ms) {
    const auto write = [&](const char* name, const std::string& text) {
      ASSERT_TRUE(write_file(folder_ / folder / (prefix + name), text).ok());
    };
    fs::create_directories(folder_ / folder);
    const auto ms = [](double value) { return std::to_string(value); };
    const double later = stall_ms / 10;
    write("_epoch_stats.csv", "epoch,time,loss,accuracy,epochtime_ms,log_time\n0,null,\":\",null," +
                                  ms(1000 + stall_ms) + ",10\n0,null,\":\",null," +
                                  ms(1000 + stall_ms) + ",20\n1,null,\":\",null," +
                                  ms(1000 + later) + ",30\n1,null,\":\",null," + ms(1000 + later) +
                                  ",40\n");
    write("_fetch.csv", "epoch,batch_idx,fetchtime,fetchtime_ms,log_time\n0,0,null," +
                            ms(stall_ms) + ",9\n0,1,null," + ms(stall_ms) + ",19\n1,0,null," +
                            ms(later) + ",29\n1,1,null," + ms(later) + ",39\n");
    write(
        "_compute.csv",
        "epoch,batch_idx,computetime,computetime_ms,log_time\n0,0,null,1000,10\n0,1,null,1000,20\n"
        "1,0,null,1000,30\n1,1,null,1000,40\n");
    write("_tegrastats.csv",
          "time,jetson_clocks,CPU1,GPU1,power cur,power avg,log_time\n"
          "a,ON,20,50,5000,5000,12\nb,ON,20,100,9000,5000,31\nc,ON,20,98,7000,5000,39\n");
  }
  Result<std::vector<std::unique_ptr<RunSource>>> read(const PublishedStudy& study,
                                                       const std::string& board = "") const {
    return logged_runs(study, {folder_.path()}, board);
  }

  const TempFolder folder_;
};

FindingsAnswer ask_logs(const PublishedStudy& study,
                        const std::vector<std::unique_ptr<RunSource>>& sources) {
  std::vector<RunSource*> boards;
  for (const auto& source : sources) boards.push_back(source.get());
  return *judge_findings(study, boards);
}

TEST_F(LoggedRunsTest, AnswerWhatTheirSettingsAre) {
  write_run("Orin-nano2/MobNet/pm_6_1510400_624750000_2133000000", "mn_nw4_pf2", 100);
  write_run("Orin-nano2/MobNet/pm_6_1510400_624750000_2133000000/w0", "mn_nw0_pf2", 1000);
  const PublishedStudy study = logged_study(
      "change = [{board = \"orin_nano\", workload = \"mobilenet_v3\", figure = \"stall_s\", from = "
      "{epoch = \"first\"}, to = {}, published = [10, 1]}]\n"
      "level = [{board = \"orin_nano\", workload = \"mobilenet_v3\", figure = \"gpu_pct\", "
      "published "
      "= 99}, {board = \"orin_nano\", workload = \"lenet5\", figure = \"gpu_pct\", published = "
      "99}]\n");
  const auto sources = read(study);
  ASSERT_TRUE(sources.ok()) << sources.error().message;
  ASSERT_EQ(sources->size(), 1u);
  EXPECT_EQ(sources->front()->board(), "orin_nano");
  const FindingsAnswer answer = ask_logs(study, *sources);
  const auto& figures = answer.findings.front().figures;
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_NEAR(figures[0].ours->value.value, -90, 1e-9);
  ASSERT_TRUE(figures[1].ours) << figures[1].why;
  EXPECT_NEAR(figures[1].ours->value.value, 99, 1e-9) << "of the second epoch's two readings";
  EXPECT_THAT(figures[2].why, HasSubstr("no logs of lenet5 with 4 workers"));
}

// On which storage the set lay stands in no log.
TEST_F(LoggedRunsTest, OfAnotherStorageThereAreNone) {
  write_run("orin_nano/MobNet/pm_6_1510400_624750000_2133000000", "mn_nw4_pf2", 100);
  const PublishedStudy study = logged_study(
      "change = [{board = \"orin_nano\", workload = \"mobilenet_v3\", figure = \"stall_s\", from = "
      "{storage = \"ssd\"}, to = {storage = \"hdd\"}, published = [10, 20]}]\n");
  const auto sources = read(study);
  ASSERT_TRUE(sources.ok()) << sources.error().message;
  const JudgedFigure figure = ask_logs(study, *sources).findings.front().figures.front();
  EXPECT_FALSE(figure.verdict);
  EXPECT_THAT(figure.why, HasSubstr("its data on another storage (hdd)"));
}

// Of logs under several modes the usual one is what most are of; a mode by name is that one.
TEST_F(LoggedRunsTest, KeepModesApart) {
  write_run("orin_nano/MobNet/pm_6_1510400_624750000_2133000000", "mn_nw4_pf2", 100);
  write_run("orin_nano/MobNet/pm_6_403200_306000000_2133000000", "mn_nw4_pf2", 500);
  const PublishedStudy study = logged_study(
      "change = [{board = \"orin_nano\", workload = \"mobilenet_v3\", figure = \"stall_s\", from = "
      "{mode = \"slow\"}, to = {mode = \"slow\", epoch = \"first\"}, published = [1, 10]}]\n");
  const auto sources = read(study);
  ASSERT_TRUE(sources.ok()) << sources.error().message;
  const JudgedFigure figure = ask_logs(study, *sources).findings.front().figures.front();
  EXPECT_EQ(figure.detail, "0.1 → 1 s");
}

// The highest mode is that of logs, not the first one that there is; a run that ended early is
// none.
TEST_F(LoggedRunsTest, OfTheHighestModeAreThoseOfIt) {
  write_run("orin_nano/MobNet/pm_2_403200_306000000_2133000000", "mn_nw4_pf2", 500);
  write_run("orin_nano/MobNet/pm_6_1510400_624750000_2133000000", "mn_nw4_pf2", 100);
  fs::create_directories(folder_ / "orin_nano/MobNet/pm_4_403200_306000000_2133000000");
  ASSERT_TRUE(write_file(folder_ / "orin_nano/MobNet/pm_4_403200_306000000_2133000000" /
                             "mn_nw4_pf2_epoch_stats.csv",
                         "")
                  .ok());
  const PublishedStudy study = logged_study(
      "change = [{board = \"orin_nano\", workload = \"mobilenet_v3\", figure = \"stall_s\", from = "
      "{epoch = \"first\"}, to = {}, published = [10, 1]}]\n");
  const auto sources = read(study, "xavier_agx");
  ASSERT_TRUE(sources.ok()) << sources.error().message;
  EXPECT_EQ(sources->front()->board(), "orin_nano") << "the folder's own name counts";
  EXPECT_EQ(ask_logs(study, *sources).findings.front().figures.front().detail, "0.2 → 0.02 s");
}

// A cold epoch does not stand for later ones, nor files without a number of workers for none.
TEST_F(LoggedRunsTest, TellNothingThatTheyDoNotHold) {
  write_run("orin_nano/MobNet/pm_6_1510400_624750000_2133000000", "mn_pf2", 100);
  const PublishedStudy study = logged_study(
      "level = [{board = \"orin_nano\", workload = \"mobilenet_v3\", at = {workers = 0}, figure = "
      "\"gpu_pct\", published = 99}]\n");
  const auto sources = read(study);
  ASSERT_TRUE(sources.ok()) << sources.error().message;
  EXPECT_THAT(ask_logs(study, *sources).findings.front().why, HasSubstr("there are no logs"));
}

TEST_F(LoggedRunsTest, OfABoardThatDoesNothingThereAreNone) {
  write_run("orin_nano/MobNet/pm_6_1510400_624750000_2133000000", "mn_nw4_pf2", 100);
  const PublishedStudy study = logged_study(
      "level = [{board = \"orin_nano\", at = {state = \"pinned\"}, figure = \"plug_w\", published "
      "= "
      "6.9}]\n");
  const auto sources = read(study);
  ASSERT_TRUE(sources.ok()) << sources.error().message;
  EXPECT_EQ(ask_logs(study, *sources).findings.front().why,
            "there are no logs of a board that does nothing");
}

TEST_F(LoggedRunsTest, AreRefusedByName) {
  const PublishedStudy study = logged_study(
      "level = [{board = \"orin_nano\", workload = \"lenet5\", figure = \"gpu_pct\", published = "
      "99}]\n");
  EXPECT_THAT(read(study).error().message, HasSubstr("has no logs"));
  write_run("MobNet", "mn_nw4_pf2", 100);
  EXPECT_THAT(read(study).error().message, HasSubstr("do not say which board"));
  EXPECT_EQ(read(study, "orin_nano")->size(), 1u);
  EXPECT_THAT(read(study, "bogus").error().message, HasSubstr("no finding knows 'bogus'"));
  EXPECT_THAT(read(study, "bogus").error().hint, HasSubstr("xavier_agx"));
  write_run("other", "mn_nw4_pf2", 100);
  EXPECT_THAT(read(study, "orin_nano").error().message, HasSubstr("do not say which network"));
}

}  // namespace
}  // namespace flyball
