#include "recording/simulated_record.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/os/temp_folder.h"
#include "recording/record_reader.h"
#include "recording/record_testing.h"

namespace flyball {
namespace {

// At 2.5 Hz no whole second but every other one is a multiple of the interval.
TEST(SimulatedRecord, WhatIsReadOnceASecondIsReadEverySecondAtAnyRate) {
  const auto board = find_twin_board("orin_nano");
  ASSERT_TRUE(board.ok()) << board.error().message;
  for (const double rate_hz : {2.5, 3.3, 100.0}) {
    const TempFolder folder;
    const auto file = folder.path() / "a.flyrec";
    auto recorder =
        SampleRecorder::create(file, sample_info(), simulated_channels(*board, rate_hz));
    ASSERT_TRUE(recorder.ok()) << recorder.error().message;
    const auto seconds =
        simulate_record(*board, {.seconds = 150, .rate_hz = rate_hz, .mode = {}}, *recorder);
    ASSERT_TRUE(seconds.ok()) << seconds.error().message;
    ASSERT_TRUE(recorder->finish(150'000'000'000, "duration").ok());
    auto reader = RecordReader::open(file);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    const auto samples = reader->samples(0, reader->end() + 1);
    ASSERT_TRUE(samples.ok());
    const auto slow = std::ranges::find(reader->channels(), "cpu_mhz",
                                        [](const auto& channel) { return channel.info.name; });
    ASSERT_NE(slow, reader->channels().end());
    const auto& clocks = (*samples)[static_cast<size_t>(slow - reader->channels().begin())];
    ASSERT_EQ(clocks.size(), 151u) << rate_hz;
    for (size_t i = 0; i < clocks.size(); ++i)
      EXPECT_EQ(clocks[i].time_ns, static_cast<int64_t>(i) * 1'000'000'000) << rate_hz;
  }
}

}  // namespace
}  // namespace flyball
