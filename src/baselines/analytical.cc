#include "baselines/analytical.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "predict/interval.h"
#include "predict/least_squares.h"
#include "predict/rows.h"

namespace flyball {
namespace {

// value = coefficients · (1, terms…)
struct Fit {
  Vector coefficients;

  double at(std::span<const double> terms) const {
    double sum = coefficients[0];
    for (size_t i = 0; i < terms.size(); ++i)
      sum += coefficients[static_cast<Eigen::Index>(i + 1)] * terms[i];
    return sum;
  }
};

struct Row {
  std::vector<double> x;
  double value;  // log of ms, or W
};

struct Fitted {
  Fit fit;
  std::vector<double> left_out;  // what each row is predicted without itself
  std::vector<bool> known;       // is left_out known, or does the fit hang on this row alone?
  bool full_rank = false;
};

Fitted least_squares(const std::vector<Row>& rows) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  const auto terms = static_cast<Eigen::Index>(rows.front().x.size());
  Matrix features(n, terms + 1);
  Vector values(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Row& row = rows[static_cast<size_t>(i)];
    features(i, 0) = 1;
    for (Eigen::Index t = 0; t < terms; ++t) features(i, t + 1) = row.x[static_cast<size_t>(t)];
    values[i] = row.value;
  }
  // Centred, so that terms which the rows leave open get the least weight, not the level.
  const Eigen::RowVectorXd centre = features.rightCols(terms).colwise().mean();
  features.rightCols(terms).rowwise() -= centre;
  Vector scale = features.rightCols(terms).colwise().norm().transpose();
  for (double& length : scale)
    if (!(length > 0)) length = 1;
  features.rightCols(terms) = features.rightCols(terms) * scale.cwiseInverse().asDiagonal();
  const LeastSquares decomposition(features);
  Vector weights = decomposition.solve(values);
  const Vector residuals = values - features * weights;
  const Vector leverage = (features * decomposition.pseudo_inverse()).diagonal();
  weights.tail(terms) = weights.tail(terms).cwiseQuotient(scale);
  weights[0] -= centre.dot(weights.tail(terms));
  Fitted fitted{{weights}, {}, {}, decomposition.rank() == terms + 1};
  for (Eigen::Index i = 0; i < n; ++i) {
    const double free = 1 - leverage[i];
    fitted.known.push_back(free > 1e-6);
    fitted.left_out.push_back(values[i] - residuals[i] / std::max(free, 1e-6));
  }
  return fitted;
}

// One figure: a fit for each memory clock that can bear one, and one for all.
class Surface {
 public:
  // `memory` is the column of the memory clock, if it varies.
  Surface(const std::vector<Row>& rows, std::optional<size_t> memory) : memory_(memory) {
    const Fitted all = least_squares(rows);
    global_ = all.fit;
    if (memory) {
      std::map<double, std::vector<Row>> clocks;
      for (const Row& row : rows) clocks[row.x[*memory]].push_back({without(row.x), row.value});
      clocks_ = clocks.size();
      for (const auto& [clock, part] : clocks) {
        if (part.size() < part.front().x.size() + 2) continue;
        const Fitted fitted = least_squares(part);
        if (!fitted.full_rank) continue;
        fits_.emplace(clock, fitted.fit);
        judge(part, fitted);
      }
    }
    // The single fit answers for the rows of the clocks that have none of their own.
    for (size_t i = 0; i < rows.size(); ++i)
      if (all.known[i] && !(memory && fits_.contains(rows[i].x[*memory])))
        errors.push_back({all.left_out[i], rows[i].value});
  }

  double at(const std::vector<double>& x) const {
    if (memory_)
      if (const auto found = fits_.find(x[*memory_]); found != fits_.end())
        return found->second.at(without(x));
    return global_.at(x);
  }
  size_t own_fits() const { return fits_.size(); }
  size_t clocks() const { return clocks_; }

  struct Pair {
    double predicted, observed;
  };
  std::vector<Pair> errors;

 private:
  std::vector<double> without(const std::vector<double>& x) const {
    std::vector<double> rest = x;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*memory_));
    return rest;
  }
  void judge(const std::vector<Row>& rows, const Fitted& fitted) {
    for (size_t i = 0; i < rows.size(); ++i)
      if (fitted.known[i]) errors.push_back({fitted.left_out[i], rows[i].value});
  }

  std::optional<size_t> memory_;
  Fit global_;
  std::map<double, Fit> fits_;
  size_t clocks_ = 0;
};

class Analytical final : public Predictor {
 public:
  std::string name() const override { return "analytical"; }

  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable>,
             const FitOptions&) override {
    FLYBALL_CHECK(check_rows(measured, 2));
    axes_ = varying_axes(measured.space);
    profiled_ = measured.space.axes();
    notes_.clear();
    power_.reset();
    std::optional<size_t> memory;
    for (size_t d = 0; d < axes_.size(); ++d)
      if (axes_[d].name == axis::mem_mhz) memory = d;
    FLYBALL_ASSIGN(const auto columns, match_axes(measured.space, axes_));
    std::vector<Row> times, powers;
    for (size_t i = 0; i < measured.size(); ++i) {
      const auto x = pick(measured.space.row(i), columns);
      times.push_back({logs(x), std::log(measured.minibatch_ms[i])});
      if (!std::isnan(measured.power_w[i])) powers.push_back({x, measured.power_w[i]});
    }
    time_.emplace(times, memory);
    std::vector<double> errors;
    for (const auto& [predicted, observed] : time_->errors)
      errors.push_back(std::abs(predicted - observed));
    time_width_ = jackknife_width(errors);
    say_fallback(*time_, "time");
    if (powers.size() >= 2) fit_power(powers, memory);
    return {};
  }

  Result<Prediction> predict(const Space& space) const override {
    if (!time_)
      return Error{Code::invalid_argument, "analytical has not been fitted", "call fit() first"};
    FLYBALL_ASSIGN(const auto columns, match_axes(space, axes_));
    Prediction prediction;
    prediction.extrapolated = outside_profiled(profiled_, space);
    prediction.notes = notes_;
    std::vector<double> power;
    size_t raised = 0;
    for (size_t i = 0; i < space.size(); ++i) {
      const auto x = pick(space.row(i), columns);
      const double time = std::exp(time_->at(logs(x)));
      prediction.minibatch_ms.mean.push_back(time);
      prediction.minibatch_ms.lo90.push_back(time * std::exp(-time_width_));
      prediction.minibatch_ms.hi90.push_back(time * std::exp(time_width_));
      if (!power_) continue;
      const double watts = power_->at(x);
      raised += watts < floor_w_;
      power.push_back(std::max(watts, floor_w_));
    }
    if (raised > 0)
      prediction.notes.push_back(
          fmt::format("analytical: {} of {} powers came out at or below zero and were raised to "
                      "{:.3g} W",
                      raised, space.size(), floor_w_));
    if (power_) prediction.power_w = with_interval(std::move(power), power_width_);
    return prediction;
  }

 private:
  std::vector<double> logs(const std::vector<double>& x) const {
    std::vector<double> terms;
    for (size_t d = 0; d < x.size(); ++d)
      terms.push_back(axes_[d].values.front() > 0 && x[d] > 0 ? std::log(x[d]) : x[d]);
    return terms;
  }

  void fit_power(const std::vector<Row>& rows, std::optional<size_t> memory) {
    power_.emplace(rows, memory);
    floor_w_ = rows.front().value;
    for (const Row& row : rows) floor_w_ = std::min(floor_w_, row.value);
    floor_w_ *= 0.05;
    std::vector<double> errors;
    for (const auto& [predicted, observed] : power_->errors)
      errors.push_back(std::abs(std::max(predicted, floor_w_) / observed - 1));
    power_width_ = jackknife_width(errors);
    say_fallback(*power_, "power");
  }

  void say_fallback(const Surface& surface, const char* figure) {
    if (surface.own_fits() < surface.clocks())
      notes_.push_back(
          fmt::format("analytical: {} of {} memory clocks had too few rows for a {} fit of their "
                      "own; one fit over all clocks serves them",
                      surface.clocks() - surface.own_fits(), surface.clocks(), figure));
  }

  std::vector<Axis> axes_;
  std::vector<Axis> profiled_;
  std::optional<Surface> time_, power_;
  double time_width_ = 1, power_width_ = 1, floor_w_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Predictor> make_analytical() {
  return std::make_unique<Analytical>();
}

}  // namespace flyball
