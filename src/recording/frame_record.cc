#include "recording/frame_record.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "recording/flush_loop.h"
#include "recording/sample_recorder.h"

namespace flyball {
namespace {

// One value of a frame, as a sensor's.
struct FrameValue {
  SensorInfo sensor;
  std::optional<double> value;
};

std::vector<FrameValue> rails_of(const BoardFrame& frame) {
  std::vector<FrameValue> values;
  for (const RailFrame& rail : frame.rails)
    values.push_back({{.name = rail.name,
                       .unit = "W",
                       .kind = SensorKind::power,
                       .source = "monitor",
                       .total = rail.in_total ? frame.total : ""},
                      rail.power_w});
  return values;
}

// By the names that the same sensors have in a record of `flyball record`.
std::vector<FrameValue> values_of(const BoardFrame& frame) {
  std::vector<FrameValue> values = rails_of(frame);
  const auto add = [&](std::string name, const char* unit, std::optional<double> value,
                       SensorKind kind = SensorKind::gauge) {
    values.push_back(
        {{.name = std::move(name), .unit = unit, .kind = kind, .source = "monitor"}, value});
  };
  for (const ClockFrame& clock : frame.clocks) add(clock.name + "_mhz", "MHz", clock.seen_mhz);
  for (const auto& [axis, cap] : frame.mode.caps.values)
    add(cap_name(axis), axis.ends_with("_mhz") ? "MHz" : axis.ends_with("_w") ? "W" : "1", cap);
  for (const TemperatureFrame& zone : frame.temperatures)
    add("temp:" + zone.name, "C", zone.celsius);
  for (size_t core = 0; core < frame.cores.size(); ++core)
    add(fmt::format("cpu{}_busy", core), "1", frame.cores[core]);
  if (frame.gpu_busy) add("gpu_busy", "%", 100 * *frame.gpu_busy);
  if (frame.throttled) add("throttled", "1", frame.throttled->empty() ? 0 : 1);
  if (frame.fan_rpm) add("fan_rpm", "", frame.fan_rpm);
  if (frame.memory.used_bytes) add("memory_used", "B", frame.memory.used_bytes);
  if (frame.memory.page_cache_bytes) add("page_cache", "B", frame.memory.page_cache_bytes);
  if (frame.memory.swap_used_bytes) add("swap_used", "B", frame.memory.swap_used_bytes);
  for (const DiskFrame& disk : frame.disks) {
    add("disk_read:" + disk.name, "B", disk.read_bytes, SensorKind::counter);
    add("disk_written:" + disk.name, "B", disk.written_bytes, SensorKind::counter);
  }
  return values;
}

constexpr size_t most_waiting = 1'000'000;  // values that the disk has not taken yet

// The screen adds, and does not wait for the disk: a thread writes.
class FrameRecord final : public FrameSink {
 public:
  FrameRecord(SampleRecorder recorder, std::string board, double began_s)
      : recorder_(std::move(recorder)), board_(std::move(board)), began_s_(began_s) {
    const auto& channels = recorder_.channels();
    for (size_t i = 0; i < channels.size(); ++i) numbers_.emplace(channels[i].info.name, i);
    loop_.emplace([this] { flush(); });
  }

  Status add(const BoardFrame& frame) override {
    const int64_t now_ns = nanoseconds(frame.at_s - began_s_);
    const std::lock_guard lock(mutex_);
    FLYBALL_CHECK(status_);
    if (frame.board_name != board_ || now_ns < at_ns_) return {};
    if (added_.size() > most_waiting)
      return Error{Code::io, "the disk takes no samples: the record has ended", ""};
    at_ns_ = now_ns;
    for (const FrameValue& one : values_of(frame)) {
      const auto number = numbers_.find(one.sensor.name);
      if (one.value && number != numbers_.end())
        added_.push_back({number->second, {now_ns, *one.value}});
    }
    return {};
  }
  Status finish() override {
    loop_->end();
    flush();
    FLYBALL_CHECK(status_);
    return recorder_.finish(at_ns_, "key r");
  }
  const std::filesystem::path& path() const override { return recorder_.path(); }

 private:
  struct Added {
    size_t channel;
    Sample sample;
  };

  void flush() {
    std::vector<Added> added;
    int64_t until_ns = 0;
    {
      const std::lock_guard lock(mutex_);
      added.swap(added_);
      until_ns = at_ns_;
    }
    for (const Added& one : added) recorder_.add(one.channel, std::span(&one.sample, 1));
    Status written = recorder_.flush(until_ns);
    if (written.ok()) return;
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(written);
  }

  SampleRecorder recorder_;  ///< of the thread, until it has ended
  std::string board_;
  double began_s_;
  std::unordered_map<std::string, size_t> numbers_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<Added> added_;
  int64_t at_ns_ = 0;
  Status status_;
  std::optional<FlushLoop> loop_;
};

}  // namespace

std::string cap_name(const std::string& axis) {
  return axis + "_cap";
}

Result<std::unique_ptr<FrameSink>> record_frames(const BoardFrame& first,
                                                 const FrameRecordOptions& options) {
  std::vector<RecordChannel> channels;
  for (const FrameValue& one : values_of(first))
    channels.push_back(record_channel(one.sensor, options.interval_s));
  if (channels.empty())
    return Error{Code::unavailable, "this board shows nothing that could be recorded",
                 "`flyball doctor` says what it would take"};
  RecordInfo info{.command = options.command,
                  .device = options.device,
                  .board = first.board_name,
                  .provenance = first.simulated ? "simulated" : "measured",
                  .remarks = first.simulated ? "what the monitor showed of a simulated board" : "",
                  .started_utc = "",
                  .rate_hz = 1 / options.interval_s,
                  .most_bytes = options.most_bytes,
                  .gaps = first.gaps};
  info.starts_now();
  FLYBALL_ASSIGN(SampleRecorder recorder,
                 SampleRecorder::create(options.file, info, std::move(channels)));
  std::unique_ptr<FrameSink> record =
      std::make_unique<FrameRecord>(std::move(recorder), first.board_name, first.at_s);
  FLYBALL_CHECK(record->add(first));
  return record;
}

}  // namespace flyball
