#include "predict/roofline/cost_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "base/distributions.h"
#include "base/random.h"
#include "base/statistics.h"
#include "predict/nnls.h"
#include "space/few_values.h"

namespace flyball {
namespace {

const double unknown = std::log(10.0);  // one work says nothing of how well it stands for others
constexpr size_t rows_for_costs = 500;  // of a table: enough for a dozen coefficients

/// A minibatch's, by what boards are differently good at.
struct MinibatchWork {
  double dense_flop, depthwise_flop, bytes, kernels;

  MinibatchWork(const Cost& cost, double batch)
      : dense_flop(cost.dense_flop_at(batch)),
        depthwise_flop(cost.depthwise_flop_at(batch)),
        bytes(cost.bytes_at(batch)),
        kernels(cost.kernels_at(batch)) {}
};

/// A configuration by name: GHz, 1 for an axis that the space lacks, unless a batch size is given.
struct Point {
  double batch, cores, cpu, gpu, mem;
  double loading;    ///< cores that load at once: of the workers, or the one that computes, too
  bool load_inline;  ///< what is loaded meanwhile is not computed
};

constexpr std::array point_axes = {axis::batch_size, axis::cpu_cores, axis::loader_workers,
                                   axis::cpu_mhz,    axis::gpu_mhz,   axis::mem_mhz};
constexpr std::array clock_axes = {axis::cpu_mhz, axis::gpu_mhz, axis::mem_mhz};
constexpr size_t told_values = 4;  // of an axis

bool is_clock_axis(const std::string& name) {
  return std::ranges::find(clock_axes, name) != clock_axes.end();
}

class Points {
 public:
  explicit Points(const Space& space, double batch_size) : space_(&space) {
    if (batch_size > 0) batch_size_ = batch_size;
    for (size_t i = 0; i < point_axes.size(); ++i) columns_[i] = space.axis_index(point_axes[i]);
  }
  Point at(size_t row) const {
    const auto value = [&](size_t i, double otherwise) {
      return columns_[i] ? space_->row(row)[*columns_[i]] : otherwise;
    };
    // Nobody knows what is switched off: it is taken to be as slow as it can be set.
    const auto ghz = [&](size_t i) {
      const double mhz = value(i, 1000);
      return (mhz > 0 ? mhz : slowest(*columns_[i])) / 1000;
    };
    const double workers = value(2, usual_loader_workers);
    const double loaders = std::max(1.0, workers), loading = std::min(value(1, loaders), loaders);
    return {value(0, batch_size_), value(1, 1), ghz(3), ghz(4), ghz(5), loading, workers < 1};
  }

 private:
  double slowest(size_t column) const {
    const std::vector<double>& values = space_->axes()[column].values;
    const auto found = std::ranges::find_if(values, [](double mhz) { return mhz > 0; });
    return found == values.end() ? 1000 : *found;
  }

  const Space* space_;
  double batch_size_ = 1;
  std::array<std::optional<size_t>, point_axes.size()> columns_;
};

// The axes that a point is made of, as far as any of both has values, and these.
std::vector<Axis> axes_of_points(std::span<const Axis> some, std::span<const Axis> more) {
  std::vector<Axis> axes;
  for (const char* name : point_axes) {
    std::set<double> values;
    for (const auto& all : {some, more})
      if (const Axis* has = find_axis(all, name))
        values.insert(has->values.begin(), has->values.end());
    if (!values.empty()) axes.push_back(named_axis(name, {values.begin(), values.end()}));
  }
  return axes;
}

// Those of `known` that `asked` has, too, with few values. Workers of which one number was read
// stay there.
std::vector<Axis> told_axes(std::span<const Axis> known, const Space& asked) {
  std::vector<Axis> axes = axes_of_points(known, asked.axes());
  std::erase_if(axes, [&](const Axis& axis) { return !asked.axis_index(axis.name); });
  for (Axis& axis : axes) {
    const std::vector<double>& own = asked.axes()[*asked.axis_index(axis.name)].values;
    const bool held = axis.name == axis::loader_workers && own.size() == 1;
    if (is_clock_axis(axis.name)) std::erase(axis.values, 0.0);
    axis.values = held ? own : few_values(axis.values, told_values);
  }
  return axes;
}

/// In ms with GFLOP, GB and thousands of kernels.
std::vector<double> time_terms(const Point& p, Phase phase, const MinibatchWork& work) {
  const double flop = work.dense_flop * 1e-9, depthwise = work.depthwise_flop * 1e-9;
  const double bytes = work.bytes * 1e-9, kernels = work.kernels * 1e-3;
  const double loaded = phase == Phase::train ? p.batch : 0;
  return {flop / p.gpu,
          depthwise / p.gpu,
          bytes / p.mem,
          bytes / p.gpu,
          kernels / p.cpu,
          kernels,
          kernels / p.gpu,
          loaded / (p.cpu * p.loading),
          loaded / p.cpu,
          p.load_inline ? loaded / p.cpu : 0,
          1};
}

std::vector<double> power_terms(const Point& p, Phase phase, const MinibatchWork& work,
                                double time_ms) {
  const double flop = work.dense_flop * 1e-9 / time_ms, bytes = work.bytes * 1e-9 / time_ms;
  const double loaded = phase == Phase::train ? p.batch / time_ms : 0;
  return {1,
          p.gpu,
          std::pow(p.gpu, 3),
          p.mem,
          p.cpu,
          p.cores * p.cpu,
          flop,
          flop * p.gpu * p.gpu,
          bytes,
          bytes * p.mem,
          bytes * p.gpu * p.gpu,
          loaded,
          loaded * p.cpu * p.cpu};
}

/// Rows of a relative fit, each with a weight.
class RelativeRows {
 public:
  void add(std::vector<double> terms, double figure, double weight) {
    columns_ = terms.size();
    for (double term : terms) features_.push_back(term / figure * weight);
    targets_.push_back(weight);
  }
  std::vector<double> solve() const { return nnls(features_, columns_, targets_); }

 private:
  size_t columns_ = 0;
  std::vector<double> features_, targets_;
};

/// Without rows of what is switched off, which say nothing of clocks.
WorkloadTable running(const WorkloadTable& table) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.size(); ++row) {
    bool runs = true;
    for (size_t d = 0; d < table.space.dimensions(); ++d)
      runs = runs && (table.space.row(row)[d] > 0 || !is_clock_axis(table.space.axes()[d].name));
    if (runs) rows.push_back(row);
  }
  return rows.size() == table.size() ? table : take_rows(table, rows);
}

WorkloadTable some_of(const WorkloadTable& all) {
  const WorkloadTable table = running(all);
  return take_rows(table, Random(1).sample(table.size(), std::min(rows_for_costs, table.size())));
}

std::vector<double> log_ratios(const std::vector<double>& truth, const std::vector<double>& told) {
  std::vector<double> ratios;
  for (size_t i = 0; i < told.size(); ++i) {
    const double ratio = std::log(truth[i] / told[i]);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

void join(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<double> sizes(std::vector<double> ratios) {
  for (double& ratio : ratios) ratio = std::abs(ratio);
  return ratios;
}

Estimates around(std::vector<double> mean, double width) {
  Estimates estimates;
  for (double value : mean) {
    estimates.lo90.push_back(value * std::exp(-width));
    estimates.hi90.push_back(value * std::exp(width));
  }
  estimates.mean = std::move(mean);
  return estimates;
}

}  // namespace

bool of_same_work(const WorkloadTable& a, const WorkloadTable& b) {
  return a.phase == b.phase && a.cost && a.cost == b.cost;
}

Result<CostForm> CostForm::fit(std::span<const WorkloadTable> tables, const std::string& board,
                               const std::string& power_total) {
  CostForm form;
  std::vector<Known> known;
  for (const WorkloadTable& table : tables) {
    const bool counted = table.cost && table.cost->by_kind();
    const bool empty = running(table).size() == 0;
    if (table.device != board || !counted || empty || !table.knows_batches()) {
      form.notes_.push_back(fmt::format("by cost: {} is not used, {}", table.title(),
                                        table.device != board ? "it is of another board"
                                        : empty               ? "it has no rows"
                                        : counted ? "nobody knows how large its minibatches are"
                                                  : "the layers of its network are not known"));
      continue;
    }
    known.push_back({&table, table.has_power() && table.power_total == power_total});
  }
  if (known.empty())
    return Error{Code::invalid_argument,
                 "no reference of this board runs a network whose layers are known",
                 "give tables of this board with --reference; `flyball describe` lists networks"};
  for (const Known& each : known) form.axes_ = axes_of_points(form.axes_, each.table->space.axes());
  form.fit_terms(known);
  form.leave_out(known);
  return form;
}

void CostForm::fit_terms(std::span<const Known> known) {
  RelativeRows time, power;
  bool any_power = false;
  for (const Known& each : known) {
    const WorkloadTable table = some_of(*each.table);
    const Points points(table.space, table.batch_size);
    const auto alike = std::ranges::count_if(
        known, [&](const Known& other) { return of_same_work(*other.table, *each.table); });
    const double weight =
        1 / std::sqrt(static_cast<double>(table.size()) * static_cast<double>(alike));
    for (size_t i = 0; i < table.size(); ++i) {
      const Point point = points.at(i);
      const MinibatchWork work(*table.cost, point.batch);
      const double ms = table.minibatch_ms[i], watts = table.power_w[i];
      if (!(ms > 0)) continue;
      time.add(time_terms(point, table.phase, work), ms, weight);
      if (!each.power || !(watts > 0)) continue;
      power.add(power_terms(point, table.phase, work, ms), watts, weight);
      any_power = true;
    }
  }
  time_ = time.solve();
  if (any_power) power_ = power.solve();
}

void CostForm::leave_out(std::span<const Known> known) {
  time_error_ = std::numeric_limits<double>::infinity();
  // One network in two phases: its levels stand in the form as if they were the board's.
  const auto of_first = [&](const Known& each) {
    return each.table->workload == known.front().table->workload;
  };
  if (std::ranges::all_of(known, of_first)) return;
  std::vector<double> errors;
  for (size_t first = 0; first < known.size(); ++first) {
    const auto alike = [&](const Known& other) {
      return of_same_work(*other.table, *known[first].table);
    };
    if (std::ranges::any_of(known.first(first), alike)) continue;
    std::vector<Known> left, others;
    std::ranges::partition_copy(known, std::back_inserter(left), std::back_inserter(others), alike);
    if (others.empty()) break;
    CostForm rest;
    rest.fit_terms(others);
    std::vector<double> time, power;
    for (const Known& each : left) {
      const WorkloadTable table = some_of(*each.table);
      const CostAnswer told = rest.at(table.space, table.phase, *table.cost, table.batch_size);
      join(time, log_ratios(table.minibatch_ms, told.time_ms));
      if (each.power) join(power, log_ratios(table.power_w, told.power_w));
    }
    time_spread_.add(time);
    power_spread_.add(power);
    errors.push_back(mean(sizes(time)));
  }
  if (!errors.empty()) time_error_ = mean(errors);
}

void CostForm::Spread::add(const std::vector<double>& ratios) {
  if (ratios.empty()) return;
  const double off = median(ratios), before = static_cast<double>(works++);
  double rest = 0;
  for (double ratio : ratios) rest += std::pow(ratio - off, 2) / static_cast<double>(ratios.size());
  level_square = (level_square * before + off * off) / (before + 1);
  rest_square = (rest_square * before + rest) / (before + 1);
}

// Empirical Bayes: a normal level seen through readings that scatter around it.
void CostForm::Spread::settle(const std::vector<double>& ratios) {
  readings = ratios.size();
  if (readings == 0) return;
  const double scatter = rest_square / static_cast<double>(readings);
  level = median(ratios) * (works > 0 ? level_square / (level_square + scatter) : 1);
}

double CostForm::Spread::sd(double square) const {
  if (works == 0) return unknown / z90 / std::sqrt(2);
  return t90(static_cast<double>(works)) / z90 * std::sqrt(square);
}

double CostForm::Spread::half() const {
  if (works == 0) return unknown;
  const double scatter = rest_square / std::max(1.0, static_cast<double>(readings));
  const double open =
      readings == 0 ? level_square : level_square * scatter / (level_square + scatter);
  return t90(static_cast<double>(works)) * std::sqrt(rest_square + open);
}

void CostForm::settle(const WorkloadTable& measured, const Cost& work) {
  const WorkloadTable known = running(measured);
  const auto told = [&] { return at(known.space, known.phase, work, known.batch_size); };
  time_spread_.level = power_spread_.level = 0;
  time_spread_.settle(log_ratios(known.minibatch_ms, told().time_ms));
  // Power hangs on the time that was settled.
  power_spread_.settle(log_ratios(known.power_w, told().power_w));
}

CostAnswer CostForm::at(const Space& space, Phase phase, const Cost& network,
                        double batch_size) const {
  CostAnswer answer;
  const Points points(space, batch_size);
  for (size_t i = 0; i < space.size(); ++i) {
    const Point point = points.at(i);
    const MinibatchWork work(network, point.batch);
    const double ms = std::exp(time_spread_.level) * dot(time_, time_terms(point, phase, work));
    answer.time_ms.push_back(ms);
    if (power_.empty()) continue;
    answer.power_w.push_back(std::exp(power_spread_.level) *
                             dot(power_, power_terms(point, phase, work, ms)));
  }
  return answer;
}

WorkloadTable CostForm::table_of(const WorkloadTable& asked) const {
  WorkloadTable told;
  told.device = asked.device;
  told.workload = asked.workload;
  told.phase = asked.phase;
  told.power_total = asked.power_total;
  told.space = Space::grid(told_axes(axes_, asked.space));
  CostAnswer answer = at(told.space, asked.phase, *asked.cost, asked.batch_size);
  told.minibatch_ms = std::move(answer.time_ms);
  told.power_w = std::move(answer.power_w);
  told.power_w.resize(told.size(), NAN);
  told.provenance.assign(told.size(), Provenance::predicted);
  return told;
}

Prediction CostForm::predict(const Space& space, Phase phase, const Cost& work,
                             double batch_size) const {
  CostAnswer answer = at(space, phase, work, batch_size);
  Prediction prediction;
  prediction.minibatch_ms = around(std::move(answer.time_ms), time_spread_.half());
  prediction.power_w = around(std::move(answer.power_w), power_spread_.half());
  prediction.notes = notes_;
  return prediction;
}

}  // namespace flyball
