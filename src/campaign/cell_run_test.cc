// A cell of a board that becomes too hot, by a program that heats a tree of files.
#include "campaign/cell_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/temp_folder.h"
#include "campaign/status.h"
#include "campaign/temperature.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class CellRunTest : public testing::Test {
 protected:
  CellRunTest() {
    EXPECT_TRUE(write_file(zone_ / "type", "cpu-thermal\n").ok());
    heat(50);
  }
  ~CellRunTest() override { std::filesystem::current_path("/"); }

  void heat(int celsius) {
    EXPECT_TRUE(write_file(zone_ / "temp", std::to_string(1000 * celsius) + "\n").ok());
  }

  // Begun for the first time it heats the board until it is asked to end, and cools it then.
  std::filesystem::path program(const std::string& second) {
    const std::filesystem::path place = folder_ / "program", temp = zone_ / "temp";
    const std::string count = (folder_ / "begun").string();
    const std::string script = "#!/bin/bash\n[ \"$1\" = mode ] && exit 0\necho x >>'" + count +
                               "'\n[ $(wc -l <'" + count + "') -gt 1 ] && { " + second + "; }\n" +
                               "echo 90000 >'" + temp.string() + "'\ntrap \"echo 50000 >'" +
                               temp.string() + "'; exit 143\" TERM\nsleep 20 &\nwait\n";
    EXPECT_TRUE(write_file(place, script).ok());
    std::filesystem::permissions(place, std::filesystem::perms::owner_all);
    return place;
  }
  Result<int> run(const std::filesystem::path& program,
                  const std::atomic<bool>* cancelled = nullptr) {
    const std::string text =
        "start_below_c = 60\nstop_above_c = 80\n[[boards]]\nname = \"a\"\ndevice = \"host\"\n"
        "[[questions]]\nname = \"tune\"\noptions = [\"--root\", \"" +
        (folder_ / "tree").string() + "\"]\n";
    campaign_ = parse_campaign(text, folder_ / "c.toml").value();
    cells_ = cells_of(campaign_).value();
    return run_cell(campaign_, cells_, cells_[0], place(),
                    {.program = program, .cancelled = cancelled, .heat_grace_s = 1});
  }
  CampaignFolder place() const { return CampaignFolder::of(campaign_, ""); }

  TempFolder folder_;
  std::filesystem::path zone_ = folder_ / "tree/sys/class/thermal/thermal_zone0";
  Campaign campaign_;
  std::vector<CampaignCell> cells_;
};

TEST_F(CellRunTest, IsStoppedByHeatAndGoesOnWhenItIsCool) {
  const auto code =
      run(program("while [ \"$1\" != --store ]; do shift; done; : >\"$2\"; echo '{}'; exit 0"));
  ASSERT_TRUE(code.ok()) << code.error().message;
  EXPECT_EQ(*code, 0);
  const CellStatus status = cell_status(campaign_, cells_, cells_[0], place());
  EXPECT_EQ(status.state, CellState::done);
  EXPECT_EQ(status.last->heat_stops, 1);
  EXPECT_EQ(status.last->attempts, 1);
}

TEST_F(CellRunTest, WhatDoesNotEndWhenItIsTooHotIsKilled) {
  const std::string temp = (zone_ / "temp").string(), count = (folder_ / "asked").string();
  ASSERT_TRUE(write_file(folder_ / "stubborn",
                         "#!/bin/bash\n[ \"$1\" = mode ] && { echo 50000 >'" + temp +
                             "'; exit 0; }\n" + "echo x >>'" + count + "'\n[ $(wc -l <'" + count +
                             "') -gt 1 ] && exit 3\ntrap '' TERM\necho 90000 >'" + temp +
                             "'\nwhile :; do sleep 0.1; done\n")
                  .ok());
  std::filesystem::permissions(folder_ / "stubborn", std::filesystem::perms::owner_all);
  const Stopwatch since;
  const auto code = run(folder_ / "stubborn");
  ASSERT_TRUE(code.ok()) << code.error().message;
  EXPECT_EQ(*code, 3);
  EXPECT_LT(since.seconds(), 20);
  EXPECT_EQ(cell_status(campaign_, cells_, cells_[0], place()).last->heat_stops, 1);
}

TEST_F(CellRunTest, ABoardThatIsNotPutBackIsNoted) {
  ASSERT_TRUE(
      write_file(folder_ / "stays",
                 "#!/bin/bash\n[ \"$1\" = mode ] && { echo 'flyball: no right' >&2; exit 2; }\n"
                 "while [ \"$1\" != --store ]; do shift; done\n: >\"$2\"\necho '{}'\n")
          .ok());
  std::filesystem::permissions(folder_ / "stays", std::filesystem::perms::owner_all);
  const auto code = run(folder_ / "stays");
  ASSERT_TRUE(code.ok()) << code.error().message;
  EXPECT_EQ(*code, 0);
  const CampaignStatus status = campaign_status(campaign_, cells_, place());
  ASSERT_TRUE(status.states[0].last);
  EXPECT_THAT(status.states[0].last->not_restored, HasSubstr("no right"));
  EXPECT_THAT(status.notes, testing::Contains(HasSubstr("was not put back: ")));
}

TEST_F(CellRunTest, ABoardThatDoesNotCoolDownIsSaid) {
  heat(70);
  const Status cool = wait_until_cool(60, Thermometer(folder_ / "tree"), nullptr, 0.3);
  ASSERT_FALSE(cool.ok());
  EXPECT_THAT(cool.error().message, HasSubstr("stays at 70.0 °C, not below 60 °C"));
  EXPECT_TRUE(wait_until_cool(71, Thermometer(folder_ / "tree"), nullptr, 0.3).ok());
  // No sensor tells.
  EXPECT_TRUE(wait_until_cool(60, Thermometer(folder_ / "none"), nullptr, 0.3).ok());
}

TEST_F(CellRunTest, WhatIsGivenUpIsKeptToo) {
  heat(90);
  const std::atomic<bool> cancelled = true;
  const auto code = run(program("exit 0"), &cancelled);  // while it waits for the board to cool
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().code, Code::interrupted);
  const CellStatus status = cell_status(campaign_, cells_, cells_[0], place());
  EXPECT_EQ(status.state, CellState::interrupted);
  ASSERT_TRUE(status.last);
  EXPECT_EQ(status.last->exit_code, 130);
}

TEST_F(CellRunTest, AReasonIsTheLastErrorOfTheLog) {
  ASSERT_TRUE(run(program("echo '{}'; exit 0")).ok());
  const std::filesystem::path log = place().log(cells_[0]);
  CellStatus failed{.state = CellState::failed, .last = {}, .running_on = ""};
  const auto reason = [&](const std::string& text) {
    EXPECT_TRUE(write_file(log, text).ok());
    return failure_reason(place(), cells_[0], failed);
  };
  const std::string said = "flyball: no sensor\nHINT: plug one in\n";
  EXPECT_EQ(reason("flyball: listening\n" + said + "flyball: put back 3 settings\n"), "no sensor");
  EXPECT_EQ(reason("flyball: put back 3 settings\n"), "");
  EXPECT_EQ(reason("flyball: a\x1b[2Jb\nHINT: c\n"), "");
  EXPECT_EQ(reason(""), "");
  failed.state = CellState::done;
  EXPECT_EQ(reason(said), "");
  // A cell that was run by hand since: its log is another one's.
  failed.state = CellState::failed;
  failed.last = CellResult();
  EXPECT_EQ(reason(said), "no sensor");
  std::filesystem::last_write_time(
      log, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(failure_reason(place(), cells_[0], failed), "");
}

TEST(Campaign, AStoppedCellNeedsATemperatureToGoOnAt) {
  const std::string rest = "[[boards]]\nname = \"a\"\n[[questions]]\nname = \"tune\"\n";
  for (const char* wrong : {"stop_above_c = 80\n", "start_below_c = 80\nstop_above_c = 80\n"}) {
    const auto campaign = parse_campaign(wrong + rest, "c.toml");
    ASSERT_FALSE(campaign.ok());
    EXPECT_THAT(campaign.error().message, HasSubstr("stop_above_c needs a lower start_below_c"));
  }
}

}  // namespace
}  // namespace flyball
