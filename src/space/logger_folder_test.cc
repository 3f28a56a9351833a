#include "space/logger_folder.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

// In the form of the public logs.
LoggerTexts texts() {
  return {
      .epoch_stats =
          "epoch,time,loss,accuracy,epochtime_ms,log_time\n"
          "0,null,\":\",null,6141.5,9.5\n"
          "0,null,\":\",null,394,9.75\n"
          "1,null,\":\",null,395,10.25\n",
      .fetch =
          "epoch,batch_idx,fetchtime,fetchtime_ms,log_time\n"
          "0,0,null,512,9.4\n0,1,null,16.5,9.7\n1,0,null,16.75,10.2\n1,1,null,12,10.5\n",
      .compute =
          "epoch,batch_idx,computetime,computetime_ms,log_time\n"
          "0,0,null,5628.5,9.4\n0,1,null,376.25,9.7\n1,0,nu",
      .tegrastats =
          "time,jetson_clocks,CPU1,CPU2,CPU3,GPU1,RAM,power cur,power avg,log_time\n"
          "23:41:17,ON,20,60,OFF,0,2146932,7528,13582,0.1\n"
          "23:41:17,ON,20,60,OFF,0,2146932,7528,13582,0.2\n"
          "23:41:18,ON,50,30,OFF,90,2146932,8486,8486,1.0\n",
      .vmtouch_stats =
          "files,directories,resident_pages,resident_pages_size,resident_pages_%,"
          "elapsed,redundant,log_time\n"
          "0,1,0/0,0/0,0.000182,seconds,3.25\n"
          "23080,1,690/2760,2M/10M,25%,0.4,seconds,29\n",
      .io_stats =
          "r/s,w/s,rkB/s,%util,log_time\n"
          "12.5,0,800,40,1.5\n"
          "r/s,rkB/s,w/s,7,450.5,0,2.5\n",
  };
}

std::string complaint(const LoggerTexts& of) {
  const auto run = parse_logger_run(of, "mn_nw4_pf2");
  return run.ok() ? "" : run.error().message;
}

TEST(LoggerFolder, OneRunIsReadOnOneClock) {
  const auto run = parse_logger_run(texts(), "runs/MN_nw4_pf2");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->workers, 4);
  EXPECT_EQ(run->prefetch, 2);
  ASSERT_EQ(run->minibatches.size(), 3u);
  EXPECT_EQ(run->minibatches[0].minibatch_ms, 6141.5);
  EXPECT_EQ(run->minibatches[1].fetch_ms, 16.5);
  EXPECT_EQ(run->minibatches[1].compute_ms, 376.25);
  EXPECT_EQ(run->minibatches[2].epoch, 1);
  EXPECT_EQ(run->minibatches[2].compute_ms, std::nullopt) << "its line was cut off";
  EXPECT_EQ(run->cut_lines, 1u);
  EXPECT_EQ(run->minibatches[2].end_s, 10.25);
  ASSERT_EQ(run->power.size(), 2u) << "a reading told twice counts once";
  EXPECT_EQ(run->power[1].time_s, 1.0);
  EXPECT_EQ(run->power[1].power_w, 8.486);
  EXPECT_EQ(run->power[1].cpu_busy, 40);
  EXPECT_EQ(run->power[1].gpu_busy, 90);
  ASSERT_EQ(run->cache.size(), 2u);
  EXPECT_EQ(run->cache[0].cached, std::nullopt) << "of no pages";
  EXPECT_EQ(run->cache[1].cached, 0.25);
  EXPECT_EQ(run->cache[1].time_s, 29);
  ASSERT_EQ(run->reads.size(), 2u);
  EXPECT_EQ(run->reads[0].read_kb_per_s, 800);
  EXPECT_EQ(run->reads[1].reads_per_s, 7);
  EXPECT_EQ(run->reads[1].read_kb_per_s, 450.5);
}

// All fields are there, but who knows whether the last one is whole: 10.2 would go back in time.
TEST(LoggerFolder, ALineThatWasCutWithinItsLastFieldIsLeftOut) {
  LoggerTexts of = texts();
  of.epoch_stats += "1,null,\":\",null,396,1";
  of.vmtouch_stats += "23080,1,690/2760,2M/10M,25%,0.4,seconds,";
  const auto run = parse_logger_run(of, "runs/MN_nw4_pf2");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->minibatches.size(), 3u);
  EXPECT_EQ(run->cache.size(), 2u);
  EXPECT_EQ(run->cut_lines, 3u);
}

TEST(LoggerFolder, OnlyTheMinibatchesMustBeThere) {
  LoggerTexts alone;
  EXPECT_THAT(complaint(alone), HasSubstr("mn_nw4_pf2_epoch_stats.csv holds no minibatch"));
  alone.epoch_stats = "epoch,epochtime_ms,log_time\n";
  EXPECT_THAT(complaint(alone), HasSubstr("holds no minibatch"));
  EXPECT_EQ(parse_logger_run(alone, "x").error().code, Code::unavailable);
  alone.epoch_stats = texts().epoch_stats;
  EXPECT_EQ(complaint(alone), "");
}

TEST(LoggerFolder, WhatIsNoSuchLogIsRefusedByFileAndLine) {
  LoggerTexts bad = texts();
  bad.epoch_stats = "epoch,epochtime_ms\n0,12\n";
  EXPECT_THAT(complaint(bad), HasSubstr("mn_nw4_pf2_epoch_stats.csv has no column 'log_time'"));
  bad = texts();
  bad.epoch_stats += "1,null,\":\",null,390,10\n";
  EXPECT_THAT(complaint(bad), HasSubstr("epoch_stats.csv:5: column 'log_time': 10 s comes after"));
  bad = texts();
  bad.fetch = "epoch,batch_idx,fetchtime_ms,log_time\n1,0,512,9.4\n";
  EXPECT_THAT(complaint(bad),
              HasSubstr("fetch.csv:2: column 'epoch': is 1 where epoch_stats.csv has 0"));
  bad = texts();
  bad.compute = "epoch,batch_idx,computetime_ms,log_time\n0,0,null,9.4\n";
  EXPECT_THAT(complaint(bad), HasSubstr("compute.csv:2: column 'computetime_ms': 'null' is not"));
  bad = texts();
  bad.tegrastats = "time,power cur,log_time\n23:41:17,-5,0.1\n";
  EXPECT_THAT(complaint(bad), HasSubstr("tegrastats.csv:2: column 'power cur': '-5' is out of"));
  bad = texts();
  bad.vmtouch_stats = "files\n0,1,7/5,0/0,1.5\n";
  EXPECT_THAT(complaint(bad),
              HasSubstr("vmtouch_stats.csv:2: its third field is not RESIDENT/ALL"));
  bad = texts();
  bad.io_stats = "r/s,rkB/s,log_time\n1,x,3\n";
  EXPECT_THAT(complaint(bad), HasSubstr("io_stats.csv:2: it has no number for 'r/s' and 'rkB/s'"));
}

TEST(LoggerFolder, EveryRunOfAFolderIsReadWhateverTheCaseOfItsNames) {
  const TempFolder folder;
  EXPECT_THAT(read_logger_folder(folder.path()).error().message,
              HasSubstr("holds no file *_epoch_stats.csv"));
  ASSERT_TRUE(write_file(folder / "mn_nw0_pf2_Epoch_Stats.csv", texts().epoch_stats));
  ASSERT_TRUE(write_file(folder / "mn_nw0_pf2_fetch.csv", texts().fetch));
  ASSERT_TRUE(write_file(folder / "mn_nw4_pf2_epoch_stats.csv", texts().epoch_stats));
  ASSERT_TRUE(write_file(folder / "notes.txt", "not a log"));
  const auto runs = read_logger_folder(folder.path());
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(runs->front().workers, 0);
  EXPECT_EQ(runs->front().minibatches[0].fetch_ms, 512);
  EXPECT_EQ(runs->back().workers, 4);
  EXPECT_EQ(runs->back().minibatches[0].fetch_ms, std::nullopt);
  // Who asks for no more than a table needs minds no fault in the rest.
  ASSERT_TRUE(write_file(folder / "mn_nw4_pf2_io_stats.csv", "r/s,rkB/s,log_time\n1,x,3\n"));
  EXPECT_FALSE(read_logger_folder(folder.path()).ok());
  const auto parts = read_logger_folder(folder.path(), LoggerParts::minibatches_and_power);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  EXPECT_EQ(parts->front().minibatches[0].fetch_ms, std::nullopt);
}

TEST(LoggerFolder, PublishedLogsAreRead) {
  const char* known = std::getenv("FLYBALL_DATA");
  const std::filesystem::path folder =
      std::filesystem::path(known ? known : FLYBALL_SOURCE_DIR "/../shared/data") / "raw" /
      "orin_nano_run";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const auto runs = read_logger_folder(folder);
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ASSERT_EQ(runs->size(), 1u);
  const LoggerRun& run = runs->front();
  EXPECT_EQ(run.workers, 4);
  EXPECT_NEAR(run.minibatches.at(1).minibatch_ms, 393.9, 0.1);
  EXPECT_NEAR(*run.minibatches.at(1).fetch_ms + *run.minibatches.at(1).compute_ms, 392.8, 0.1);
  EXPECT_GT(run.power.size(), 3u);
  EXPECT_EQ(run.power.front().power_w, 7.528);
  EXPECT_EQ(run.cache.front().cached, std::nullopt);
  EXPECT_EQ(run.reads.front().read_kb_per_s, 0);
}

}  // namespace
}  // namespace flyball
