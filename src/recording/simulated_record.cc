#include "recording/simulated_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "base/random.h"
#include "recording/simulated_rail.h"
#include "space/highest_mode.h"
#include "twin/governor.h"
#include "twin/twin.h"

namespace flyball {
namespace {

constexpr double training_s = 40 * 60, resting_s = 20 * 60;
constexpr double chunk_s = 60;  // between one flush and the next
constexpr double warm_c = 25;   // around the board

// What the board does at a time: rails and clocks, constant until `end_s`.
struct Load {
  double end_s = 0;
  TwinRailPower rail_w{};
  double cpu_mhz = 0, gpu_mhz = 0, gpu_busy = 0;
};

double lowest(const TwinBoard& board, const char* name) {
  const Axis* axis = find_axis(board.axes, name);
  return axis ? axis->values.front() : 0;
}

// Training and rest in turns, minibatch after minibatch.
class Loads {
 public:
  static Result<Loads> make(const TwinBoard& board, uint64_t seed) {
    FLYBALL_ASSIGN(TwinWorkload workload, known_twin_workload("resnet18", Phase::train));
    FLYBALL_ASSIGN(const Twin twin, Twin::make(board, std::move(workload)));
    TwinConfiguration configuration;
    configuration.governors = true;
    FLYBALL_ASSIGN(TwinStream stream, twin.stream(configuration, {.seed = seed, .thermal = true}));
    FLYBALL_ASSIGN(const TwinPower idle, idle_power(board, highest_mode(board.axes),
                                                    {.governors = true, .logging = true}));
    Load rest{.rail_w = idle.rail_w};
    rest.cpu_mhz = lowest(board, axis::cpu_mhz);
    rest.gpu_mhz = lowest(board, axis::gpu_mhz);
    return Loads(std::move(stream), rest);
  }

  // The load after `from_s`; `begins` names what begins with it.
  Load next(double from_s, std::string& begins) {
    const double hour_s = std::fmod(from_s, training_s + resting_s);
    const double round_s = from_s - hour_s;
    const bool trains = hour_s < training_s;
    if (trains != training_) begins = trains ? "training begins" : "training ends";
    training_ = trains;
    if (trains) return minibatch(from_s);
    Load load = rest_;
    load.end_s = round_s + training_s + resting_s;
    return load;
  }

 private:
  Loads(TwinStream stream, const Load& rest) : stream_(std::move(stream)), rest_(rest) {}

  Load minibatch(double from_s) {
    const TwinMinibatch one = stream_.next(from_s + ahead_s_);
    const double length_s = std::max(1e-4, one.end_s - std::max(one.begin_s, from_s + ahead_s_));
    ahead_s_ = one.end_s - (from_s + length_s);
    Load load{.end_s = from_s + length_s, .rail_w = one.rail_w};
    load.cpu_mhz = one.cpu_mhz;
    load.gpu_mhz = one.gpu_mhz;
    load.gpu_busy = std::min(100.0, 0.1 * one.compute_ms / length_s);
    return load;
  }

  TwinStream stream_;
  Load rest_;
  bool training_ = false;
  double ahead_s_ = 0;  // of the stream's time
};

}  // namespace

std::string simulated_remarks(const TwinBoard& board) {
  return fmt::format(
      "simulated: 40 min of training (resnet18, batch size 16) and 20 min of rest in turns; each "
      "sample with {:g} % of noise, rounded to the sensor's steps of {:g} mA and {:g} mV; reads "
      "are "
      "late by 50 us on average",
      100 * SimulatedRail::sample_noise, 1e3 * SimulatedRail::step_a(board),
      1e3 * SimulatedRail::step_v);
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
  Reader(const TwinBoard& board, const SimulatedRecord& wanted, Loads loads,
         SampleRecorder& recorder)
      : board_(board),
        wanted_(wanted),
        loads_(std::move(loads)),
        recorder_(recorder),
        random_(mix_seed(wanted.seed, 0x5ec0)),
        samples_(recorder.channels().size()) {
    for (const TwinRail& rail : board.rails) rails_.emplace_back(board, rail);
    celsius_ = warm_c;
  }

  Result<double> run() {
    const Stopwatch watch;
    double committed_s = 0;
    const auto reads = static_cast<int64_t>(std::floor(wanted_.seconds * wanted_.rate_hz + 1e-9));
    const auto chunk = std::max<int64_t>(1, std::llround(chunk_s * wanted_.rate_hz));
    const auto each_second = std::max<int64_t>(1, std::llround(wanted_.rate_hz));
    for (int64_t i = 0; i <= reads; ++i) {
      const double at_s = static_cast<double>(i) / wanted_.rate_hz;
      FLYBALL_CHECK(follow(at_s));
      read_rails(at_s);
      if (i % each_second == 0) read_slow(at_s);
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
  Status follow(double at_s) {
    while (at_s >= load_.end_s) {
      std::string begins;
      const double from_s = load_.end_s;
      load_ = loads_.next(from_s, begins);
      if (!begins.empty()) FLYBALL_CHECK(recorder_.mark(nanoseconds(from_s), begins));
    }
    return {};
  }

  void read_rails(double at_s) {
    const double late_s = 50e-6 * random_.exponential();
    for (size_t i = 0; i < rails_.size(); ++i) {
      const double each_s = at_s + late_s + 0.3e-3 * static_cast<double>(i);  // over its bus
      samples_[i].push_back({nanoseconds(each_s), rails_[i].read(load_.rail_w[i], random_)});
    }
  }

  void read_slow(double at_s) {
    const double module_w = twin_power(board_, load_.rail_w).module_w;
    const double final_c = warm_c + board_.constants.thermal_c_per_w * module_w;
    celsius_ += (final_c - celsius_) * (1 - std::exp(-1 / board_.constants.thermal_s));
    size_t channel = rails_.size();
    const auto add = [&](double value) {
      samples_[channel++].push_back({nanoseconds(at_s), value});
    };
    add(load_.cpu_mhz);
    if (find_axis(board_.axes, axis::gpu_mhz)) {
      add(load_.gpu_mhz);
      add(std::round(load_.gpu_busy));
    }
    add(std::round(2 * (celsius_ + 0.2 * random_.normal())) / 2);  // thermistors show half degrees
  }

  void add_all() {
    for (size_t i = 0; i < samples_.size(); ++i) {
      recorder_.add(i, samples_[i]);
      samples_[i].clear();
    }
  }

  const TwinBoard& board_;
  const SimulatedRecord& wanted_;
  Loads loads_;
  SampleRecorder& recorder_;
  Random random_;
  std::vector<SimulatedRail> rails_;
  std::vector<std::vector<Sample>> samples_;
  Load load_;
  double celsius_ = 0;
};

}  // namespace

Result<double> simulate_record(const TwinBoard& board, const SimulatedRecord& wanted,
                               SampleRecorder& recorder) {
  if (board.rails.empty())
    return Error{Code::unavailable, fmt::format("{} has no rails that tell its power", board.id),
                 "`flyball devices` lists the boards that have"};
  FLYBALL_ASSIGN(Loads loads, Loads::make(board, wanted.seed));
  return Reader(board, wanted, std::move(loads), recorder).run();
}

}  // namespace flyball
