// What goes into a record comes out of it: at once, as long blocks, by second and by minute.
#include "recording/sample_recorder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "recording/record_csv.h"
#include "recording/record_json.h"
#include "recording/record_reader.h"
#include "recording/record_testing.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Between one flush and the next of what lasts long: each waits for the disk.
constexpr double each_s = 10;

class SampleRecorderTest : public ::testing::Test {
 protected:
  SampleRecorder create(uint64_t most_bytes = uint64_t{64} << 20) {
    auto recorder = SampleRecorder::create(file_, sample_info(most_bytes), sample_channels());
    EXPECT_TRUE(recorder.ok()) << recorder.error().message;
    return *std::move(recorder);
  }
  RecordReader read() const {
    auto reader = RecordReader::open(file_);
    EXPECT_TRUE(reader.ok()) << reader.error().message;
    return *std::move(reader);
  }
  // Samples of power from one second on, each as it was written.
  static void expect_watts(const std::vector<Sample>& samples, double from_s, size_t count) {
    ASSERT_EQ(samples.size(), count);
    for (size_t i = 0; i < samples.size(); ++i) {
      const double at_s = from_s + static_cast<double>(i) / 100;
      EXPECT_NEAR(static_cast<double>(samples[i].time_ns) * 1e-9, at_s, 1e-4);
      EXPECT_NEAR(samples[i].value, sample_watts(at_s), 1e-9);
    }
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "a.flyrec";
};

TEST_F(SampleRecorderTest, AFlushedSampleIsReadWhileTheRecordGoesOn) {
  SampleRecorder recorder = create();
  ASSERT_TRUE(write_samples(recorder, 0, 3).ok());
  RecordReader reader = read();
  EXPECT_EQ(reader.stopped(), "");
  EXPECT_EQ(reader.end(), 3 * ticks_per_s);
  const auto samples = reader.samples(0, reader.end());
  ASSERT_TRUE(samples.ok());
  expect_watts((*samples)[0], 0, 300);
  EXPECT_EQ((*samples)[2].size(), 3u);
}

// What is behind a long block is in a small one, which begins where its samples do.
TEST_F(SampleRecorderTest, WhatFollowsALongBlockIsFoundBeforeTheRecordIsClosed) {
  SampleRecorder recorder = create();
  ASSERT_TRUE(write_samples(recorder, 0, 60, each_s).ok());
  ASSERT_TRUE(write_samples(recorder, 60, 63).ok());
  RecordReader reader = read();
  const auto samples = reader.samples(60 * ticks_per_s, 61 * ticks_per_s);
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ((*samples)[0].size(), 100u);
  EXPECT_EQ((*samples)[2].size(), 1u);
  const auto figures = record_figures(reader, 60 * ticks_per_s, 61 * ticks_per_s);
  ASSERT_TRUE(figures.ok());
  EXPECT_NEAR(figures->channels[1].energy_j, 20, 0.02);
}

TEST_F(SampleRecorderTest, LongBlocksHoldWhatSmallOnesDid) {
  SampleRecorder recorder = create();
  ASSERT_TRUE(write_samples(recorder, 0, 1300, each_s).ok());
  ASSERT_TRUE(recorder.mark(1'000'000'000, "begin").ok());
  ASSERT_TRUE(recorder.finish(1'300'000'000'000, "duration").ok());
  RecordReader reader = read();
  EXPECT_EQ(reader.stopped(), "duration");
  EXPECT_EQ(reader.end(), 1300 * ticks_per_s);
  const auto samples = reader.samples(0, reader.end());
  ASSERT_TRUE(samples.ok());
  expect_watts((*samples)[0], 0, 130'000);
  EXPECT_EQ((*samples)[2].size(), 1300u);
  ASSERT_EQ(reader.marks().size(), 1u);
  EXPECT_EQ(reader.marks()[0].tick, ticks_per_s);
  EXPECT_THAT(reader.damaged(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(file_.string() + "-wal"));
}

TEST_F(SampleRecorderTest, SummariesCoverTheirTimeOnceAndHoldTheEnergy) {
  SampleRecorder recorder = create();
  ASSERT_TRUE(write_samples(recorder, 0, 1310, each_s).ok());
  ASSERT_TRUE(recorder.finish(1'310'000'000'000, "duration").ok());
  RecordReader reader = read();
  for (const int64_t width : {ticks_per_s / 2, ticks_per_s, 5 * ticks_per_s, 60 * ticks_per_s}) {
    const auto all = reader.summaries(0, reader.end(), width);
    ASSERT_TRUE(all.ok());
    double energy_j = 0, counted_j = 0, covered_s = 0;
    int64_t last = -1;
    for (const RecordSummary& one : (*all)[0]) {
      EXPECT_GT(one.begin, last);
      last = one.begin;
      energy_j += one.mean * one.covered_s;
      covered_s += one.covered_s;
      EXPECT_LE(one.least, one.mean + 1e-3);
      EXPECT_GE(one.most, one.mean - 1e-3);
    }
    for (const RecordSummary& one : (*all)[1]) counted_j += one.mean * one.covered_s;
    EXPECT_NEAR(covered_s, 1310, 0.02) << width;
    // Whole waves are 10 W in the mean; the last 50 s are not whole.
    EXPECT_NEAR(energy_j,
                13100 + 5 * 60 / (2 * 3.14159265) * (1 - std::cos(50.0 / 60 * 2 * 3.14159265)), 2)
        << width;
    EXPECT_NEAR(counted_j, 20 * 1310, 0.5) << width;
    EXPECT_EQ((*all)[2].size(),
              static_cast<size_t>((1310 * ticks_per_s + std::max(width, ticks_per_s) - 1) /
                                  std::max(width, ticks_per_s)));
  }
}

TEST_F(SampleRecorderTest, AGapIsStatedAndNotFilled) {
  SampleRecorder recorder = create();
  ASSERT_TRUE(write_samples(recorder, 0, 70).ok());
  ASSERT_TRUE(write_samples(recorder, 100, 130).ok());
  ASSERT_TRUE(recorder.finish(130'000'000'000, "duration").ok());
  RecordReader reader = read();
  const auto figures = record_figures(reader, 0, reader.end());
  ASSERT_TRUE(figures.ok());
  EXPECT_NEAR(figures->channels[0].covered_s, 100, 0.1);
  EXPECT_NEAR(figures->channels[0].gap_s, 30, 0.1);
  EXPECT_NEAR(figures->channels[0].energy_j, figures->channels[0].mean * 100, 1);
}

// The parts of a total are not known at the same times: its figures are of those of both.
TEST_F(SampleRecorderTest, ATotalIsOfTheTimeInWhichAllItsPartsAreKnown) {
  const auto rail = [](const char* name) {
    return record_channel({.name = name,
                           .unit = "W",
                           .kind = SensorKind::power,
                           .source = "ina3221",
                           .total = "module",
                           .period_s = 0.01},
                          0.01);
  };
  auto recorder = SampleRecorder::create(file_, sample_info(), {rail("a"), rail("b")});
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  std::vector<Sample> a, b;
  for (int64_t i = 0; i <= 10'000; ++i) {
    if (i >= 2000 && i <= 4000) a.push_back({i * 10'000'000, 10});
    if (i <= 3000 || i >= 9000) b.push_back({i * 10'000'000, 5});
  }
  recorder->add(0, a);
  recorder->add(1, b);
  ASSERT_TRUE(recorder->finish(100'000'000'000, "duration").ok());
  RecordReader reader = read();
  const auto json = record_json(reader);
  ASSERT_TRUE(json.ok());
  const Json& total = (*json)["totals"][0];
  EXPECT_NEAR(total["covered_s"].get<double>(), 10, 0.1);
  EXPECT_NEAR(total["gap_s"].get<double>(), 90, 0.1);
  EXPECT_NEAR(total["mean_w"].get<double>(), 15, 1e-6);
  EXPECT_NEAR(total["energy_j"].get<double>(), 15 * total["covered_s"].get<double>(), 1e-6);
}

TEST_F(SampleRecorderTest, OverItsBoundTheOldestSamplesBecomeSecondsAndItSaysSo) {
  constexpr uint64_t most = uint64_t{4} << 20;
  SampleRecorder recorder = create(most);
  // Noise, which does not deflate: a minute is written in one step.
  constexpr int minutes = 250;
  Random random(1);
  std::vector<Sample> noise;
  for (int minute = 0; minute < minutes; ++minute) {
    noise.clear();
    for (int64_t i = 0; i < 6000; ++i)
      noise.push_back({static_cast<int64_t>(minute) * 60'000'000'000 + i * 10'000'000,
                       1e-3 * static_cast<double>(random.below(1'000'000'000))});
    recorder.add(0, noise);
    ASSERT_TRUE(recorder.flush(static_cast<int64_t>(minute + 1) * 60'000'000'000, false).ok());
  }
  ASSERT_TRUE(recorder.finish(int64_t{minutes} * 60'000'000'000, "duration").ok());
  EXPECT_LE(std::filesystem::file_size(file_), most);
  RecordReader reader = read();
  EXPECT_GT(reader.samples_since(), 60 * 60 * ticks_per_s);
  EXPECT_LT(reader.samples_since(), reader.end());
  const auto all = reader.summaries(0, reader.end(), ticks_per_s / 10);
  ASSERT_TRUE(all.ok());
  double covered_s = 0;
  for (const RecordSummary& one : (*all)[0]) covered_s += one.covered_s;
  EXPECT_NEAR(covered_s, minutes * 60, 1);
  const auto json = record_json(reader);
  ASSERT_TRUE(json.ok());
  EXPECT_GT((*json)["thinned"]["samples_since_s"].get<double>(), 0);
  size_t rows = 0;
  std::string first;
  const auto keep = [&](const std::string& text) {
    if (first.size() < 4096) first += text;
    return Status();
  };
  const auto counted = record_csv(reader, 0, 60 * ticks_per_s, keep);
  ASSERT_TRUE(counted.ok());
  rows = *counted;
  EXPECT_EQ(rows, 3u * 60);
  EXPECT_THAT(first, HasSubstr(",mean\n"));
}

// So many rails that values by second do not fit, either: no energy is lost by it.
TEST_F(SampleRecorderTest, OverItsBoundTheOldestSecondsBecomeMinutesOfTheSameEnergy) {
  constexpr uint64_t most = uint64_t{4} << 20;
  constexpr size_t rails = 100;
  constexpr int64_t minutes = 120, per_minute = 150, every_ns = 400'000'000;
  std::vector<RecordChannel> channels;
  for (size_t i = 0; i < rails; ++i)
    channels.push_back(record_channel(
        {.name = fmt::format("rail {}", i), .unit = "W", .kind = SensorKind::power}, 0.4));
  channels.push_back(record_channel({.name = "temp", .unit = "C", .source = "proc"}, 1));
  auto recorder = SampleRecorder::create(file_, sample_info(most), channels);
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  Random random(1);
  std::vector<double> first_rail;
  for (int64_t minute = 0; minute < minutes; ++minute) {
    const int64_t begin_ns = minute * 60'000'000'000;
    for (size_t rail = 0; rail < rails; ++rail) {
      std::vector<Sample> noise;
      for (int64_t i = 0; i < per_minute; ++i)
        noise.push_back(
            {begin_ns + i * every_ns, 1e-3 * static_cast<double>(random.below(50'000))});
      if (rail == 0)
        for (const Sample& one : noise) first_rail.push_back(one.value);
      recorder->add(rail, noise);
    }
    std::vector<Sample> celsius;
    for (int64_t i = 0; i < 60; ++i)
      celsius.push_back({begin_ns + i * 1'000'000'000, static_cast<double>(random.below(90))});
    recorder->add(rails, celsius);
    ASSERT_TRUE(recorder->flush(begin_ns + 60'000'000'000, false).ok());
  }
  ASSERT_TRUE(recorder->finish(minutes * 60'000'000'000, "duration").ok());
  EXPECT_LE(std::filesystem::file_size(file_), most);
  RecordReader reader = read();
  EXPECT_GT(reader.seconds_since(), 0);
  EXPECT_GT(reader.slow_since(), 0);
  EXPECT_GE(reader.samples_since(), reader.seconds_since());
  EXPECT_LE(reader.seconds_since(), reader.end() - 20 * minute_ticks);
  const auto kept = reader.summaries(0, reader.end(), minute_ticks);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  ASSERT_EQ((*kept)[0].size(), static_cast<size_t>(minutes));
  for (size_t minute = 0; minute + 1 < (*kept)[0].size(); ++minute) {
    const RecordSummary& one = (*kept)[0][minute];
    double joules = 0;
    for (size_t i = minute * per_minute; i < (minute + 1) * per_minute; ++i)
      joules += (first_rail[i] + first_rail[i + 1]) / 2 * 0.4;
    EXPECT_NEAR(one.mean * one.covered_s, joules, 1e-3 * joules) << minute;
  }
}

TEST_F(SampleRecorderTest, ADamagedBlockIsNamedAndTheRestIsRead) {
  SampleRecorder recorder = create();
  ASSERT_TRUE(write_samples(recorder, 0, 1300, each_s).ok());
  ASSERT_TRUE(recorder.finish(1'300'000'000'000, "duration").ok());
  // A block longer than a page lies in pages of its own: one byte in the middle of the file.
  const auto size = std::filesystem::file_size(file_);
  size_t found = 0;
  for (uint64_t at = size / 8; at < size; at += size / 8) {
    std::fstream bytes(file_, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(at));
    const auto before = static_cast<char>(bytes.get());
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(static_cast<char>(before ^ 0x40));
    bytes.close();
    if (auto reader = RecordReader::open(file_); reader.ok()) {
      const auto samples = reader->samples(0, reader->end());
      if (samples.ok() && !reader->damaged().empty()) {
        EXPECT_THAT(reader->damaged()[0], HasSubstr("block "));
        // Nearly all is read, but where the page was one that leads to others.
        if ((*samples)[0].size() > 100'000) ++found;
      }
    }
    std::fstream again(file_, std::ios::in | std::ios::out | std::ios::binary);
    again.seekp(static_cast<std::streamoff>(at));
    again.put(before);
  }
  EXPECT_GE(found, 3u);
}

TEST_F(SampleRecorderTest, AFileThatIsThereIsNotWrittenOver) {
  std::ofstream(file_) << "mine";
  const auto recorder = SampleRecorder::create(file_, sample_info(), sample_channels());
  ASSERT_FALSE(recorder.ok());
  EXPECT_THAT(recorder.error().message, HasSubstr("there already"));
  const auto reader = RecordReader::open(file_);
  ASSERT_FALSE(reader.ok());
  EXPECT_THAT(reader.error().message, HasSubstr("is no record"));
}

}  // namespace
}  // namespace flyball
