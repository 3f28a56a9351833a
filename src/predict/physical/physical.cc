#include "predict/physical/physical.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/distributions.h"
#include "base/text.h"
#include "predict/gp/coordinates.h"
#include "predict/interval.h"
#include "predict/nnls.h"
#include "predict/rows.h"

namespace flyball {
namespace {

constexpr int fit_rounds = 10;
constexpr double huber_sds = 2.5;  // beyond them a row counts less
constexpr double least_sd = 0.01;  // of relative errors; a perfect fit has outliers, too
constexpr size_t most_folds = 12;  // of the errors behind the intervals
constexpr double tiny = 1e-9;

using Factors = std::vector<PhysicalTerm::Factor>;

// The axes by what they mean.
struct Roles {
  std::optional<size_t> cores, batch;
  std::vector<size_t> clocks, cpu, others;

  explicit Roles(const std::vector<Axis>& axes) {
    const std::vector<AxisRole> all = axis_roles(axes);
    for (size_t d = 0; d < axes.size(); ++d) {
      const AxisRole role = all[d];
      if (role == AxisRole::cores)
        cores = d;
      else if (role == AxisRole::batch)
        batch = d;
      else if (role == AxisRole::other)
        others.push_back(d);
      else
        clocks.push_back(d);
      if (role == AxisRole::cpu) cpu.push_back(d);
    }
  }
};

class Terms {
 public:
  explicit Terms(const std::vector<Axis>& axes) : axes_(axes) {}

  void add(const Factors& factors) {
    std::vector<std::string> above, below;
    for (const auto& [axis, exponent] : factors) {
      const double size = std::abs(exponent);
      (exponent > 0 ? above : below)
          .push_back(size == 1 ? axes_[axis].name : fmt::format("{}^{}", axes_[axis].name, size));
    }
    std::string name = above.empty() ? "1" : join(above, " ");
    if (!below.empty()) name += "/(" + join(below, " ") + ")";
    all.push_back({std::move(name), factors});
  }
  // Each term again for each sample of the batch.
  void repeat_for(size_t batch) {
    const size_t count = all.size();
    for (size_t i = 0; i < count; ++i) {
      Factors factors = all[i].factors;
      factors.push_back({batch, 1});
      add(factors);
    }
  }

  std::vector<PhysicalTerm> all;

 private:
  const std::vector<Axis>& axes_;
};

// Weight of each row given its relative error: one, or less far out (Huber).
std::vector<double> row_weights(const std::vector<double>& errors) {
  std::vector<double> sizes;
  for (double error : errors) sizes.push_back(std::abs(error));
  const double limit = huber_sds * std::max(least_sd, robust_deviation(sizes));
  std::vector<double> weights;
  for (double size : sizes) weights.push_back(size > limit ? limit / size : 1);
  return weights;
}

void fit_weights(PhysicalFit& fit, std::span<const double> x, std::span<const double> y) {
  const size_t dimensions = fit.scale.size(), columns = fit.terms.size();
  PhysicalFit unit = fit;
  std::vector<double> features(y.size() * columns), weights(y.size(), 1.0);
  for (size_t j = 0; j < columns; ++j) {
    unit.weights.assign(columns, 0.0);
    unit.weights[j] = 1;
    for (size_t i = 0; i < y.size(); ++i)
      features[i * columns + j] = unit.at(x.subspan(i * dimensions, dimensions)) / y[i];
  }
  for (int round = 0; round < fit_rounds; ++round) {
    std::vector<double> a = features, errors;
    for (size_t i = 0; i < y.size(); ++i)
      for (size_t j = 0; j < columns; ++j) a[i * columns + j] *= std::sqrt(weights[i]);
    std::vector<double> b;
    for (double weight : weights) b.push_back(std::sqrt(weight));
    fit.weights = nnls(a, columns, b);
    for (size_t i = 0; i < y.size(); ++i)
      errors.push_back(fit.at(x.subspan(i * dimensions, dimensions)) / y[i] - 1);
    std::vector<double> next = row_weights(errors);
    if (next == weights) break;
    weights = std::move(next);
  }
}

// Errors of rows that the fit has not seen, in at most `most_folds` folds.
std::vector<double> unseen_errors(const PhysicalFit& fit, std::span<const double> x,
                                  std::span<const double> y) {
  const size_t dimensions = fit.scale.size(), folds = std::min(most_folds, y.size());
  std::vector<double> errors;
  for (size_t fold = 0; fold < folds && folds > 1; ++fold) {
    std::vector<double> kept_x, kept_y;
    for (size_t i = 0; i < y.size(); ++i) {
      if (i % folds == fold) continue;
      const auto row = x.subspan(i * dimensions, dimensions);
      kept_x.insert(kept_x.end(), row.begin(), row.end());
      kept_y.push_back(y[i]);
    }
    PhysicalFit part = fit;
    fit_weights(part, kept_x, kept_y);
    for (size_t i = fold; i < y.size(); i += folds)
      errors.push_back(std::abs(part.at(x.subspan(i * dimensions, dimensions)) / y[i] - 1));
  }
  return errors;
}

class Physical final : public Predictor {
 public:
  std::string name() const override { return "physical"; }

  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable>,
             const FitOptions&) override {
    FLYBALL_CHECK(check_rows(measured, 2));
    axes_ = varying_axes(measured.space);
    profiled_ = measured.space.axes();
    FLYBALL_ASSIGN(const auto columns, match_axes(measured.space, axes_));
    const auto figure = [&](const std::vector<double>& values, std::vector<PhysicalTerm> terms) {
      std::vector<double> x, y;
      for (size_t i = 0; i < measured.size(); ++i) {
        if (std::isnan(values[i])) continue;
        const auto row = pick(measured.space.row(i), columns);
        x.insert(x.end(), row.begin(), row.end());
        y.push_back(values[i]);
      }
      return y.empty() ? std::nullopt : std::optional(fit_physical(axes_, std::move(terms), x, y));
    };
    time_ = figure(measured.minibatch_ms, physical_time_terms(axes_));
    power_ = figure(measured.power_w, physical_power_terms(axes_));
    return {};
  }

  Result<Prediction> predict(const Space& space) const override {
    if (!time_)
      return Error{Code::invalid_argument, "physical has not been fitted", "call fit() first"};
    FLYBALL_ASSIGN(const auto columns, match_axes(space, axes_));
    Prediction prediction;
    prediction.extrapolated = outside_profiled(profiled_, space);
    std::vector<double> time, power;
    for (size_t i = 0; i < space.size(); ++i) {
      const auto x = pick(space.row(i), columns);
      time.push_back(time_->at(x));
      if (power_) power.push_back(power_->at(x));
    }
    prediction.minibatch_ms = with_interval(std::move(time), time_->half_width);
    if (power_) prediction.power_w = with_interval(std::move(power), power_->half_width);
    return prediction;
  }

 private:
  std::vector<Axis> axes_;
  std::vector<Axis> profiled_;
  std::optional<PhysicalFit> time_, power_;
};

}  // namespace

std::vector<PhysicalTerm> physical_time_terms(const std::vector<Axis>& axes) {
  const Roles roles(axes);
  Terms terms(axes);
  terms.add({});
  for (size_t clock : roles.clocks) terms.add({{clock, -1}});
  if (roles.cores) {
    terms.add({{*roles.cores, -1}});
    for (size_t clock : roles.clocks)
      if (axis_role(axes[clock].name) != AxisRole::gpu)
        terms.add({{*roles.cores, -1}, {clock, -1}});
  }
  // Stages that overlap in part: between the slower of two and their sum.
  for (size_t i = 0; i < roles.clocks.size(); ++i)
    for (size_t j = i + 1; j < roles.clocks.size(); ++j)
      terms.add({{roles.clocks[i], -0.5}, {roles.clocks[j], -0.5}});
  for (size_t other : roles.others) {
    terms.add({{other, 1}});
    terms.add({{other, -1}});
    for (size_t clock : roles.clocks) terms.add({{other, -1}, {clock, -1}});
  }
  if (roles.batch) terms.repeat_for(*roles.batch);
  return terms.all;
}

std::vector<PhysicalTerm> physical_power_terms(const std::vector<Axis>& axes) {
  const Roles roles(axes);
  Terms terms(axes);
  terms.add({});
  for (size_t clock : roles.clocks)
    for (double exponent : {1.0, 3.0}) terms.add({{clock, exponent}});
  if (roles.cores) {
    terms.add({{*roles.cores, 1}});
    for (size_t cpu : roles.cpu)
      for (double exponent : {1.0, 3.0}) terms.add({{*roles.cores, 1}, {cpu, exponent}});
  }
  // Memory traffic follows the GPU's speed.
  for (size_t i = 0; i < roles.clocks.size(); ++i)
    for (size_t j = i + 1; j < roles.clocks.size(); ++j)
      terms.add({{roles.clocks[i], 1}, {roles.clocks[j], 1}});
  for (size_t other : roles.others) {
    terms.add({{other, 1}});
    terms.add({{other, -1}});
  }
  // A larger batch keeps the device busier, with less and less to gain.
  if (roles.batch) {
    const size_t count = terms.all.size();
    for (size_t i = 0; i < count; ++i) {
      Factors factors = terms.all[i].factors;
      factors.push_back({*roles.batch, 0.3});
      terms.add(factors);
    }
    terms.add({{*roles.batch, -1}});
  }
  return terms.all;
}

double PhysicalFit::at(std::span<const double> x) const {
  double sum = 0;
  for (size_t j = 0; j < terms.size(); ++j) {
    if (weights[j] == 0) continue;
    double product = weights[j];
    for (const auto& [axis, exponent] : terms[j].factors) {
      const double value = std::max((x[axis] + shift[axis]) / scale[axis], tiny);
      product *= exponent == 1 ? value : std::pow(value, exponent);
    }
    sum += product;
  }
  return sum;
}

PhysicalFit fit_physical(const std::vector<Axis>& axes, std::vector<PhysicalTerm> terms,
                         std::span<const double> x, std::span<const double> y) {
  PhysicalFit fit;
  fit.terms = std::move(terms);
  for (const Axis& axis : axes) {
    fit.shift.push_back(axis.values.front() > 0 ? 0 : 1 - axis.values.front());
    fit.scale.push_back(axis.values.back() + fit.shift.back());
  }
  fit_weights(fit, x, y);
  fit.half_width = jackknife_width(unseen_errors(fit, x, y));
  return fit;
}

std::unique_ptr<Predictor> make_physical() {
  return std::make_unique<Physical>();
}

}  // namespace flyball
