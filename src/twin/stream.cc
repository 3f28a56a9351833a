#include "twin/stream.h"

#include <algorithm>
#include <cmath>

#include "base/lru.h"

namespace flyball {
namespace {

constexpr double cache_share = 0.9;  ///< of free memory that the page cache may take
constexpr double usual_c = 25;       ///< around a board that was measured

}  // namespace

TwinStream::Inside::Inside(std::shared_ptr<const TwinBoard> on, const TwinPlan& planned,
                           const TwinWorkload& workload, const TwinOptions& asked)
    : board(std::move(on)),
      plan(planned),
      options(asked),
      random(mix_seed(asked.seed)),
      samples(workload.data.samples),
      sample_bytes(workload.data.sample_bytes),
      vary_samples(asked.noise || asked.samples_differ) {
  room_bytes = std::max(0.0, (board->capacity.memory_bytes - board->capacity.system_bytes -
                              board->kept_bytes - plan.memory_bytes) *
                                 cache_share);
  cached = std::clamp(options.cached, 0.0, room());
  expect_hits();
  celsius = options.ambient_c;
  const TwinConstants& c = board->constants;
  if (options.board_spread > 0) {
    // The seed draws the board as well: its chip leaks more or less, and its clocks are its own.
    run_factor = std::max(0.5, 1 + options.board_spread * random.normal());
    power_factor = std::max(0.5, 1 + options.board_spread * random.normal());
  }
  if (options.noise) {
    run_factor *= noisy(c.run_noise);
    power_factor *= noisy(c.power_noise);
  }
  worker_free_s.assign(std::max(1, plan.workers), 0);
  taken_s.assign(plan.ahead, 0);
}

double TwinStream::Inside::noisy(double relative) {
  return options.noise ? std::max(0.2, 1 + relative * random.normal()) : 1;
}

double TwinStream::Inside::varied(double relative) {
  return vary_samples ? std::max(0.2, 1 + relative * random.normal()) : 1;
}

void TwinStream::Inside::rest_until(double time_s) {
  if (time_s <= now_s) return;
  rested_s += time_s - now_s;
  now_s = time_s;
}

double TwinStream::Inside::room() const {
  return std::min({1.0, options.most_cached, room_bytes / std::max(1.0, samples * sample_bytes)});
}

// Where there is no room for all, what was read last is kept.
void TwinStream::Inside::expect_hits() {
  const double share = room();
  hits = cached;
  if (share > 0 && share < 1 && cached <= share) hits = cached / share * lru_hits(share);
}

void TwinStream::Inside::end_epoch() {
  if (!(samples > 0) || seen <= 0) return;
  cached = std::min(room(), cached + (1 - cached) * seen / samples);
  seen = 0;
  expect_hits();
}

TwinMinibatch TwinStream::Inside::next() {
  const TwinConstants& c = board->constants;
  TwinMinibatch minibatch;
  minibatch.begin_s = minibatch.ready_s = now_s;
  minibatch.cpu_mhz = plan.clocks.cpu_hz * 1e-6;
  minibatch.gpu_mhz = plan.clocks.gpu_hz * 1e-6;
  if (plan.clocks.other_cores > 0) minibatch.other_cpu_mhz = plan.clocks.other_hz * 1e-6;
  double core = plan.handover_s, others = 0;
  if (plan.resident) {
    minibatch.ready_s += plan.handover_s;
  } else {
    const double prepare =
        plan.prepare_s * run_factor * varied(c.sample_noise / std::sqrt(plan.batch));
    const double miss = samples > 0 ? 1 - hits : 0;
    double& worker = worker_free_s[made % worker_free_s.size()];
    // Inline, a batch is begun when it is asked for; a worker begins when there is room for it.
    double begin = plan.workers == 0 ? now_s : std::max(worker, taken_s[made % taken_s.size()]);
    if (miss > 0) {
      begin = std::max(begin, storage_free_s);
      begin += miss * plan.read_s;
      storage_free_s = begin;
      minibatch.cold = true;
    }
    worker = begin + prepare;
    minibatch.ready_s = std::max(now_s, worker) + plan.handover_s;
    taken_s[made % taken_s.size()] = std::max(now_s, worker);
    (plan.loads() ? others : core) += plan.prepare_core_s;
    seen += plan.batch;
    if (samples > 0 && seen >= samples) end_epoch();
  }
  ++made;
  const double compute = plan.compute_s * run_factor * noisy(c.time_noise);
  minibatch.end_s = minibatch.ready_s + compute;
  minibatch.compute_ms = compute * 1e3;
  now_s = minibatch.end_s;
  // While it computes, the main process dispatches or waits for the GPU in a loop; without one, all
  // cores compute.
  core += compute + plan.compute_core_s * run_factor;
  const double length = minibatch.end_s - minibatch.begin_s;
  const double main = core;
  others += plan.other_cores * length;
  const double fits = std::min(1.0, plan.clocks.cores * length / (core + others));
  core *= fits;
  others *= fits;
  for (size_t rail = 0; rail < board->rails.size(); ++rail) {
    const double energy =
        power_factor * (plan.rest_w[rail] * length + plan.core_w[rail] * core +
                        plan.other_core_w[rail] * others + plan.minibatch_j[rail]);
    minibatch.rail_w[rail] = length > 0 ? energy / length : 0;
  }
  if (options.thermal) leak(minibatch, length);
  for (size_t rail = 0; rail < board->rails.size(); ++rail)
    energy_j[rail] += minibatch.rail_w[rail] * length;
  core_s += core + others;
  gpu_s += plan.pass.gpu_s;
  math_s += plan.pass.math_s;
  bytes += plan.pass.bytes;
  follow_load(length, main);
  return minibatch;
}

// The constants are of boards that were warm from what they did when they were measured.
void TwinStream::Inside::leak(TwinMinibatch& minibatch, double seconds) {
  const TwinConstants& c = board->constants;
  const auto module_w = [&] { return twin_power(*board, minibatch.rail_w).module_w; };
  const double above_c = celsius - (usual_c + c.thermal_c_per_w * module_w());
  for (size_t rail = 0; rail < board->rails.size(); ++rail)
    minibatch.rail_w[rail] += power_factor * c.leakage_per_c * above_c * plan.static_w[rail];
  const double final_c = options.ambient_c + c.thermal_c_per_w * module_w();
  celsius += (final_c - celsius) * (1 - std::exp(-seconds / c.thermal_s));
}

void TwinStream::Inside::govern(TwinGovernor by,
                                std::function<TwinPlan(const TwinGovernor&)> made_by) {
  governor = std::move(by);
  plan_at = std::move(made_by);
}

void TwinStream::Inside::follow_load(double seconds, double main_s) {
  if (!governor) return;
  // Of the other clusters the busiest core counts: a loader worker's.
  double others = plan.clocks.other_cores > 0 ? plan.other_cores / plan.clocks.other_cores : 0;
  if (plan.loads()) others += plan.prepare_core_s / (plan.workers * seconds);
  if (!governor->observe(seconds, {main_s, others * seconds, plan.pass.gpu_s})) return;
  auto known = plans.find(governor->clocks());
  if (known == plans.end()) known = plans.emplace(governor->clocks(), plan_at(*governor)).first;
  plan = known->second;
}

TwinStream::TwinStream(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
TwinStream::~TwinStream() = default;
TwinStream::TwinStream(TwinStream&&) noexcept = default;
TwinStream& TwinStream::operator=(TwinStream&&) noexcept = default;

TwinMinibatch TwinStream::next(double not_before_s) {
  inside_->rest_until(not_before_s);
  return inside_->next();
}
void TwinStream::end_epoch() {
  inside_->end_epoch();
}
double TwinStream::memory_bytes() const {
  return inside_->plan.memory_bytes;
}
double TwinStream::hits() const {
  return inside_->hits;
}
double TwinStream::cached() const {
  return inside_->cached;
}

TwinPower TwinStream::power() const {
  TwinRailPower rail_w{};
  for (size_t rail = 0; rail < rail_w.size(); ++rail)
    rail_w[rail] = inside_->run_s() > 0 ? inside_->energy_j[rail] / inside_->run_s() : 0;
  return twin_power(*inside_->board, rail_w);
}

TwinUse TwinStream::use() const {
  const Inside& in = *inside_;
  if (!(in.run_s() > 0)) return {};
  const double peak = 2 * in.plan.clocks.mem_hz * in.board->constants.bus_bits / 8 * in.run_s();
  return {in.core_s / in.run_s(), std::min(1.0, in.gpu_s / in.run_s()), in.math_s / in.run_s(),
          in.bytes / peak};
}

}  // namespace flyball
