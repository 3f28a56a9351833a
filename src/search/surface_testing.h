// A hand-made surface whose optima are known, and a predictor made for it. For tests only.
#pragma once

#include <cmath>

#include "predict/predictor.h"
#include "problem/exact.h"
#include "search/strategy.h"

namespace flyball::testing_surface {

/// time = 2000 / (cores-weighted cpu) + 8000 / gpu; power = 5 + cpu³ + gpu³ terms.
inline double time_ms(std::span<const double> row) {
  return 400 / row[0] + 6000 / row[1];
}
inline double power_w(std::span<const double> row) {
  return 6 + 0.8 * row[0] + 12 * std::pow(row[1] / 800, 3);
}

/// 4 × 10 · `finer` configurations.
inline Space space(int finer = 1) {
  std::vector<double> gpu;
  for (int i = finer; i <= 10 * finer; ++i) gpu.push_back(100.0 * i / finer);
  return Space::grid({named_axis("cpu_cores", {2, 4, 6, 8}), named_axis("gpu_mhz", gpu)});
}

inline std::shared_ptr<const Problem> problem(Budgets budgets,
                                              Objective objective = Objective::time,
                                              int finer = 1) {
  auto made = std::make_shared<Problem>();
  made->candidates = std::make_shared<Candidates>(*Candidates::link({space(finer)}));
  made->roles = {{"net", Phase::train, 0, unlimited}};
  made->budgets = budgets;
  made->objective = objective;
  return made;
}

inline Readings readings(const Problem& problem) {
  Readings all(1);
  const Space& rows = problem.candidates->space(0);
  for (size_t i = 0; i < rows.size(); ++i)
    all[0].push_back({time_ms(rows.row(i)), power_w(rows.row(i))});
  return all;
}

/// The same training beside a service in batches of 1, 4 and 16; a batch takes longer than a
/// minibatch by what it holds, and draws 1 W less.
inline std::shared_ptr<const Problem> beside_serving(double power_w, double rate_hz,
                                                     double latency_ms) {
  auto made = std::make_shared<Problem>();
  std::vector<Axis> axes = space().axes();
  axes.push_back(named_axis("batch_size", {1, 4, 16}));
  made->candidates = std::make_shared<Candidates>(*Candidates::link({space(), Space::grid(axes)}));
  made->roles = {{"net", Phase::train, 0, unlimited}, {"det", Phase::infer, rate_hz, latency_ms}};
  made->budgets.power_w = power_w;
  made->objective = Objective::throughput;
  return made;
}

inline Readings readings_of_both(const Problem& problem) {
  Readings all = readings(problem);
  std::vector<Reading>& served = all.emplace_back();
  const Space& rows = problem.candidates->space(1);
  for (size_t i = 0; i < rows.size(); ++i)
    served.push_back({time_ms(rows.row(i)) * (0.2 + 0.05 * problem.candidates->batch(1, i)),
                      power_w(rows.row(i)) - 1});
  return all;
}

/// Nearest measured row in log space, scaled: crude on purpose, with a spread that grows with
/// distance; needs two rows.
class NearestPredictor : public Predictor {
 public:
  std::string name() const override { return "nearest"; }
  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable>,
             const FitOptions&) override {
    if (measured.size() < 2) return Error{Code::invalid_argument, "two rows are needed", ""};
    measured_ = measured;
    return {};
  }
  Result<Prediction> predict(const Space& rows) const override {
    Prediction out;
    const bool power = measured_.has_power();
    for (size_t i = 0; i < rows.size(); ++i) {
      double nearest = 1e300;
      size_t row = 0;
      for (size_t m = 0; m < measured_.size(); ++m) {
        double far = 0;
        for (size_t d = 0; d < rows.dimensions(); ++d)
          far += std::pow(std::log(rows.row(i)[d] / measured_.space.row(m)[d]), 2);
        if (far < nearest) nearest = far, row = m;
      }
      const double spread = std::exp(0.02 + 0.6 * std::sqrt(nearest));
      add(out.minibatch_ms, measured_.minibatch_ms[row], spread);
      if (power) add(out.power_w, measured_.power_w[row], spread);
      out.extrapolated.push_back(false);
    }
    return out;
  }

 private:
  static void add(Estimates& to, double mean, double spread) {
    to.mean.push_back(mean);
    to.lo90.push_back(mean / spread);
    to.hi90.push_back(mean * spread);
  }
  WorkloadTable measured_;
};

inline SearchOptions with_predictor(size_t profiles = 12) {
  SearchOptions options;
  options.profile_budget = profiles;
  options.make_predictor = [] { return std::make_unique<NearestPredictor>(); };
  return options;
}

}  // namespace flyball::testing_surface
