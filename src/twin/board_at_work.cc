#include "twin/board_at_work.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "space/highest_mode.h"

namespace flyball {
namespace {

double lowest(const TwinBoard& board, const char* name) {
  const Axis* axis = find_axis(board.axes, name);
  return axis ? axis->values.front() : 0;
}

}  // namespace

BoardAtWork::BoardAtWork(TwinBoard board, std::vector<WorkStage> stages, WorkOptions options)
    : board_(std::move(board)), stages_(std::move(stages)), options_(std::move(options)) {}

Result<WorkPiece> BoardAtWork::at(double at_s) {
  while (at_s >= end_s_) FLYBALL_CHECK(begin_stage(end_s_));
  if (!running_) return rest();
  while (begin_s_ + running_->minibatch.end_s <= at_s) next_minibatch();
  const TwinMinibatch& now = running_->minibatch;
  return WorkPiece{.end_s = std::min(end_s_, begin_s_ + now.end_s),
                   .rail_w = now.rail_w,
                   .cpu_mhz = now.cpu_mhz,
                   .gpu_mhz = now.gpu_mhz,
                   .cpu_cores = running_->busy.cpu_cores,
                   .gpu_busy = running_->busy.gpu};
}

void BoardAtWork::restart(double at_s) {
  began_ = false;
  end_s_ = at_s;
}

double BoardAtWork::page_cache_bytes() const {
  return running_ ? running_->data_bytes * running_->stream.cached() : 0;
}

Status BoardAtWork::begin_stage(double begin_s) {
  if (began_) ++number_;
  began_ = true;
  begin_s_ = begin_s;
  end_s_ = begin_s + stage().seconds;
  mode_ = options_.mode ? options_.mode(number_) : highest_mode(board_.axes);
  running_.reset();
  if (stage().network.empty()) {
    FLYBALL_ASSIGN(const TwinPower idle,
                   idle_power(board_, mode_, {.governors = true, .logging = options_.logging}));
    idle_w_ = idle.rail_w;
    return {};
  }
  FLYBALL_ASSIGN(TwinWorkload workload, known_twin_workload(stage().network, stage().phase));
  const double data_bytes = workload.data.samples * workload.data.sample_bytes;
  FLYBALL_ASSIGN(const Twin twin, Twin::make(board_, std::move(workload)));
  const TwinConfiguration configuration{
      .mode = mode_, .batch_size = stage().batch_size, .governors = true};
  FLYBALL_ASSIGN(TwinStream stream, twin.stream(configuration, {.seed = options_.seed + number_,
                                                                .cached = options_.cached,
                                                                .thermal = options_.thermal}));
  running_.emplace(Running{std::move(stream), data_bytes});
  return {};
}

// How busy it was follows from how busy the stream was up to its end.
void BoardAtWork::next_minibatch() {
  Running& now = *running_;
  const double before_s = now.minibatch.end_s;
  now.minibatch = now.stream.next();
  const TwinUse use = now.stream.use();
  const double seconds = now.minibatch.end_s - before_s;
  if (seconds > 0) {
    const auto of_this = [&](double TwinUse::*share) {
      return std::max(0.0,
                      (use.*share * now.minibatch.end_s - now.use.*share * before_s) / seconds);
    };
    now.busy = {.cpu_cores = of_this(&TwinUse::cpu_cores), .gpu = of_this(&TwinUse::gpu)};
  }
  now.use = use;
}

WorkPiece BoardAtWork::rest() const {
  return {.end_s = end_s_,
          .rail_w = idle_w_,
          .cpu_mhz = lowest(board_, axis::cpu_mhz),
          .gpu_mhz = lowest(board_, axis::gpu_mhz)};
}

void BoardHeat::follow(const TwinBoard& board, const TwinRailPower& rail_w, double seconds) {
  const TwinConstants& c = board.constants;
  const double final_c = ambient_c + c.thermal_c_per_w * twin_power(board, rail_w).module_w;
  celsius_ += (final_c - celsius_) * (1 - std::exp(-seconds / c.thermal_s));
}

}  // namespace flyball
