#include "telemetry/sensors/proc_parse.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(ProcParse, ReadsAStatLineWithAWickedName) {
  const auto stat = parse_pid_stat(
      "4711 (a) b (c) S 12 4700 4700 0 -1 4194560 1000 20 3 0 150 50 7 3 20 0 9 0 12345 "
      "1000000 250 18446744073709551615\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 4711);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 12);
  EXPECT_EQ(stat->group, 4700);
  EXPECT_EQ(stat->user, 150u);
  EXPECT_EQ(stat->system, 50u);
  EXPECT_EQ(stat->children_user, 7u);
  EXPECT_EQ(stat->children_system, 3u);
  EXPECT_EQ(stat->threads, 9);
  EXPECT_EQ(stat->faults, 1023u);
}

TEST(ProcParse, RefusesWhatIsNoStatLine) {
  for (const char* text : {"", "1 (x", "1 x) S 1", ")(", "1 (x) SS 1 2", "1 (x) S", "x (y) S 1 2",
                           "1 (x) S 1 1 0 0 0 0 0 0 0 0 1 1 1 1 20 0 -9 0 1",
                           "-1 (x) S 1 1 0 0 0 0 0 0 0 0 1 1 1 1 20 0 9 0 1"})
    EXPECT_FALSE(parse_pid_stat(text)) << text;
}

TEST(ProcParse, ReadsIo) {
  const auto io = parse_pid_io(
      "rchar: 6976\nwchar: 12\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\nwrite_bytes: 8192\n"
      "cancelled_write_bytes: 5\n");
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read_chars, 6976u);
  EXPECT_EQ(io->write_chars, 12u);
  EXPECT_EQ(io->read_bytes, 4096u);
  EXPECT_EQ(io->write_bytes, 8192u);
  EXPECT_FALSE(parse_pid_io("rchar: 1\n"));
  EXPECT_FALSE(parse_pid_io("rchar: x\nwchar: 1\nread_bytes: 1\nwrite_bytes: 1\n"));
}

TEST(ProcParse, ReadsStatm) {
  EXPECT_EQ(parse_statm_resident("100 25 3 4 0 5 0\n", 4096), 25u * 4096);
  EXPECT_FALSE(parse_statm_resident("100\n", 4096));
  EXPECT_FALSE(parse_statm_resident("", 4096));
}

TEST(ProcParse, TellsTheTotalFromOneCore) {
  const std::string_view text =
      "cpu  100 5 50 800 40 3 2 7 0 0\ncpu0 60 5 20 400 10 3 2 0 0 0\ncpu10 1 1 1 1 1 1 1 0 0 0\n"
      "intr 12345\n";
  EXPECT_EQ(parse_cpu_ticks(text, "cpu")->busy, 160u);
  EXPECT_EQ(parse_cpu_ticks(text, "cpu")->idle, 840u);
  EXPECT_EQ(parse_cpu_ticks(text, "cpu0")->busy, 90u);
  EXPECT_FALSE(parse_cpu_ticks(text, "cpu1"));
}

TEST(ProcParse, ReadsKilobyteLines) {
  const std::string_view text = "MemTotal:       24684092 kB\nMemFree:  1 kB\nMem: 5 kB\n";
  EXPECT_EQ(parse_kb_line(text, "MemTotal"), uint64_t{24684092} * 1024);
  EXPECT_EQ(parse_kb_line(text, "Mem"), 5u * 1024);
  EXPECT_FALSE(parse_kb_line(text, "SwapTotal"));
}

TEST(ProcParse, ReadsOneDiskAndNotItsPartition) {
  const std::string_view text =
      " 259       0 nvme0n1 10 1 2048 9 5 2 4096 8 0 77 17 0 0 0 0 0 0\n"
      " 259       1 nvme0n1p1 1 1 1 1 1 1 1 1 0 1 1\n";
  const auto disk = parse_diskstats(text, "nvme0n1");
  ASSERT_TRUE(disk);
  EXPECT_EQ(disk->reads, 10u);
  EXPECT_EQ(disk->read_bytes, 2048u * 512);
  EXPECT_EQ(disk->writes, 5u);
  EXPECT_EQ(disk->write_bytes, 4096u * 512);
  EXPECT_EQ(disk->busy_ms, 77u);
  EXPECT_FALSE(parse_diskstats(text, "sda"));
}

TEST(ProcParse, ReadsPressureAndVmstat) {
  const std::string_view text =
      "some avg10=1.91 avg60=33.22 avg300=54.74 total=963546953\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=12\n";
  EXPECT_EQ(parse_pressure(text, "some"), 963546953u);
  EXPECT_EQ(parse_pressure(text, "full"), 12u);
  EXPECT_FALSE(parse_pressure("some avg10=1\n", "some"));
  EXPECT_EQ(parse_vmstat("pswpin 5\npswpout 9\n", "pswpout"), 9u);
  EXPECT_FALSE(parse_vmstat("pswpin 5\n", "pswp"));
}

}  // namespace
}  // namespace flyball
