#include "recording/sampler_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/json_line.h"
#include "recording/flush_loop.h"

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
  double sampling_cpu_s = 0, writing_cpu_s = 0;
  std::vector<int64_t> taken_ns;  ///< up to when samples of each channel were taken
  Status status;
  mutable std::mutex mutex;  ///< guards all above
  std::optional<FlushLoop> loop;

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

  void flush() {
    const int64_t until_ns = monotonic_ns() - settle_ns;
    take(until_ns);
    write(until_ns);
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
  inside_->loop.emplace([inside = inside_.get()] { inside->flush(); });
  return {};
}

void SamplerRecording::end() {
  if (!inside_->loop) return;
  inside_->end_ns = monotonic_ns();  // not when the disk has taken what came before
  inside_->loop->end();
  inside_->writing_cpu_s = inside_->loop->cpu_seconds();
  inside_->loop.reset();
  inside_->sampling_cpu_s = inside_->sampler->cpu_seconds();
  inside_->take(inside_->end_ns);
}

void SamplerRecording::mark(int64_t at_ns, const std::string& name) {
  const std::lock_guard lock(inside_->mutex);
  if (inside_->status.ok() && inside_->recorder)
    inside_->status =
        inside_->recorder->mark(std::max<int64_t>(at_ns - inside_->origin_ns, 0), name);
}

void SamplerRecording::set_runs(std::vector<RecordedRun> runs) {
  const std::lock_guard lock(inside_->mutex);
  inside_->info.runs = std::move(runs);
}

bool SamplerRecording::failed() const {
  const std::lock_guard lock(inside_->mutex);
  return !inside_->status.ok();
}

double SamplerRecording::cpu_seconds() const {
  return inside_->loop ? inside_->loop->cpu_seconds() : inside_->writing_cpu_s;
}

double SamplerRecording::own_cpu_seconds() const {
  return cpu_seconds() + inside_->sampling_cpu_s;
}

Status SamplerRecording::finish(const std::string& stopped) {
  end();
  const std::lock_guard lock(inside_->mutex);
  if (!inside_->recorder)
    return Error{Code::unavailable, "nothing was recorded: this machine shows no sensor", ""};
  FLYBALL_CHECK(inside_->status);
  FLYBALL_CHECK(inside_->recorder->set_fact("own_cpu_s", fmt::format("{}", own_cpu_seconds())));
  FLYBALL_CHECK(inside_->recorder->set_fact("record", json_line(record_info_json(inside_->info))));
  return inside_->recorder->finish(inside_->end_ns - inside_->origin_ns, stopped);
}

}  // namespace flyball
