#include "predict/gp/time_form.h"

#include <algorithm>
#include <cmath>

namespace flyball {
namespace {

// Order of the parameters; those from gpu_launch on exist only where the batch size varies.
enum : int {
  constant,
  serial_cpu,
  loader_cpu,
  gpu_compute,
  gpu_memory,
  gpu_norm,
  stage_norm,
  serial_memory,
  loader_memory,
  gpu_serial,
  clock_offset,
  core_offset,
  gpu_fixed,
  memory_fixed,
  serial_sample,
  loader_fixed
};

const std::vector<FormParameter> time_parameters = {
    {"constant", -2.5, 1.2},    {"serial_cpu", -1.0, 0.9},    {"loader_cpu", -1.5, 0.7},
    {"gpu_compute", -0.7, 0.7}, {"gpu_memory", -0.7, 0.7},    {"gpu_norm", 0.7, 0.4},
    {"stage_norm", 2.0, 0.8},   {"serial_memory", -2.5, 1.2}, {"loader_memory", -2.7, 1.2},
    {"gpu_serial", -2.0, 1.0},  {"clock_offset", -4.6, 1.0},  {"core_offset", -0.7, 1.0},
    {"gpu_fixed", -3.0, 1.2},   {"memory_fixed", -3.5, 1.2},  {"serial_sample", -3.0, 1.2},
    {"loader_fixed", -3.0, 1.2}};

/// Where the batch size varies, shares are those at the highest batch, and what does not grow with
/// it may be anything there between half the time (bound by launches) and a five hundredth (bound
/// by arithmetic, time proportional to the batch): wide priors. A service's batches lie ready and
/// each waits for the last one, so that stages overlap within a minibatch only: nearer to a sum.
/// Under names of their own: what they are of one batch size teaches nothing here.
const std::vector<FormParameter> with_batches = {
    {"constant", -4.5, 1.8},   {"serial_cpu", -2.2, 1.6},    {"serial_memory", -4.0, 1.6},
    {"gpu_fixed", -4.5, 1.8},  {"memory_fixed", -4.5, 1.8},  {"serial_sample", -4.0, 1.6},
    {"loader_cpu", -2.5, 1.3}, {"loader_memory", -3.5, 1.3}, {"loader_fixed", -4.5, 1.8},
    {"stage_norm", 0.3, 1.0},  {"gpu_norm", 0.2, 0.5}};

// Of the lowest clock profiled: of all cores alike, and of each where as few of them as were
// profiled share the system's own work.
constexpr double highest_offset = 0.4, highest_offset_of_few = 0.8;
constexpr Index block_rows = 64;
constexpr double most_busy = 0.8;  // of the fewest cores profiled, or of two if they are more

// Blocks stay in the cache.
template <class Visit>
void in_blocks(Index rows, const Visit& visit) {
  for (Index first = 0; first < rows; first += block_rows)
    visit(first, std::min(block_rows, rows - first));
}

}  // namespace

TimeForm::TimeForm(const Coordinates& coordinates)
    : parameters_(time_parameters), batch_(coordinates.varies(AxisRole::batch)) {
  if (!batch_) parameters_.resize(gpu_fixed);
  for (FormParameter& parameter : parameters_)
    for (const FormParameter& other : with_batches)
      if (batch_ && parameter.name == other.name) {
        parameter = other;
        parameter.name += " by batch";
      }
  first_other_ = static_cast<int>(parameters_.size());
  for (const std::string& name : coordinates.other_names())
    if (others_ < form::most_others) parameters_.push_back({"stage " + name, -1.2, 1.2}), ++others_;
  const bool cores_vary = coordinates.varies(AxisRole::cores);
  if (coordinates.varies(AxisRole::cpu))
    offset_limit_ =
        (cores_vary ? highest_offset_of_few : highest_offset) * coordinates.lowest(AxisRole::cpu);
  fewest_cores_ = coordinates.lowest(AxisRole::cores);
  if (cores_vary)
    core_limit_ = std::min(most_busy * coordinates.lowest(AxisRole::cores),
                           2 * most_busy / coordinates.scale(AxisRole::cores));
}

FormValue TimeForm::at(const Rows& rows, const Vector& theta) const {
  FormValue result{Vector(rows.size()), Matrix(rows.size(), theta.size())};
  in_blocks(rows.size(), [&](Index first, Index size) {
    form::Tape tape(theta, true);
    const form::Tape::Term total = total_of(tape, rows, first, size, theta);
    result.value.segment(first, size) = tape.value(total);
    result.jacobian.middleRows(first, size) = tape.gradient();
  });
  return result;
}

Vector TimeForm::value(const Rows& rows, const Vector& theta) const {
  Vector result(rows.size());
  in_blocks(rows.size(), [&](Index first, Index size) {
    form::Tape tape(theta, false);
    result.segment(first, size) = tape.value(total_of(tape, rows, first, size, theta));
  });
  return result;
}

form::Tape::Term TimeForm::total_of(form::Tape& tape, const Rows& rows, Index first, Index size,
                                    const Vector& theta) const {
  using form::Column;
  using Term = form::Tape::Term;
  const auto u = [&](AxisRole role) -> Column {
    return rows.roles.col(static_cast<Index>(role)).segment(first, size).array();
  };
  const Column gpu = u(AxisRole::gpu), mem = u(AxisRole::memory), batch = u(AxisRole::batch);
  const Column none = Column::Zero(size);
  const CpuClock cpu = cpu_clock(u(AxisRole::cpu).exp(), u(AxisRole::cores).exp(), theta);
  const auto on_cpu = [&](int parameter, const Column& more) {
    const Term term = tape.leaf(parameter, more - cpu.clock);
    tape.moves(term, clock_offset, cpu.clock_slope);
    return term;
  };
  const auto on_all = [&](int parameter, const Column& more) {
    const Term term = tape.leaf(parameter, more - cpu.cores);
    tape.moves(term, core_offset, cpu.cores_slope);
    return term;
  };
  const auto on_all_cpu = [&](int parameter, const Column& more) {
    const Term term = on_all(parameter, more - cpu.clock);
    tape.moves(term, clock_offset, cpu.clock_slope);
    return term;
  };
  Term kernels = tape.leaf(gpu_compute, batch - gpu);
  Term traffic = tape.leaf(gpu_memory, batch - mem);
  const Term launches = tape.log_sum(on_cpu(serial_cpu, none), tape.leaf(serial_memory, -mem));
  Term loader = tape.log_sum(on_all_cpu(loader_cpu, batch), on_all(loader_memory, batch - mem));
  if (batch_) {
    kernels = tape.log_sum(kernels, tape.leaf(gpu_fixed, -gpu));
    traffic = tape.log_sum(traffic, tape.leaf(memory_fixed, -mem));
    loader = tape.log_sum(loader, on_all_cpu(loader_fixed, none));
  }
  const Term device =
      tape.log_sum(tape.log_norm(gpu_norm, kernels, traffic), tape.leaf(gpu_serial, batch - gpu));
  // The core that launches hands the batch over first, while the GPU waits.
  Term main = tape.log_norm(stage_norm, device, launches);
  if (batch_) main = tape.log_sum(main, on_cpu(serial_sample, batch));
  Term stages = tape.log_norm(stage_norm, main, loader);
  for (int k = 0; k < others_; ++k) {
    const Column clock = rows.other.col(k).segment(first, size);
    stages = tape.log_norm(stage_norm, stages, tape.leaf(first_other_ + k, -clock));
  }
  return tape.log_sum(tape.leaf(constant, none), stages);
}

TimeForm::CpuClock TimeForm::cpu_clock(const form::Column& clock, const form::Column& n,
                                       const Vector& theta) const {
  using form::Column;
  // The offset saturates below the lowest clock.
  double offset = 0, offset_slope = 0;
  if (offset_limit_ > 0) {
    const double asked = std::exp(theta[clock_offset]), part = std::tanh(asked / offset_limit_);
    offset = offset_limit_ * part;
    offset_slope = asked * (1 - part * part);
  }
  // Cores kept busy by the training process itself; a logistic share of the fewest profiled.
  const double asleep = 1 / (1 + std::exp(-theta[core_offset]));
  const double busy = core_limit_ * asleep, busy_slope = busy * (1 - asleep);
  const double highest = 1 - fewest_cores_ * offset;  // what is left of the highest clock
  const Column part = fewest_cores_ / n;              // of the offset
  const Column left = (clock - part * offset).max(0.1 * clock);
  const Column idle = (n - busy).max(0.2 * n);
  return {(left / highest).log(), offset_slope * (part / left - fewest_cores_ / highest),
          (idle / (1 - busy)).log(), busy_slope * (idle.inverse() - 1 / (1 - busy))};
}

Vector TimeForm::cpu_share(const Matrix& jacobian) const {
  Vector share = jacobian.col(serial_cpu) + jacobian.col(loader_cpu) + jacobian.col(serial_memory) +
                 jacobian.col(loader_memory);
  if (batch_) share += jacobian.col(serial_sample) + jacobian.col(loader_fixed);
  return share;
}

}  // namespace flyball
