#include "recording/frame_record.h"

#include <optional>
#include <vector>

#include "base/clock.h"
#include "recording/sample_recorder.h"

namespace flyball {
namespace {

// One value of a frame, as a sensor's.
struct FrameValue {
  SensorInfo sensor;
  std::optional<double> value;
};

std::optional<double> busy_cores(const BoardFrame& frame) {
  if (frame.cores.empty()) return {};
  double cores = 0;
  for (const auto& busy : frame.cores) cores += busy.value_or(0);
  return cores;
}

std::vector<FrameValue> values_of(const BoardFrame& frame) {
  std::vector<FrameValue> values;
  const auto add = [&](std::string name, const char* unit, std::optional<double> value) {
    values.push_back({{.name = std::move(name), .unit = unit, .source = "monitor"}, value});
  };
  for (const RailFrame& rail : frame.rails)
    values.push_back({{.name = rail.name,
                       .unit = "W",
                       .kind = SensorKind::power,
                       .source = "monitor",
                       .total = rail.in_total ? frame.total : ""},
                      rail.power_w});
  for (const ClockFrame& clock : frame.clocks) add("clock:" + clock.name, "MHz", clock.seen_mhz);
  for (const TemperatureFrame& zone : frame.temperatures)
    add("temp:" + zone.name, "C", zone.celsius);
  if (!frame.cores.empty()) add("cores_busy", "1", busy_cores(frame));
  if (frame.gpu_busy) add("gpu_busy", "%", 100 * *frame.gpu_busy);
  if (frame.fan_rpm) add("fan", "rpm", frame.fan_rpm);
  if (frame.memory.used_bytes) add("memory_used", "B", frame.memory.used_bytes);
  return values;
}

class FrameRecord final : public FrameSink {
 public:
  FrameRecord(SampleRecorder recorder, std::string board, double began_s)
      : recorder_(std::move(recorder)), board_(std::move(board)), began_s_(began_s) {}

  Status add(const BoardFrame& frame) override {
    const int64_t now_ns = nanoseconds(frame.at_s - began_s_);
    if (frame.board_name != board_ || now_ns < at_ns_) return {};
    at_ns_ = now_ns;
    for (const FrameValue& one : values_of(frame)) {
      if (!one.value) continue;
      const auto channel = channel_of(one.sensor.name);
      if (!channel) continue;
      const Sample sample{now_ns, *one.value};
      recorder_.add(*channel, std::span(&sample, 1));
    }
    if (now_ns - flushed_ns_ < nanoseconds(SampleRecorder::flush_s)) return {};
    flushed_ns_ = now_ns;
    return recorder_.flush(now_ns);
  }
  Status finish() override { return recorder_.finish(at_ns_, "key r"); }
  const std::filesystem::path& path() const override { return recorder_.path(); }

 private:
  std::optional<size_t> channel_of(const std::string& name) const {
    const auto& channels = recorder_.channels();
    for (size_t c = 0; c < channels.size(); ++c)
      if (channels[c].info.name == name) return c;
    return {};
  }

  SampleRecorder recorder_;
  std::string board_;
  double began_s_;
  int64_t at_ns_ = 0, flushed_ns_ = 0;
};

}  // namespace

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
