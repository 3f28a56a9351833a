#include "baselines/linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "predict/interval.h"
#include "predict/least_squares.h"
#include "predict/rows.h"

namespace flyball {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix as_matrix(std::span<const double> x, size_t rows, size_t dimensions) {
  return Eigen::Map<const RowMajor>(x.data(), static_cast<Eigen::Index>(rows),
                                    static_cast<Eigen::Index>(dimensions));
}

Vector as_vector(std::span<const double> y) {
  return Eigen::Map<const Vector>(y.data(), static_cast<Eigen::Index>(y.size()));
}

Vector minimum_norm(const Matrix& a, const Vector& b) {
  return LeastSquares(a).solve(b);
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Sample {
  std::vector<double> x, time, power;  // x row-major
};

Sample without(const Sample& all, size_t dimensions, size_t left_out) {
  Sample rest;
  for (size_t i = 0; i < all.time.size(); ++i) {
    if (i == left_out) continue;
    const auto row = std::span(all.x).subspan(i * dimensions, dimensions);
    rest.x.insert(rest.x.end(), row.begin(), row.end());
    rest.time.push_back(all.time[i]);
    rest.power.push_back(all.power[i]);
  }
  return rest;
}

class Linear final : public Predictor {
 public:
  std::string name() const override { return "linear"; }

  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable> references,
             const FitOptions&) override {
    FLYBALL_CHECK(check_rows(measured, 2));
    axes_ = varying_axes(measured.space);
    profiled_ = measured.space.axes();
    sample_ = take(measured);
    shared_ = {};
    notes_.clear();
    for (const WorkloadTable& reference : references)
      add_reference(reference, measured.power_total);
    fit_models(sample_, time_, energy_);
    floor_ms_ = 0.05 * *std::ranges::min_element(sample_.time);
    judge();
    return {};
  }

  Result<Prediction> predict(const Space& space) const override {
    FLYBALL_ASSIGN(const std::vector<size_t> columns, match_axes(space, axes_));
    Prediction prediction;
    prediction.extrapolated = outside_profiled(profiled_, space);
    prediction.notes = notes_;
    std::vector<double> time, power;
    size_t clipped = 0;
    for (size_t i = 0; i < space.size(); ++i) {
      const std::vector<double> x = pick(space.row(i), columns);
      clipped += time_.at(x) < floor_ms_;
      time.push_back(time_at(time_, x));
      if (has_power_) power.push_back(power_at(energy_, x, time.back()));
    }
    if (clipped > 0)
      prediction.notes.push_back(fmt::format(
          "linear: {} of {} times came out at or below zero and were raised to {:.3g} ms", clipped,
          space.size(), floor_ms_));
    prediction.minibatch_ms = with_interval(std::move(time), time_width_);
    if (has_power_) prediction.power_w = with_interval(std::move(power), power_width_);
    for (size_t i = 0; i < space.size(); ++i)
      if (prediction.extrapolated[i]) reach_back(pick(space.row(i), columns), i, prediction);
    return prediction;
  }

 private:
  // Beyond what was profiled nothing says that the line goes on: the interval also holds what it
  // says at the nearest profiled values, where it would stay if the axes had no more effect. A line
  // that has come down to nothing says nothing: then all that was profiled is held.
  void reach_back(std::vector<double> x, size_t i, Prediction& prediction) const {
    bool spent = time_.at(x) < floor_ms_;
    for (size_t d = 0; d < x.size(); ++d)
      x[d] = std::clamp(x[d], axes_[d].values.front(), axes_[d].values.back());
    spent = spent || time_.at(x) < floor_ms_;
    const double time = time_at(time_, x);
    hold(prediction.minibatch_ms, i, time, time_width_);
    if (has_power_) hold(prediction.power_w, i, power_at(energy_, x, time), power_width_);
    if (!spent) return;
    for (const double known : sample_.time) hold(prediction.minibatch_ms, i, known, time_width_);
    for (const double known : sample_.power)
      if (!std::isnan(known)) hold(prediction.power_w, i, known, power_width_);
  }
  static void hold(Estimates& estimates, size_t i, double value, double width) {
    estimates.lo90[i] = std::min(estimates.lo90[i], value * std::max(0.0, 1 - width));
    estimates.hi90[i] = std::max(estimates.hi90[i], value * (1 + width));
  }

  Sample take(const WorkloadTable& table) const {
    Sample sample;
    const auto columns = match_axes(table.space, axes_);
    for (size_t i = 0; columns && i < table.size(); ++i) {
      const std::vector<double> x = pick(table.space.row(i), *columns);
      sample.x.insert(sample.x.end(), x.begin(), x.end());
      sample.time.push_back(table.minibatch_ms[i]);
      sample.power.push_back(table.power_w[i]);
    }
    return sample;
  }

  // Rows of other workloads speak of energy only; those of another power total are left out.
  void add_reference(const WorkloadTable& reference, const std::string& total) {
    if (!match_axes(reference.space, axes_)) {
      notes_.push_back("linear: " + reference.title() + " lacks an axis and is not used");
      return;
    }
    if (reference.power_total != total) {
      notes_.push_back("linear: " + reference.title() + " is not used, its power is another total");
      return;
    }
    const Sample rows = take(reference);
    for (size_t i = 0; i < rows.time.size(); ++i) {
      if (std::isnan(rows.power[i])) continue;
      const auto row = std::span(rows.x).subspan(i * axes_.size(), axes_.size());
      shared_.x.insert(shared_.x.end(), row.begin(), row.end());
      shared_.time.push_back(rows.time[i]);
      shared_.power.push_back(rows.power[i]);
    }
  }

  void fit_models(const Sample& sample, LinearFit& time, EnergyFit& energy) {
    time = fit_linear(sample.x, axes_.size(), sample.time);
    Sample rows = shared_;
    for (size_t i = 0; i < sample.time.size(); ++i) {
      if (std::isnan(sample.power[i])) continue;
      const auto row = std::span(sample.x).subspan(i * axes_.size(), axes_.size());
      rows.x.insert(rows.x.end(), row.begin(), row.end());
      rows.time.push_back(sample.time[i]);
      rows.power.push_back(sample.power[i]);
    }
    has_power_ = std::ranges::any_of(sample_.power, [](double p) { return !std::isnan(p); });
    if (!has_power_) return;
    std::vector<double> joules;
    for (size_t i = 0; i < rows.time.size(); ++i)
      joules.push_back(rows.power[i] * rows.time[i] * 1e-3);
    energy = fit_energy(rows.x, axes_.size(), rows.time, joules);
  }

  double time_at(const LinearFit& fit, std::span<const double> x) const {
    return std::max(fit.at(x), floor_ms_);
  }
  double power_at(const EnergyFit& fit, std::span<const double> x, double time_ms) const {
    return std::max(fit.at(x, time_ms) / (time_ms * 1e-3), 1e-3);
  }

  void judge() {
    std::vector<double> time_errors, power_errors;
    for (size_t i = 0; i < sample_.time.size() && sample_.time.size() > 2; ++i) {
      LinearFit time;
      EnergyFit energy;
      fit_models(without(sample_, axes_.size(), i), time, energy);
      const auto x = std::span(sample_.x).subspan(i * axes_.size(), axes_.size());
      const double predicted = time_at(time, x);
      time_errors.push_back(std::abs(predicted / sample_.time[i] - 1));
      if (has_power_ && !std::isnan(sample_.power[i]))
        power_errors.push_back(std::abs(power_at(energy, x, predicted) / sample_.power[i] - 1));
    }
    time_width_ = jackknife_width(time_errors);
    power_width_ = jackknife_width(power_errors);
  }

  std::vector<Axis> axes_;
  std::vector<Axis> profiled_;
  Sample sample_, shared_;
  LinearFit time_;
  EnergyFit energy_;
  bool has_power_ = false;
  double floor_ms_ = 0, time_width_ = 1, power_width_ = 1;
  std::vector<std::string> notes_;
};

}  // namespace

double LinearFit::at(std::span<const double> x) const {
  return offset + dot(coefficients, x);
}

double EnergyFit::at(std::span<const double> x, double time) const {
  return offset + time * dot(coefficients, x);
}

LinearFit fit_linear(std::span<const double> x, size_t dimensions, std::span<const double> y) {
  Matrix features = as_matrix(x, y.size(), dimensions);
  const Eigen::RowVectorXd centre = features.colwise().mean();
  features.rowwise() -= centre;
  const double level = mean(y);
  const Vector weights = minimum_norm(features, as_vector(y).array() - level);
  return {level - centre.dot(weights), {weights.begin(), weights.end()}};
}

EnergyFit fit_energy(std::span<const double> x, size_t dimensions, std::span<const double> time,
                     std::span<const double> energy) {
  Matrix features(static_cast<Eigen::Index>(time.size()),
                  static_cast<Eigen::Index>(dimensions + 1));
  features.col(0).setOnes();
  features.rightCols(static_cast<Eigen::Index>(dimensions)) =
      as_matrix(x, time.size(), dimensions).array().colwise() * as_vector(time).array();
  const Vector weights = minimum_norm(features, as_vector(energy));
  return {weights[0], {weights.begin() + 1, weights.end()}};
}

std::unique_ptr<Predictor> make_linear() {
  return std::make_unique<Linear>();
}

}  // namespace flyball
