// What recording costs: processor share at 100 Hz and 1 kHz, and a
// simulated day of four rails: its size, and the time until a page of it is ready.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "recording/record_json.h"
#include "recording/sampler_recording.h"
#include "recording/simulated_rail.h"
#include "recording/simulated_record.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "record_bench: {}\n", message);
  std::exit(2);
}

RecordInfo info_at(double rate_hz, const char* provenance) {
  return {.command = "record_bench",
          .device = "bench",
          .board = "bench",
          .provenance = provenance,
          .remarks = "",
          .started_utc = "1970-01-01T00:00:00Z",
          .rate_hz = rate_hz,
          .most_bytes = uint64_t{256} << 20};
}

// Four rails with noise, as a chip on a bus would show them: reading costs next to nothing here, so
// that what is left is sampling and recording.
struct Share {
  double sampling = 0, recording = 0;  // percent of one core
};
Share share_at(double rate_hz, double seconds) {
  const auto board = find_twin_board("orin_agx");
  if (!board) give_up(board.error().message);
  TempFolder folder;
  SamplerRecording recording(folder.path() / "bench.flyrec", info_at(rate_hz, "measured"));
  Sampler sampler;
  for (const TwinRail& rail : board->rails) {
    const SimulatedRail shown(*board, rail);
    auto random = std::make_shared<Random>(mix_seed(sampler.size()));
    const auto read = [shown, random](int64_t) { return Result<double>(shown.read(10, *random)); };
    SensorInfo info{.name = rail.name, .unit = "W", .kind = SensorKind::power, .source = "bench"};
    if (auto added = sampler.add(function_sensor(info, read), {1 / rate_hz}, {30}); !added)
      give_up(added.error().message);
  }
  sampler.tell(&recording);
  if (auto started = sampler.start(); !started) give_up(started.error().message);
  const int64_t begin_ns = monotonic_ns();
  sleep_until_ns(begin_ns + nanoseconds(seconds));
  const double wall_s = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  const Share share{100 * sampler.cpu_seconds() / wall_s, 100 * recording.cpu_seconds() / wall_s};
  sampler.stop();
  if (auto done = recording.finish("duration"); !done) give_up(done.error().message);
  return share;
}

Json simulated_day() {
  const auto board = find_twin_board("orin_agx");
  if (!board) give_up(board.error().message);
  TempFolder folder;
  const auto file = folder.path() / "day.flyrec";
  const Stopwatch watch;
  auto recorder =
      SampleRecorder::create(file, info_at(100, "simulated"), simulated_channels(*board, 100));
  if (!recorder) give_up(recorder.error().message);
  constexpr double day_s = 86'400;
  const auto seconds = simulate_record(*board, {.seconds = day_s, .rate_hz = 100}, *recorder);
  if (!seconds) give_up(seconds.error().message);
  if (auto done = recorder->finish(nanoseconds(day_s), "duration"); !done)
    give_up(done.error().message);
  const double recorded_s = watch.seconds();
  const Stopwatch open;
  auto reader = RecordReader::open(file);
  if (!reader) give_up(reader.error().message);
  const auto page = record_page_json(*reader, {.begin = 0, .end = reader->end()});
  if (!page) give_up(page.error().message);
  const std::string text = page->dump();
  const double opened_s = open.seconds();
  return {{"day_rails", board->rails.size()},
          {"day_mb", static_cast<double>(std::filesystem::file_size(file)) / 1e6},
          {"day_recorded_s", recorded_s},
          {"day_page_s", opened_s},
          {"day_page_mb", static_cast<double>(text.size()) / 1e6},
          {"day_page_width_s", (*page)["width_s"]}};
}

}  // namespace
}  // namespace flyball

int main() {
  using namespace flyball;
  Json figures = simulated_day();
  for (const double rate_hz : {100.0, 1000.0}) {
    const Share share = share_at(rate_hz, 15);
    figures[fmt::format("sampling_pct_{:.0f}_hz", rate_hz)] = share.sampling;
    figures[fmt::format("recording_pct_{:.0f}_hz", rate_hz)] = share.recording;
  }
  fmt::print("{}\n", Json{{"benchmark", "record"}, {"figures", figures}}.dump());
  return 0;
}
