#include "predict/gp/power_form.h"

#include <algorithm>
#include <cmath>

namespace flyball {
namespace {

// Order of the parameters; those from launch on exist only where the batch size varies.
enum : int {
  idle,
  cores_on,
  cpu_clock,
  cpu_dynamic,
  gpu_dynamic,
  memory_clock,
  work,
  work_cpu,
  work_gpu,
  work_memory,
  launch,
  launch_gpu,
  half_filled  // log b₀
};

const std::vector<FormParameter> power_parameters = {
    {"idle", -0.65, 0.35},      {"cores_on", -3.0, 1.0},    {"cpu_clock", -2.8, 1.0},
    {"cpu_dynamic", -2.8, 1.0}, {"gpu_dynamic", -1.6, 0.5}, {"memory_clock", -2.5, 0.5},
    {"work", -0.8, 0.8},        {"work_cpu", -1.6, 1.0},    {"work_gpu", -1.2, 0.9},
    {"work_memory", -2.6, 1.0}, {"launch", -3.5, 1.5},      {"launch_gpu", -3.5, 1.5},
    {"half_filled", -5.0, 1.0}};  // b₀: about half a sample, of a highest batch of 64

}  // namespace

PowerForm::PowerForm(const Coordinates& coordinates)
    : parameters_(power_parameters), batch_(coordinates.varies(AxisRole::batch)) {
  if (!batch_) parameters_.resize(launch);
  activity_ = Vector::Zero(static_cast<Index>(parameters_.size()));
  activity_.tail(activity_.size() - work).setOnes();
  if (batch_) activity_[half_filled] = 0;  // a shape, no term of the sum
  const auto names = coordinates.other_names();
  others_ = std::min<Index>(form::most_others, static_cast<Index>(names.size()));
  for (Index k = 0; k < others_; ++k) {
    parameters_.push_back({"clock " + names[static_cast<size_t>(k)], -2.5, 1.0});
    parameters_.push_back({"work " + names[static_cast<size_t>(k)], -1.6, 1.0});
    activity_.conservativeResize(activity_.size() + 2);
    activity_.tail(2) << 0, 1;
  }
}

FormValue PowerForm::at(const Rows& rows, const Vector& log_time, const Vector& theta) const {
  using namespace form;
  const auto count = static_cast<Index>(parameters_.size());
  FormValue result{Vector(rows.size()), Matrix(rows.size(), count)};
  Gradient offsets = Gradient::Constant(-1e3);
  for (Index i = 0; i < rows.size(); ++i) {
    const auto u = [&](AxisRole role) { return rows.roles(i, static_cast<Index>(role)); };
    const double cores = u(AxisRole::cores), cpu = u(AxisRole::cpu), gpu = u(AxisRole::gpu),
                 mem = u(AxisRole::memory), rate = -log_time[i],
                 samples = rate + u(AxisRole::batch);
    // log b/(b + b₀) of the GPU's terms, and how it falls with log b₀.
    const double idle_width = batch_ ? std::exp(theta[half_filled] - u(AxisRole::batch)) : 0;
    const double filled = -std::log1p(idle_width), fall = idle_width / (1 + idle_width);
    offsets[idle] = 0;
    offsets[cores_on] = cores;
    offsets[cpu_clock] = cpu;
    offsets[cpu_dynamic] = cores + 3 * cpu;
    offsets[gpu_dynamic] = 3 * gpu + filled;
    offsets[memory_clock] = mem;
    offsets[work] = samples;
    offsets[work_cpu] = samples + 2 * cpu;
    offsets[work_gpu] = samples + 2 * gpu + filled;
    offsets[work_memory] = samples + mem;
    if (batch_) {
      offsets[launch] = rate;
      offsets[launch_gpu] = rate + 2 * gpu;
    }
    for (Index k = 0; k < others_; ++k) {
      offsets[count - 2 * (others_ - k)] = rows.other(i, k);
      offsets[count - 2 * (others_ - k) + 1] = samples + 2 * rows.other(i, k);
    }
    // A plain sum: its gradient is each term's share of it.
    auto logs = (offsets.head(count).matrix() + theta.head(count)).array().eval();
    if (batch_) logs[half_filled] = -1e3;
    const double top = logs.maxCoeff();
    const auto terms = (logs - top).exp().eval();
    const double sum = terms.sum();
    result.value[i] = top + std::log(sum);
    result.jacobian.row(i) = (terms / sum).matrix().transpose();
    if (batch_)
      result.jacobian(i, half_filled) =
          -fall * (result.jacobian(i, gpu_dynamic) + result.jacobian(i, work_gpu));
  }
  return result;
}

Vector PowerForm::activity_share(const Matrix& jacobian) const {
  return jacobian * activity_;
}

}  // namespace flyball
