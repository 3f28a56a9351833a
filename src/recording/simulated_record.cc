#include "recording/simulated_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "base/random.h"
#include "recording/simulated_rail.h"
#include "space/highest_mode.h"
#include "twin/board_at_work.h"

namespace flyball {
namespace {

constexpr double chunk_s = 60;  // between one flush and the next

const std::vector<WorkStage>& stages() {
  static const std::vector<WorkStage> all = {{.network = "resnet18", .seconds = 40 * 60},
                                             {.seconds = 20 * 60}};
  return all;
}

}  // namespace

std::string simulated_remarks(const TwinBoard& board, const std::string& preset) {
  return fmt::format(
      "simulated: 40 min of training (resnet18, batch size 16) and 20 min of rest in turns, in {}; "
      "clocks follow the load below its own, and the board warms up from 25 °C, where tune and "
      "compare boards pin the clocks of a warm one; each sample with {:g} % of noise, rounded to "
      "the sensor's steps of {:g} mA and {:g} mV; reads are late by 50 us on average",
      preset.empty() ? "the highest mode" : "preset " + preset, 100 * SimulatedRail::sample_noise,
      1e3 * SimulatedRail::step_a(board), 1e3 * SimulatedRail::step_v);
}

std::vector<RecordChannel> simulated_channels(const TwinBoard& board, double rate_hz) {
  std::vector<RecordChannel> channels;
  for (const TwinRail& rail : board.rails)
    channels.push_back(record_channel({.name = rail.name,
                                       .unit = "W",
                                       .kind = SensorKind::power,
                                       .source = "twin",
                                       .total = rail.module ? "module" : "",
                                       .period_s = 1 / rate_hz},
                                      1 / rate_hz));
  const auto slow = [&](const char* name, const char* unit) {
    channels.push_back(record_channel({.name = name, .unit = unit, .source = "twin"}, 1));
  };
  slow("cpu_mhz", "MHz");
  if (find_axis(board.axes, axis::gpu_mhz)) slow("gpu_mhz", "MHz");
  if (find_axis(board.axes, axis::gpu_mhz)) slow("gpu_busy", "%");
  slow("temp:board", "C");
  return channels;
}

namespace {

// One reader of all sensors, in simulated time.
class Reader {
 public:
  Reader(const TwinBoard& board, const SimulatedRecord& wanted, SampleRecorder& recorder)
      : board_(board),
        wanted_(wanted),
        work_(board, stages(),
              {.seed = wanted.seed,
               .thermal = true,
               .logging = true,
               .mode = [this](size_t) { return mode(); }}),
        recorder_(recorder),
        random_(mix_seed(wanted.seed, 0x5ec0)),
        samples_(recorder.channels().size()) {
    for (const TwinRail& rail : board.rails) rails_.emplace_back(board, rail);
  }

  Result<double> run() {
    const Stopwatch watch;
    double committed_s = 0;
    const auto reads = static_cast<int64_t>(std::floor(wanted_.seconds * wanted_.rate_hz + 1e-9));
    const auto chunk = std::max<int64_t>(1, std::llround(chunk_s * wanted_.rate_hz));
    for (int64_t i = 0; i <= reads; ++i) {
      const double at_s = static_cast<double>(i) / wanted_.rate_hz;
      FLYBALL_CHECK(follow(at_s));
      read_rails(at_s);
      FLYBALL_CHECK(read_slow_until(static_cast<double>(i + 1) / wanted_.rate_hz));
      if (i % chunk != 0 || i == 0) continue;
      add_all();
      const bool due = watch.seconds() - committed_s >= SampleRecorder::flush_s;
      if (due) committed_s = watch.seconds();
      FLYBALL_CHECK(recorder_.flush(nanoseconds(at_s), due));
      if (wanted_.progress) wanted_.progress(at_s / wanted_.seconds);
      if (is_interrupted(wanted_.interrupted)) return at_s;
    }
    add_all();
    return wanted_.seconds;
  }

 private:
  PowerMode mode() const {
    PowerMode mode = highest_mode(board_.axes);
    for (const auto& [axis, value] : wanted_.mode.values) mode.values[axis] = value;
    return mode;
  }

  Status follow(double at_s) {
    if (at_s < now_.end_s) return {};
    const size_t before = work_.stage_number();
    FLYBALL_ASSIGN(now_, work_.at(at_s));
    if (at_s > 0 && work_.stage_number() == before) return {};
    return recorder_.mark(nanoseconds(work_.stage_begin_s()),
                          work_.stage().network.empty() ? "training ends" : "training begins");
  }

  void read_rails(double at_s) {
    const double late_s = 50e-6 * random_.exponential();
    for (size_t i = 0; i < rails_.size(); ++i) {
      const double each_s = at_s + late_s + 0.3e-3 * static_cast<double>(i);  // over its bus
      samples_[i].push_back({nanoseconds(each_s), rails_[i].read(now_.rail_w[i], random_)});
    }
  }

  // At every whole second before the rails are read again.
  Status read_slow_until(double next_s) {
    const double end_s = std::min(next_s - 1e-9, wanted_.seconds + 1e-9);
    for (; slow_s_ <= end_s; slow_s_ += 1) {
      FLYBALL_CHECK(follow(slow_s_));
      read_slow(slow_s_);
    }
    return {};
  }

  void read_slow(double at_s) {
    heat_.follow(board_, now_.rail_w, 1);
    size_t channel = rails_.size();
    const auto add = [&](double value) {
      samples_[channel++].push_back({nanoseconds(at_s), value});
    };
    add(now_.cpu_mhz);
    if (find_axis(board_.axes, axis::gpu_mhz)) {
      add(now_.gpu_mhz);
      add(std::round(100 * now_.gpu_busy));
    }
    add(std::round(2 * (heat_.celsius() + 0.2 * random_.normal())) /
        2);  // thermistors show half degrees
  }

  void add_all() {
    for (size_t i = 0; i < samples_.size(); ++i) {
      recorder_.add(i, samples_[i]);
      samples_[i].clear();
    }
  }

  const TwinBoard& board_;
  const SimulatedRecord& wanted_;
  BoardAtWork work_;
  SampleRecorder& recorder_;
  Random random_;
  std::vector<SimulatedRail> rails_;
  std::vector<std::vector<Sample>> samples_;
  WorkPiece now_;
  BoardHeat heat_;
  double slow_s_ = 0;  ///< when what is read once a second is read next
};

}  // namespace

Result<double> simulate_record(const TwinBoard& board, const SimulatedRecord& wanted,
                               SampleRecorder& recorder) {
  if (const std::string gap = twin_power_gap(board); !gap.empty())
    return Error{Code::unavailable, gap, "`flyball devices` lists the boards that have"};
  return Reader(board, wanted, recorder).run();
}

}  // namespace flyball
