#include "predict/gp/time_form.h"

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
constexpr double most_busy = 0.8;  // of the fewest cores profiled, or of two if they are more

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
  using namespace form;
  const auto count = static_cast<Index>(parameters_.size());
  FormValue result{Vector(rows.size()), Matrix(rows.size(), count)};
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
  for (Index i = 0; i < rows.size(); ++i) {
    const auto u = [&](AxisRole role) { return rows.roles(i, static_cast<Index>(role)); };
    const double gpu = u(AxisRole::gpu), mem = u(AxisRole::memory), batch = u(AxisRole::batch);
    const double n = std::exp(u(AxisRole::cores)), clock = std::exp(u(AxisRole::cpu));
    const double part = fewest_cores_ / n;  // of the offset
    const double left = std::max(clock - part * offset, 0.1 * clock);
    const double cpu = std::log(left / (1 - fewest_cores_ * offset));
    const double cpu_slope =
        offset_slope * (part / left - fewest_cores_ / (1 - fewest_cores_ * offset));
    const double idle = std::max(n - busy, 0.2 * n);
    const double cores = std::log(idle / (1 - busy));
    const double cores_slope = busy_slope * (1 / idle - 1 / (1 - busy));
    const auto on_cpu = [&](int parameter, double more) {
      Term term = leaf(theta, parameter, more - cpu);
      term.gradient[clock_offset] = cpu_slope;
      return term;
    };
    Term kernels = leaf(theta, gpu_compute, batch - gpu);
    Term traffic = leaf(theta, gpu_memory, batch - mem);
    const Term launches = log_sum({on_cpu(serial_cpu, 0), leaf(theta, serial_memory, -mem)});
    const auto on_all = [&](Term term) {
      term.value -= cores;
      term.gradient[core_offset] = cores_slope;
      return term;
    };
    Term loader = log_sum(
        {on_all(on_cpu(loader_cpu, batch)), on_all(leaf(theta, loader_memory, batch - mem))});
    if (batch_) {
      kernels = log_sum({kernels, leaf(theta, gpu_fixed, -gpu)});
      traffic = log_sum({traffic, leaf(theta, memory_fixed, -mem)});
      loader = log_sum({loader, on_all(on_cpu(loader_fixed, 0))});
    }
    const Term device = log_sum(
        {log_norm(theta, gpu_norm, {kernels, traffic}), leaf(theta, gpu_serial, batch - gpu)});
    // The core that launches hands the batch over first, while the GPU waits.
    Term main = log_norm(theta, stage_norm, {device, launches});
    if (batch_) main = log_sum({main, on_cpu(serial_sample, batch)});
    Term stages = log_norm(theta, stage_norm, {main, loader});
    for (int k = 0; k < others_; ++k)
      stages =
          log_norm(theta, stage_norm, {stages, leaf(theta, first_other_ + k, -rows.other(i, k))});
    const Term total = log_sum({leaf(theta, constant, 0), stages});
    result.value[i] = total.value;
    result.jacobian.row(i) = total.gradient.head(count).matrix().transpose();
  }
  return result;
}

Vector TimeForm::cpu_share(const Matrix& jacobian) const {
  Vector share = jacobian.col(serial_cpu) + jacobian.col(loader_cpu) + jacobian.col(serial_memory) +
                 jacobian.col(loader_memory);
  if (batch_) share += jacobian.col(serial_sample) + jacobian.col(loader_fixed);
  return share;
}

}  // namespace flyball
