// A recording process that is killed at a random moment has lost less than a second.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/clock.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "recording/record_reader.h"
#include "recording/record_testing.h"
#include "recording/sampler_recording.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

// Shows the clock itself: what the last kept sample says is when it was read.
SensorPtr clock_sensor(const std::string& name) {
  return function_sensor({.name = name, .unit = "s", .source = "clock"}, [](int64_t now_ns) {
    return Result<double>(static_cast<double>(now_ns) * 1e-9);
  });
}

[[noreturn]] void record_for_ever(const std::filesystem::path& file) {
  SamplerRecording recording(file, sample_info());
  Sampler sampler;
  for (const char* name : {"a", "b", "c", "d"})
    if (!sampler.add(clock_sensor(name), {0.002}, {10}).ok()) ::_exit(1);
  sampler.tell(&recording);
  if (!sampler.start().ok()) ::_exit(1);
  while (!recording.failed()) ::pause();
  ::_exit(1);
}

bool began(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return false;
  auto reader = RecordReader::open(file);
  return reader.ok() && reader->end() > 0;
}

TEST(RecordKill, LosesLessThanASecond) {
  TempFolder folder;
  Random random(20260301);
  double worst_s = 0;
  for (int round = 0; round < 8; ++round) {
    const auto file = folder.path() / ("round" + std::to_string(round) + ".flyrec");
    const pid_t child = ::fork();
    if (child == 0) record_for_ever(file);
    // On a busy machine a process may need a while to begin.
    for (int wait = 0; wait < 1000 && !began(file); ++wait)
      sleep_until_ns(monotonic_ns() + 10'000'000);
    sleep_until_ns(monotonic_ns() + nanoseconds(random.uniform(0.7, 2.0)));
    ::kill(child, SIGKILL);
    const double killed_s = monotonic_s();
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";

    auto reader = RecordReader::open(file);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    EXPECT_EQ(reader->stopped(), "");
    const auto samples = reader->samples(0, reader->end() + 1);
    ASSERT_TRUE(samples.ok());
    EXPECT_TRUE(reader->damaged().empty());
    for (const auto& channel : *samples) {
      ASSERT_FALSE(channel.empty());
      worst_s = std::max(worst_s, killed_s - channel.back().value);
      // Whole up to there: none is missing in between.
      EXPECT_GT(channel.size(), 100 * (channel.back().value - channel.front().value));
    }
  }
  EXPECT_LT(worst_s, 1.0);
  RecordProperty("worst_loss_ms", static_cast<int>(worst_s * 1e3));
}

}  // namespace
}  // namespace flyball
