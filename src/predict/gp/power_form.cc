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

PowerForm::Terms PowerForm::terms(const Rows& rows, const Vector& log_time,
                                  const Vector& theta) const {
  using form::Column;
  const auto u = [&](AxisRole role) { return rows.roles.col(static_cast<Index>(role)).array(); };
  const auto cores = u(AxisRole::cores), cpu = u(AxisRole::cpu), gpu = u(AxisRole::gpu),
             mem = u(AxisRole::memory), batch = u(AxisRole::batch);
  const Column rate = -log_time.array(), samples = rate + batch;
  // log b/(b + b₀) of the GPU's terms.
  Terms terms{Eigen::ArrayXXd(rows.size(), theta.size()), Column::Zero(rows.size())};
  if (batch_) terms.idle_width = (theta[half_filled] - batch).exp();
  const Column filled = -(1 + terms.idle_width).log();
  Eigen::ArrayXXd& logs = terms.logs;
  logs.col(idle).setZero();
  logs.col(cores_on) = cores;
  logs.col(cpu_clock) = cpu;
  logs.col(cpu_dynamic) = cores + 3 * cpu;
  logs.col(gpu_dynamic) = 3 * gpu + filled;
  logs.col(memory_clock) = mem;
  logs.col(work) = samples;
  logs.col(work_cpu) = samples + 2 * cpu;
  logs.col(work_gpu) = samples + 2 * gpu + filled;
  logs.col(work_memory) = samples + mem;
  if (batch_) {
    logs.col(launch) = rate;
    logs.col(launch_gpu) = rate + 2 * gpu;
  }
  for (Index k = 0; k < others_; ++k) {
    const auto clock = rows.other.col(k).array();
    logs.col(theta.size() - 2 * (others_ - k)) = clock;
    logs.col(theta.size() - 2 * (others_ - k) + 1) = samples + 2 * clock;
  }
  logs.rowwise() += theta.array().transpose();
  if (batch_) logs.col(half_filled).setConstant(-1e3);  // a shape, no term
  return terms;
}

// A plain sum: its gradient is each term's share of it.
FormValue PowerForm::at(const Rows& rows, const Vector& log_time, const Vector& theta) const {
  using form::Column;
  auto [logs, idle_width] = terms(rows, log_time, theta);
  const Column top = logs.rowwise().maxCoeff();
  logs.colwise() -= top;
  logs = logs.exp();
  const Column sum = logs.rowwise().sum();
  logs.colwise() /= sum;
  // The GPU's part falls with log b₀.
  if (batch_)
    logs.col(half_filled) =
        -idle_width / (1 + idle_width) * (logs.col(gpu_dynamic) + logs.col(work_gpu));
  return {top + sum.log(), logs};
}

Vector PowerForm::value(const Rows& rows, const Vector& log_time, const Vector& theta) const {
  const Eigen::ArrayXXd logs = terms(rows, log_time, theta).logs;
  const form::Column top = logs.rowwise().maxCoeff();
  return top + (logs.colwise() - top).exp().rowwise().sum().log();
}

Vector PowerForm::activity_share(const Matrix& jacobian) const {
  return jacobian * activity_;
}

}  // namespace flyball
