#include "twin/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flyball {
namespace {

constexpr double bytes_per_number = 4;
constexpr double interpreter_bytes = 3e8;  ///< Python and its modules, beside LibTorch
constexpr double worker_bytes = 2.5e8;     ///< a loader process of Python

double relative_voltage(double share, double lowest, double knee) {
  return share <= knee ? lowest : lowest + (1 - lowest) * (share - knee) / (1 - knee);
}

/// `value` as one of the axis; the highest where the mode does not say.
Result<double> setting(const TwinBoard& board, const PowerMode& mode, const char* name) {
  const auto asked = mode.values.find(name);
  const Axis* axis = find_axis(board.axes, name);
  if (asked == mode.values.end()) return board.highest(name);
  if (!axis)
    return Error{Code::invalid_argument, fmt::format("{} has no axis {}", board.id, name), ""};
  // Clocks between those that it lists are those of other releases.
  const double lowest = axis->values.front(), highest = axis->values.back();
  if (asked->second >= 0.5 * lowest && asked->second <= 1.02 * highest) return asked->second;
  return Error{Code::invalid_argument,
               fmt::format("{} cannot run at {} {:g}", board.id, name, asked->second),
               fmt::format("it has {:g}", fmt::join(axis->values, ", "))};
}

double share(double value, double highest) {
  return highest > 0 ? value / highest : 0;
}

/// Between the batch sizes that are known, and beyond them along the nearest two.
double held_bytes(const TwinNetwork& network, const TwinWorkload& workload, double batch) {
  const auto& held = workload.held;
  if (held.size() >= 2) {
    const auto above =
        std::ranges::upper_bound(held, batch, {}, [](const auto& one) { return one.first; });
    const size_t to =
        std::clamp<size_t>(static_cast<size_t>(above - held.begin()), 1, held.size() - 1);
    const auto& [b0, bytes0] = held[to - 1];
    const auto& [b1, bytes1] = held[to];
    return bytes0 + (bytes1 - bytes0) * (batch - b0) / (b1 - b0);
  }
  // Weights; their gradients and momenta where they are learned.
  const bool train = network.phase == Phase::train;
  const double weights = network.parameters * bytes_per_number * (train ? 3 : 1);
  return weights + std::max(0.0, train ? network.activation_bytes.at(batch)
                                       : network.largest_bytes.at(batch));
}

/// How many times slower a thread gets on with work that wants `wanted` cores out of `cores`.
double crowd(const TwinConstants& c, double wanted, double cores) {
  const double over = std::max(0.0, wanted / cores - 1);
  return std::max(1.0, wanted / cores) * (1 + c.crowding * over);
}

/// How many files several readers get in the time that one of them needs for one: those that are
/// served beside each other, and of those that wait meanwhile the nearest comes next.
double files_at_once(const TwinStorage& storage, double readers) {
  const double waiting = std::max(1.0, readers - storage.at_once);
  return std::clamp(readers, 1.0, storage.at_once) * waiting / (1 + (waiting - 1) * storage.serial);
}

/// A stream takes so many launches ahead of the GPU; what is launched beyond waits.
class LaunchQueue {
 public:
  LaunchQueue(double most, size_t operators) : most_(most) {
    ends_.reserve(operators + 1);
    ends_.emplace_back();
  }

  /// When the GPU has come near enough to launch `kernels` more.
  double open_s(double kernels) {
    const double from = launched_ + kernels - most_;
    while (next_ < ends_.size() && ends_[next_].kernels < from) ++next_;
    if (next_ == 0) return 0;
    const End& before = ends_[next_ - 1];
    if (next_ == ends_.size()) return before.s;
    const End& after = ends_[next_];
    return before.s +
           (after.s - before.s) * (from - before.kernels) / (after.kernels - before.kernels);
  }
  void launch(double kernels, double end_s) {
    launched_ += kernels;
    ends_.push_back({launched_, end_s});
  }

 private:
  struct End {
    double kernels = 0, s = 0;  ///< so many have run by then
  };
  double most_, launched_ = 0;
  std::vector<End> ends_;
  size_t next_ = 0;
};

/// Compute, prepare and end-to-end times where workers and the main process share the cores: what
/// each gets depends on how long a minibatch takes, and that on what they get.
void share_cores(const TwinBoard& board, const TwinNetwork& network, TwinPlan& plan,
                 double step_s) {
  const TwinConstants& c = board.constants;
  const double cores = std::max(0.2, plan.clocks.cores - background_cores(board, plan.clocks));
  const double alone_s = plan.prepare_core_s + plan.read_s;
  // Where there are loader workers, other threads come with them (queues, collecting, the logger's
  // own): they are ready on any core, on that of the main process with a chance of 1 in `cores`.
  const double beside = plan.loads() ? c.bystanders / plan.clocks.cores : 0;
  plan.handover_s = plan.handover_s * (1 + beside) * (1 + beside);  // two threads, one by one
  double slow = crowd(c, 1, cores) + beside;
  for (int round = 0; round < 4; ++round) {
    plan.pass = twin_pass(board, plan.clocks, network, plan.batch, slow);
    plan.compute_s = plan.pass.total_s + step_s * slow;
    if (!plan.loads()) {
      plan.prepare_s = plan.resident ? 0 : plan.prepare_core_s * slow;
      plan.expected_s =
          plan.compute_s + plan.handover_s + (plan.resident ? 0 : plan.prepare_s + plan.read_s);
      return;
    }
    // The main process is busy while it computes: it waits for the GPU in a loop.
    const double main_s = plan.compute_s + plan.handover_s;
    const double loaded =
        crowd(c, plan.workers + std::min(1.0, main_s / std::max(plan.expected_s, main_s)), cores);
    plan.prepare_s = plan.prepare_core_s * loaded;
    const double loader_s = std::max((plan.prepare_s + plan.read_s) / plan.workers, plan.read_s);
    plan.expected_s = std::max(main_s, loader_s);
    // Where the loader has time, its workers rest in between.
    const double wanted = std::min<double>(plan.workers, plan.prepare_s / plan.expected_s);
    slow = crowd(c, 1 + wanted, cores) + beside;
    if (alone_s <= 0) return;
  }
}

}  // namespace

void add_twin_power(const TwinBoard& board, TwinPlan& plan) {
  const TwinConstants& c = board.constants;
  const TwinClocks& clocks = plan.clocks;
  const auto cpu_at = [&](double clock_share) {
    const double v = relative_voltage(clock_share, c.cpu_lowest_v, c.cpu_knee);
    return std::pair{v, clock_share * v * v};
  };
  const auto [cpu_v, cpu_dynamic] = cpu_at(clocks.cpu_share);
  const auto [other_v, other_dynamic] = cpu_at(clocks.other_share);
  const double main_cores = clocks.cores - clocks.other_cores;
  const double gpu_v = relative_voltage(clocks.gpu_share, c.gpu_lowest_v, c.gpu_knee);
  const double gpu_dynamic = clocks.gpu_share * gpu_v * gpu_v;
  const double peak_bytes_s = 2 * board.highest(axis::mem_mhz) * 1e6 * c.bus_bits / 8;
  const double traffic_s = plan.pass.bytes / peak_bytes_s;
  const std::array<double, twin_parts> at_rest = {
      c.cpu_static_w * (main_cores * cpu_v + clocks.other_cores * other_v), c.gpu_static_w * gpu_v,
      c.soc_static_w, c.dram_static_w, c.system_w};
  const std::array<double, twin_parts> clocked = {
      c.cpu_clock_w * (main_cores * cpu_dynamic + clocks.other_cores * other_dynamic),
      c.gpu_clock_w * gpu_dynamic, c.soc_clock_w * clocks.mem_share,
      c.dram_clock_w * clocks.mem_share, 0};
  const std::array<double, twin_parts> minibatch = {
      0, gpu_dynamic * (c.gpu_busy_w * plan.pass.gpu_s + c.gpu_math_w * plan.pass.warm_s),
      c.soc_traffic_w * traffic_s, c.dram_traffic_w * traffic_s, 0};
  for (size_t rail = 0; rail < board.rails.size(); ++rail)
    for (size_t part = 0; part < twin_parts; ++part) {
      if (!board.rails[rail].carries[part]) continue;
      plan.static_w[rail] += at_rest[part];
      plan.rest_w[rail] += at_rest[part] + clocked[part];
      plan.minibatch_j[rail] += minibatch[part];
      if (part != static_cast<size_t>(TwinPart::cpu)) continue;
      plan.core_w[rail] += c.cpu_busy_w * cpu_dynamic;
      plan.other_core_w[rail] += c.cpu_busy_w * other_dynamic;
    }
}

double background_cores(const TwinBoard& board, const TwinClocks& clocks) {
  return std::min(clocks.cores, board.constants.background_mhz * 1e6 / clocks.cpu_hz);
}

Result<TwinClocks> twin_clocks(const TwinBoard& board, const PowerMode& mode) {
  TwinClocks clocks;
  for (const auto& [name, value] : mode.values)
    if (!find_axis(board.axes, name))
      return Error{Code::invalid_argument, fmt::format("{} has no axis {}", board.id, name), ""};
  FLYBALL_ASSIGN(clocks.cores, setting(board, mode, axis::cpu_cores));
  FLYBALL_ASSIGN(const double cpu, setting(board, mode, axis::cpu_mhz));
  FLYBALL_ASSIGN(const double gpu, setting(board, mode, axis::gpu_mhz));
  FLYBALL_ASSIGN(const double mem, setting(board, mode, axis::mem_mhz));
  clocks.cpu_hz = cpu * 1e6;
  clocks.gpu_hz = gpu * 1e6;
  clocks.mem_hz = mem * 1e6;
  clocks.cpu_share = share(cpu, board.highest(axis::cpu_mhz));
  clocks.gpu_share = share(gpu, board.highest(axis::gpu_mhz));
  clocks.mem_share = share(mem, board.highest(axis::mem_mhz));
  if (board.cluster_cores > 0)
    clocks.other_cores = std::max(0.0, clocks.cores - board.cluster_cores);
  clocks.other_hz = clocks.cpu_hz;
  clocks.other_share = clocks.cpu_share;
  return clocks;
}

double twin_cycle_s(const TwinBoard& board, const TwinClocks& clocks, bool others) {
  const TwinConstants& c = board.constants;
  const auto [share, hz] = others ? std::pair{clocks.other_share, clocks.other_hz}
                                  : std::pair{clocks.cpu_share, clocks.cpu_hz};
  const double wait = c.memory_wait * share / clocks.mem_share;
  return std::hypot(1, wait) / (hz * c.cpu_speed);
}

TwinPass twin_pass(const TwinBoard& board, const TwinClocks& clocks, const TwinNetwork& network,
                   double batch, double slow) {
  const TwinConstants& c = board.constants;
  const bool on_gpu = c.cuda_cores > 0;
  const double kcycle_s = 1e3 * twin_cycle_s(board, clocks) * slow;
  const double flop_s = on_gpu ? 1 / (2 * c.cuda_cores * clocks.gpu_hz)
                               : slow / (clocks.cores * clocks.cpu_hz * c.cpu_speed * c.cpu_flop);
  const double bus_s = 1 / (2 * clocks.mem_hz * c.bus_bits / 8 * c.memory_share);
  const double path_s = on_gpu ? 1 / (c.bytes_per_cycle * clocks.gpu_hz) : 0;
  const double byte_s = std::max(bus_s, path_s) + (1 - c.overlap) * std::min(bus_s, path_s);
  const double start_s = on_gpu ? c.kernel_cycles / clocks.gpu_hz : 0;
  const double latency_s = on_gpu ? c.kernel_us * 1e-6 : 0;
  const double fill = on_gpu ? c.fill * c.cuda_cores : 0;
  const double cache_bytes = c.cache_mb * 1e6;
  TwinPass pass;
  LaunchQueue queue(c.queue, on_gpu ? network.operators.size() : 0);
  double cpu = 0, gpu = 0;
  for (const TwinOperator& op : network.operators) {
    const size_t kind = static_cast<size_t>(op.kind);
    const double kernels = std::max(0.0, op.kernels.at(batch));
    const double outputs = op.outputs.at(batch), flop = op.flop.at(batch);
    double bytes = op.bytes.at(batch) * c.traffic[kind] * (op.backward ? c.backward_traffic : 1);
    bytes *= bytes / (bytes + cache_bytes + 1);
    const double math = flop * flop_s * (1 + fill / (outputs + 1)) / c.efficiency[kind];
    const double memory = bytes * byte_s;
    const double work = std::max(math, memory) + (1 - c.overlap) * std::min(math, memory);
    const double kernel_s = work + kernels * start_s;
    const double call = (op.plain ? c.backward_kcycles : c.op_kcycles) * kcycle_s;
    const double launch = c.kernel_kcycles * kcycle_s;
    const double dispatch = call + kernels * launch;
    if (on_gpu) cpu = std::max(cpu, queue.open_s(kernels) - dispatch);
    const double begin = std::max(gpu, cpu + call + launch + latency_s);
    cpu += dispatch;
    if (!on_gpu) {
      cpu += kernel_s;
      gpu = cpu;
    } else if (kernels > 0) {
      gpu = std::max(begin + kernel_s, cpu + latency_s + kernel_s / kernels);
      queue.launch(kernels, gpu);
    }
    pass.dispatch_s += dispatch;
    pass.gpu_s += kernel_s;
    pass.math_s += flop * flop_s;
    pass.warm_s += flop * flop_s * (op.kind == LayerKind::convolution ? c.convolution_energy : 1);
    pass.bytes += bytes;
  }
  pass.total_s = std::max(cpu, gpu);
  return pass;
}

double twin_needed_bytes(const TwinNetwork& network, const TwinWorkload& workload,
                         const TwinConfiguration& configuration) {
  const double batch = configuration.batch_size;
  const double workers = workload.data.resident             ? 0
                         : configuration.loader_workers < 0 ? workload.loader_workers
                                                            : configuration.loader_workers;
  const double inputs =
      batch * workload.data.input_bytes * (1 + workers * std::max(1.0, configuration.prefetch));
  return interpreter_bytes + workers * worker_bytes + inputs + held_bytes(network, workload, batch);
}

MemoryNeed twin_memory(const TwinBoard& board, const TwinNetwork& network,
                       const TwinWorkload& workload, const TwinConfiguration& configuration,
                       double most_bytes) {
  const double available = std::min(board.capacity.left_bytes(), most_bytes);
  TwinConfiguration tried = configuration;
  return {.needed_bytes = twin_needed_bytes(network, workload, configuration),
          .available_bytes = available,
          .largest_batch = largest_batch(available, [&](double batch) {
            tried.batch_size = batch;
            return twin_needed_bytes(network, workload, tried);
          })};
}

Result<TwinPlan> make_twin_plan(const TwinBoard& board, const TwinNetwork& network,
                                const TwinWorkload& workload,
                                const TwinConfiguration& configuration) {
  const double batch = configuration.batch_size;
  if (!(batch >= 1) || batch != std::floor(batch) || batch > 1e6)
    return Error{Code::invalid_argument, fmt::format("there are no batches of {:g} samples", batch),
                 "batch_size is a whole number from 1"};
  if (network.only_batch > 0 && network.only_batch != batch)
    return Error{
        Code::invalid_argument,
        fmt::format("{} is known at batch size {:g} only", workload.name, network.only_batch),
        "give its layer table at a second batch size"};
  TwinPlan plan;
  FLYBALL_ASSIGN(plan.clocks, twin_clocks(board, configuration.mode));
  if (configuration.other_cpu_mhz > 0 && plan.clocks.other_cores > 0) {
    plan.clocks.other_hz = configuration.other_cpu_mhz * 1e6;
    plan.clocks.other_share = share(configuration.other_cpu_mhz, board.highest(axis::cpu_mhz));
  }
  const TwinData& data = workload.data;
  const double workers =
      configuration.loader_workers < 0 ? workload.loader_workers : configuration.loader_workers;
  if (workers > 1024 || configuration.prefetch < 0 || configuration.prefetch > 1e6)
    return Error{Code::invalid_argument,
                 fmt::format("{:g} loader workers with {:g} batches ahead are too many", workers,
                             configuration.prefetch),
                 ""};
  auto storage = board.storages.begin();
  if (!configuration.storage.empty()) {
    storage = std::ranges::find(board.storages, configuration.storage, &TwinStorage::name);
    if (storage == board.storages.end())
      return Error{Code::invalid_argument,
                   fmt::format("{} has no storage '{}'", board.id, configuration.storage), ""};
  }
  const double needed = twin_needed_bytes(network, workload, configuration);
  if (needed > board.capacity.left_bytes())
    return Error{Code::infeasible,
                 fmt::format("{} does not fit {}: {}", workload.name, board.id,
                             twin_memory(board, network, workload, configuration)
                                 .text_of(batch, data.resident ? 0 : workers)),
                 "smaller batches and fewer loader workers need less"};
  plan.memory_bytes = board.capacity.libtorch_bytes + needed;
  const TwinConstants& c = board.constants;
  const double cycle_s = twin_cycle_s(board, plan.clocks);
  // Flyball's own loader and steps: no interpreter, batches are not copied between processes.
  const bool lean = configuration.stack == TwinStack::flyball;
  plan.batch = batch;
  plan.resident = data.resident;
  plan.workers = static_cast<int>(workers);
  plan.ahead = std::max(1, plan.workers) * std::max(1, static_cast<int>(configuration.prefetch));
  const double copy = lean ? 0 : c.copy_cycles * batch * data.input_bytes;
  plan.handover_s = copy * cycle_s;
  if (!data.resident) {
    // Loader workers have the other clusters, where there are any.
    const bool others = plan.loads() && plan.clocks.other_cores > 0;
    plan.prepare_core_s =
        batch * data.preprocess_mcycles * 1e6 * twin_cycle_s(board, plan.clocks, others);
    // Large files are read ahead: what opening them takes is no one sample's.
    const double latency_ms =
        data.packed ? 0 : storage->latency_ms / files_at_once(*storage, workers);
    plan.read_s = batch * (latency_ms * 1e-3 + data.sample_bytes / (storage->mb_per_s * 1e6));
    const double kcycles = c.fetch_kcycles + batch * c.sample_kcycles;
    plan.handover_s += (lean ? 0.05 : 1.0) * kcycles * 1e3 * cycle_s;
  }
  const double cold_read_s = plan.read_s;
  plan.read_s = 0;  // in steady state the cache holds what it can
  share_cores(board, network, plan, (lean ? 0.2 : 1.0) * c.step_kcycles * 1e3 * cycle_s);
  plan.read_s = cold_read_s;
  if (!(c.cuda_cores > 0)) plan.compute_core_s = plan.pass.gpu_s * (plan.clocks.cores - 1);
  plan.other_cores = background_cores(board, plan.clocks);
  // They sleep as often as not.
  if (plan.loads()) plan.other_cores += 0.5 * c.bystanders;
  add_twin_power(board, plan);
  return plan;
}

}  // namespace flyball
