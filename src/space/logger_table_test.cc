#include "space/logger_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A run of 20 minibatches after a first one of 6 s; power settles from 5 to 10 W in 2 s.
void write_logged_mode(const std::filesystem::path& folder, double ms, size_t minibatches = 20) {
  std::string epochs = "epoch,time,loss,accuracy,epochtime_ms,log_time\n";
  epochs += "0,null,\":\",null,6000,6\n";
  double now_s = 6;
  for (size_t i = 0; i < minibatches; ++i) {
    now_s += ms / 1e3;
    epochs += fmt::format("0,null,\":\",null,{},{}\n", i % 2 == 0 ? ms + 1 : ms - 1, now_s);
  }
  std::string power = "time,power cur,power avg,log_time\n";
  for (double at = 0.5; at < now_s + 2; at += 0.5)
    power += fmt::format("{},{},1,{}\n", at, at < 8 || at > now_s ? 5000 : 10000, at);
  ASSERT_TRUE(write_file(folder / "mn_nw4_pf2_epoch_stats.csv", epochs));
  ASSERT_TRUE(write_file(folder / "mn_nw4_pf2_tegrastats.csv", power));
}

ImportMap map_of(const std::vector<std::string>& clauses) {
  return parse_import_map(clauses).value();
}

TEST(LoggerTable, EachFolderOfAModeIsARow) {
  const TempFolder folder;
  const auto runs = folder.path() / "Orin-nano2" / "runs" / "MobNet";
  write_logged_mode(runs / "pm_6_1510400_624750000_3199000000", 400);
  write_logged_mode(runs / "pm_2_806400_306000000_2133000000", 900);
  write_logged_mode(runs / "pm_4_806400_306000000_2133000000", 900, 0);
  ASSERT_TRUE(write_file(runs / "readme.txt", "not a mode"));
  std::filesystem::create_directories(runs / "pm_2_806400_306000000_3199000000");
  ASSERT_TRUE(write_file(runs / "pm_4_806400_306000000_3199000000" / "mn_nw4_epoch_stats.csv", ""));
  const auto imported = import_logged_modes(runs, {});
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(
      format_table(imported->table.workloads),
      "device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w\n"
      "orin_nano,mobilenet_v3,train,16,2,806.4,306,2133,900,10\n"
      "orin_nano,mobilenet_v3,train,16,6,1510.4,624.75,3199,400,10\n");
  EXPECT_THAT(imported->notes,
              ElementsAre("3 modes without a second minibatch or without power are left out"));
  const auto named = import_logged_modes(runs, map_of({"device==mine", "batch_size==32"}));
  ASSERT_TRUE(named.ok()) << named.error().message;
  EXPECT_EQ(named->table.workloads.front().title(), "mobilenet_v3 train on mine");
}

TEST(LoggerTable, WhatIsNoneIsRefusedInOneLine) {
  const TempFolder folder;
  const auto complaint = [&](const std::filesystem::path& of) {
    const auto imported = import_logged_modes(of, map_of({"device==nano"}));
    return imported.ok() ? "" : imported.error().message;
  };
  EXPECT_THAT(complaint(folder.path()), HasSubstr("holds no folder pm_*"));
  const auto mine = folder.path() / "mine";
  write_logged_mode(mine / "pm_6_1510400_624750000_3199000000", 400, 0);
  EXPECT_THAT(complaint(mine), HasSubstr("its name does not say the workload"));
  const auto runs = folder.path() / "ResNet";
  write_logged_mode(runs / "pm_6_1510400_624750000_3199000000", 400, 0);
  EXPECT_THAT(complaint(runs), HasSubstr("holds no measured mode"));
  // Of a folder above them: those that could be imported are named.
  const auto above = import_logged_modes(folder.path(), map_of({"device==nano"}));
  ASSERT_FALSE(above.ok());
  EXPECT_EQ(above.error().hint,
            "import these below it one by one: " + runs.string() + ", " + mine.string());
  write_logged_mode(runs / "pm_6_1510400_624750000", 400);
  EXPECT_THAT(complaint(runs), HasSubstr("pm_6_1510400_624750000 is no power mode"));
  std::filesystem::remove_all(runs / "pm_6_1510400_624750000");
  ASSERT_TRUE(write_file(runs / "pm_2_1_1_1" / "mn_nw4_pf2_epoch_stats.csv", "epoch,ms\n"));
  EXPECT_THAT(complaint(runs), HasSubstr("pm_2_1_1_1/mn_nw4_pf2_epoch_stats.csv has no column"));
  std::filesystem::remove_all(runs / "pm_2_1_1_1");
  ASSERT_TRUE(write_file(runs / "pm_6_1510400_624750000_3199000000" / "mn_nw0_epoch_stats.csv",
                         "epoch,epochtime_ms,log_time\n0,1,1\n"));
  EXPECT_THAT(complaint(runs), HasSubstr("holds 2 runs"));
}

TEST(LoggerTable, PowerCountsOnceItHasSettledAndWhileItRuns) {
  LoggerRun run;
  for (const double end_s : {5.0, 8.0, 11.0, 14.0}) {
    LoggedMinibatch one;
    one.minibatch_ms = end_s == 5 ? 5000 : 3000;
    one.end_s = end_s;
    run.minibatches.push_back(one);
  }
  EXPECT_EQ(logged_figures(run)->power_w, std::nullopt);
  for (const double at : {1.0, 6.0, 9.0, 10.0, 13.0, 20.0}) {
    LoggedPower reading;
    reading.time_s = at;
    reading.power_w = at;
    run.power.push_back(reading);
  }
  EXPECT_EQ(logged_figures(run)->minibatch_ms, 3000);
  EXPECT_NEAR(*logged_figures(run)->power_w, (9 + 10 + 13) / 3.0, 1e-9);
  run.minibatches.resize(3);  // a short run: what there is since it was warm
  EXPECT_NEAR(*logged_figures(run)->power_w, (6 + 9 + 10) / 3.0, 1e-9);
  run.minibatches.resize(1);
  EXPECT_FALSE(logged_figures(run).has_value());
}

}  // namespace
}  // namespace flyball
