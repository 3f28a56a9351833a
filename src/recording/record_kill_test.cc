// A recording process that is killed at a random moment has lost less than a second.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

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

struct Recording {
  std::filesystem::path file;
  pid_t process = 0;
  double lives_s = 0;   ///< after its first samples are in the file
  double killed_s = 0;  ///< when
};

void kill_when_due(Recording& recording, int64_t begin_ns) {
  sleep_until_ns(begin_ns + nanoseconds(recording.lives_s));
  ::kill(recording.process, SIGKILL);
  recording.killed_s = monotonic_s();
  int status = 0;
  ASSERT_EQ(::waitpid(recording.process, &status, 0), recording.process);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
}

// Returns what was lost, in s.
double loss_of(const Recording& recording) {
  auto reader = RecordReader::open(recording.file);
  EXPECT_TRUE(reader.ok()) << reader.error().message;
  if (!reader) return 1e9;
  EXPECT_EQ(reader->stopped(), "");
  const auto samples = reader->samples(0, reader->end() + 1);
  EXPECT_TRUE(samples.ok());
  EXPECT_TRUE(reader->damaged().empty());
  double worst_s = 0;
  for (const auto& channel : *samples) {
    EXPECT_FALSE(channel.empty());
    if (channel.empty()) return 1e9;
    worst_s = std::max(worst_s, recording.killed_s - channel.back().value);
    // Whole up to there: none is missing in between.
    EXPECT_GT(channel.size(), 100 * (channel.back().value - channel.front().value));
  }
  return worst_s;
}

// Four at a time, each killed at a moment of its own.
TEST(RecordKill, LosesLessThanASecond) {
  TempFolder folder;
  Random random(20260301);
  double worst_s = 0;
  for (int round = 0; round < 2; ++round) {
    std::vector<Recording> all(4);
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].file = folder.path() / fmt::format("{}-{}.flyrec", round, i);
      all[i].lives_s = random.uniform(0.7, 2.0);
      all[i].process = ::fork();
      if (all[i].process == 0) record_for_ever(all[i].file);
    }
    std::ranges::sort(all, {}, &Recording::lives_s);
    // On a busy machine a process may need a while to begin.
    for (const Recording& one : all)
      for (int wait = 0; wait < 1000 && !began(one.file); ++wait)
        sleep_until_ns(monotonic_ns() + 10'000'000);
    const int64_t begin_ns = monotonic_ns();
    for (Recording& one : all) kill_when_due(one, begin_ns);
    for (const Recording& one : all) worst_s = std::max(worst_s, loss_of(one));
  }
  EXPECT_LT(worst_s, 1.0);
  RecordProperty("worst_loss_ms", static_cast<int>(worst_s * 1e3));
}

}  // namespace
}  // namespace flyball
