#include "twin/calibrate.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/statistics.h"
#include "twin/plan.h"
#include "twin/stream.h"

namespace flyball {
namespace {

constexpr double time_scale = 0.06;   ///< log error at which a row of time counts half
constexpr double power_scale = 0.04;  ///< the same of power

struct Row {
  size_t of = 0;  ///< case
  TwinConfiguration configuration;
  double log_ms = 0, log_w = 0;
  bool has_power = false;
  double weight = 1;
};

/// Facts of a board, and what no table tells.
bool is_free(const TwinConstant& constant, const std::vector<std::string>& fixed) {
  static const std::vector<std::string> facts = {
      "cuda_cores",   "bus_bits",    "cpu_speed",     "cpu_flop",        "run_noise", "time_noise",
      "sample_noise", "power_noise", "leakage_per_c", "thermal_c_per_w", "thermal_s", "kernel_us"};
  const auto listed = [&](const std::vector<std::string>& list) {
    return std::ranges::find(list, constant.name) != list.end();
  };
  return !listed(facts) && !listed(fixed);
}

class Fit {
 public:
  Fit(const TwinBoard& board, std::vector<TwinNetwork> networks, std::span<const TwinCase> cases,
      std::vector<Row> rows, const TwinFitOptions& options)
      : board_(board),
        networks_(std::move(networks)),
        cases_(cases),
        rows_(std::move(rows)),
        options_(options) {
    for (const TwinConstant& constant : twin_constants())
      if (is_free(constant, options.fixed) && used(constant)) free_.push_back(&constant);
    start_ = pack(board.constants);
    const Eigen::Index n = static_cast<Eigen::Index>(rows_.size());
    weights_.resize(2 * n);
    for (Eigen::Index i = 0; i < n; ++i)
      weights_[i] = weights_[n + i] = rows_[static_cast<size_t>(i)].weight;
  }

  Result<TwinFit> run() {
    Eigen::VectorXd at = start_;
    FLYBALL_ASSIGN(Eigen::VectorXd residuals, errors(at));
    TwinFit fit;
    fit.loss_before = loss(residuals) / static_cast<double>(rows_.size());
    double best = total(residuals, at), damping = 1e-2;
    for (; fit.rounds < options_.rounds && damping < 1e8; ++fit.rounds) {
      FLYBALL_ASSIGN(const Eigen::MatrixXd slopes, jacobian(at, residuals));
      const Eigen::VectorXd weights = robust_weights(residuals);
      Eigen::MatrixXd normal = slopes.transpose() * weights.asDiagonal() * slopes;
      Eigen::VectorXd gradient = slopes.transpose() * (weights.asDiagonal() * residuals);
      const double prior = options_.prior * static_cast<double>(rows_.size());
      normal.diagonal().array() += prior;
      gradient += prior * (at - start_);
      bool better = false;
      while (!better && damping < 1e8) {
        Eigen::MatrixXd damped = normal;
        damped.diagonal() *= 1 + damping;
        const Eigen::VectorXd tried = clamp(at - damped.ldlt().solve(gradient));
        FLYBALL_ASSIGN(Eigen::VectorXd new_residuals, errors(tried));
        const double now = total(new_residuals, tried);
        better = now < best;
        damping *= better ? 0.3 : 4;
        if (!better) continue;
        const bool done = best - now < 1e-5 * best;
        best = now;
        at = tried;
        residuals = std::move(new_residuals);
        if (done) damping = 1e9;
      }
    }
    fit.loss = loss(residuals) / static_cast<double>(rows_.size());
    fit.constants = unpack(at);
    for (size_t i = 0; i < free_.size(); ++i) {
      const auto [low, high] = bounds(*free_[i]);
      if (at[i] <= low + 1e-9 || at[i] >= high - 1e-9) fit.at_bound.push_back(free_[i]->name);
    }
    return fit;
  }

 private:
  /// Kinds of layers that no case has cannot be learned.
  bool used(const TwinConstant& constant) const {
    if (constant.plain) return true;
    for (const TwinNetwork& network : networks_)
      for (const TwinOperator& op : network.operators)
        if (static_cast<size_t>(op.kind) == constant.kind) return true;
    return false;
  }

  static bool is_share(const TwinConstant& constant) { return constant.high <= 1; }

  /// Shares of what can be had are fitted as they are, everything else as its logarithm.
  static double forward(const TwinConstant& constant, double value) {
    return is_share(constant) && constant.plain ? value : std::log(std::max(value, 1e-3));
  }
  static std::pair<double, double> bounds(const TwinConstant& constant) {
    if (is_share(constant) && constant.plain) return {constant.low, constant.high};
    if (constant.by_kind == &TwinConstants::traffic) return {std::log(0.3), std::log(8.0)};
    return {std::log(std::max(constant.low, 1e-3)), std::log(constant.high)};
  }

  Eigen::VectorXd pack(const TwinConstants& constants) const {
    Eigen::VectorXd at(static_cast<Eigen::Index>(free_.size()));
    for (size_t i = 0; i < free_.size(); ++i) at[i] = forward(*free_[i], free_[i]->in(constants));
    return at;
  }
  TwinConstants unpack(const Eigen::VectorXd& at) const {
    TwinConstants constants = board_.constants;
    for (size_t i = 0; i < free_.size(); ++i)
      free_[i]->in(constants) = is_share(*free_[i]) && free_[i]->plain ? at[i] : std::exp(at[i]);
    return constants;
  }
  Eigen::VectorXd clamp(Eigen::VectorXd at) const {
    for (size_t i = 0; i < free_.size(); ++i) {
      const auto [low, high] = bounds(*free_[i]);
      at[i] = std::clamp(at[i], low, high);
    }
    return at;
  }

  /// Scaled logarithmic errors: the times of all rows, then their power.
  Result<Eigen::VectorXd> errors(const Eigen::VectorXd& at) const {
    TwinBoard board = board_;
    board.constants = unpack(at);
    const Eigen::Index n = static_cast<Eigen::Index>(rows_.size());
    Eigen::VectorXd residuals = Eigen::VectorXd::Zero(2 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Row& row = rows_[static_cast<size_t>(i)];
      FLYBALL_ASSIGN(const TwinReading reading,
                     twin_reading(board, networks_[row.of], cases_[row.of].workload,
                                  row.configuration, options_.minibatches,
                                  row.has_power ? cases_[row.of].table->power_total : ""));
      residuals[i] = (std::log(reading.minibatch_ms) - row.log_ms) / time_scale;
      if (row.has_power) residuals[n + i] = (std::log(reading.power_w) - row.log_w) / power_scale;
    }
    return residuals;
  }

  Result<Eigen::MatrixXd> jacobian(const Eigen::VectorXd& at,
                                   const Eigen::VectorXd& residuals) const {
    constexpr double step = 1e-4;
    Eigen::MatrixXd slopes(residuals.size(), at.size());
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      Eigen::VectorXd moved = at;
      moved[i] += step;
      FLYBALL_ASSIGN(const Eigen::VectorXd there, errors(moved));
      slopes.col(i) = (there - residuals) / step;
    }
    return slopes;
  }

  Eigen::VectorXd robust_weights(const Eigen::VectorXd& residuals) const {
    return weights_.array() / (1 + residuals.array().square());
  }
  double loss(const Eigen::VectorXd& residuals) const {
    return 0.5 * (weights_.array() * (1 + residuals.array().square()).log()).sum();
  }
  double total(const Eigen::VectorXd& residuals, const Eigen::VectorXd& at) const {
    return loss(residuals) +
           0.5 * options_.prior * static_cast<double>(rows_.size()) * (at - start_).squaredNorm();
  }

  const TwinBoard& board_;
  std::vector<TwinNetwork> networks_;
  std::span<const TwinCase> cases_;
  std::vector<Row> rows_;
  const TwinFitOptions& options_;
  std::vector<const TwinConstant*> free_;
  Eigen::VectorXd start_, weights_;
};

}  // namespace

TwinConfiguration twin_configuration(const WorkloadTable& table, size_t row) {
  TwinConfiguration configuration;
  const std::vector<Axis>& axes = table.space.axes();
  const auto values = table.space.row(row);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name == axis::batch_size) {
      configuration.batch_size = values[i];
    } else if (axes[i].name == axis::loader_workers) {
      configuration.loader_workers = values[i];
    } else if (axes[i].name == axis::prefetch) {
      configuration.prefetch = values[i];
    } else {
      configuration.mode.values[axes[i].name] = values[i];
    }
  }
  return configuration;
}

Result<TwinReading> twin_reading(const TwinBoard& board, const TwinNetwork& network,
                                 const TwinWorkload& workload,
                                 const TwinConfiguration& configuration, int minibatches,
                                 const std::string& total) {
  FLYBALL_ASSIGN(const TwinPlan plan, make_twin_plan(board, network, workload, configuration));
  // The board outlives the call: no owner is needed.
  const std::shared_ptr<const TwinBoard> borrowed(std::shared_ptr<void>(), &board);
  TwinOptions options;
  options.noise = false;
  options.samples_differ = true;
  TwinStream::Inside stream(borrowed, plan, workload, options);
  std::vector<double> times;
  times.reserve(static_cast<size_t>(minibatches));
  for (int i = -2 * plan.ahead; i < minibatches; ++i) {
    const TwinMinibatch minibatch = stream.next();
    if (i >= 0) times.push_back(minibatch.e2e_ms());
  }
  TwinRailPower rail_w{};
  for (size_t rail = 0; rail < rail_w.size(); ++rail)
    rail_w[rail] = stream.energy_j[rail] / stream.now_s;
  const size_t counted = whole_rounds_of(times.size(), plan.workers);
  TwinReading reading{median(times), mean(std::span(times).last(counted)), 0};
  if (board.rails.empty() && total.empty()) return reading;
  FLYBALL_ASSIGN(reading.power_w, twin_power_of(board, twin_power(board, rail_w), total));
  return reading;
}

Result<TwinFit> calibrate_twin(const TwinBoard& board, std::span<const TwinCase> cases,
                               const TwinFitOptions& options) {
  std::vector<TwinNetwork> networks;
  std::vector<Row> rows;
  for (size_t of = 0; of < cases.size(); ++of) {
    FLYBALL_ASSIGN(TwinNetwork network,
                   make_twin_network(cases[of].workload.layers, cases[of].workload.half_precision));
    networks.push_back(std::move(network));
    const WorkloadTable& table = *cases[of].table;
    if (const Status told = check_twin_total(board, table.power_total);
        table.has_power() && !told.ok())
      return told.error().within(table.title());
    const size_t wanted = std::min(options.rows, table.size());
    // A few published points count for more than as many rows of a grid.
    const double weight = std::clamp(
        static_cast<double>(options.rows) / (10.0 * static_cast<double>(wanted)), 1.0, 10.0);
    for (size_t i = 0; i < wanted; ++i) {
      const size_t row = i * table.size() / wanted;
      const double power = table.power_w[row];
      const bool has_power = power > 0;
      rows.push_back({of, twin_configuration(table, row), std::log(table.minibatch_ms[row]),
                      has_power ? std::log(power) : 0, has_power, weight});
    }
  }
  if (rows.empty())
    return Error{Code::invalid_argument, "without rows nothing can be calibrated", ""};
  return Fit(board, std::move(networks), cases, std::move(rows), options).run();
}

}  // namespace flyball
