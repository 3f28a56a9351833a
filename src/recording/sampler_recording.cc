#include "recording/sampler_recording.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "telemetry/sampling/thread_time.h"

namespace flyball {
namespace {

// The reader of a sensor may be about to add a sample whose time has passed.
constexpr int64_t settle_ns = 20'000'000;

}  // namespace

struct SamplerRecording::Inside {
  std::filesystem::path file;
  RecordInfo info;
  std::optional<SampleRecorder> recorder;
  const Sampler* sampler = nullptr;
  int64_t origin_ns = 0, end_ns = 0;
  std::vector<int64_t> taken_ns;  ///< up to when samples of each channel were taken
  Status status;
  mutable std::mutex mutex;  ///< guards all above
  bool stop = false;
  std::mutex stop_mutex;  ///< guards `stop`
  std::condition_variable stopped;
  std::atomic<double> cpu_s{0};
  std::thread thread;

  void take(int64_t until_ns) {
    const std::lock_guard lock(mutex);
    if (!status.ok()) return;
    for (size_t i = 0; i < taken_ns.size(); ++i) {
      std::vector<Sample> samples = sampler->samples(i, taken_ns[i], until_ns);
      if (samples.empty()) continue;
      taken_ns[i] = samples.back().time_ns;
      for (Sample& sample : samples) sample.time_ns -= origin_ns;
      recorder->add(i, samples);
    }
  }

  void write(int64_t until_ns) {
    const std::lock_guard lock(mutex);
    if (status.ok()) status = recorder->flush(until_ns - origin_ns);
  }

  bool wait_until(int64_t deadline_ns) {
    std::unique_lock lock(stop_mutex);
    const std::chrono::nanoseconds left(std::max<int64_t>(deadline_ns - monotonic_ns(), 0));
    return stopped.wait_for(lock, left, [this] { return stop; });
  }

  void run() {
    int64_t next_ns = origin_ns;
    do {
      next_ns = std::max(next_ns + nanoseconds(SampleRecorder::flush_s), monotonic_ns());
      cpu_s.store(thread_cpu_seconds(), std::memory_order_relaxed);
      if (wait_until(next_ns)) return;
      const int64_t until_ns = monotonic_ns() - settle_ns;
      take(until_ns);
      write(until_ns);
    } while (true);
  }
};

SamplerRecording::SamplerRecording(std::filesystem::path file, RecordInfo info)
    : inside_(std::make_unique<Inside>()) {
  inside_->file = std::move(file);
  inside_->info = std::move(info);
}

SamplerRecording::~SamplerRecording() {
  end();
}

Status SamplerRecording::begin(const Sampler& sampler) {
  std::vector<RecordChannel> channels;
  for (size_t i = 0; i < sampler.size(); ++i)
    channels.push_back(record_channel(sampler.info(i), sampler.period_s(i)));
  inside_->sampler = &sampler;
  inside_->info.starts_now();
  inside_->origin_ns = monotonic_ns();
  inside_->taken_ns.assign(channels.size(), inside_->origin_ns);
  FLYBALL_ASSIGN(inside_->recorder,
                 SampleRecorder::create(inside_->file, inside_->info, std::move(channels)));
  inside_->thread = std::thread([this] { inside_->run(); });
  return {};
}

void SamplerRecording::end() {
  if (!inside_->thread.joinable()) return;
  {
    const std::lock_guard lock(inside_->stop_mutex);
    inside_->stop = true;
  }
  inside_->stopped.notify_all();
  inside_->thread.join();
  inside_->end_ns = monotonic_ns();
  inside_->take(inside_->end_ns);
}

void SamplerRecording::mark(int64_t at_ns, const std::string& name) {
  const std::lock_guard lock(inside_->mutex);
  if (inside_->status.ok() && inside_->recorder)
    inside_->status =
        inside_->recorder->mark(std::max<int64_t>(at_ns - inside_->origin_ns, 0), name);
}

bool SamplerRecording::failed() const {
  const std::lock_guard lock(inside_->mutex);
  return !inside_->status.ok();
}

double SamplerRecording::cpu_seconds() const {
  return inside_->cpu_s.load(std::memory_order_relaxed);
}

Status SamplerRecording::finish(const std::string& stopped) {
  end();
  const std::lock_guard lock(inside_->mutex);
  if (!inside_->recorder)
    return Error{Code::unavailable, "nothing was recorded: this machine shows no sensor", ""};
  FLYBALL_CHECK(inside_->status);
  return inside_->recorder->finish(inside_->end_ns - inside_->origin_ns, stopped);
}

}  // namespace flyball
