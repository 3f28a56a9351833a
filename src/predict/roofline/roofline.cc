#include "predict/roofline/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/statistics.h"
#include "predict/interval.h"
#include "predict/nnls.h"
#include "predict/roofline/cost_form.h"
#include "predict/roofline/roofline_clocks.h"
#include "predict/rows.h"

namespace flyball {
namespace {

/// FLOPs and bytes of one minibatch.
struct Work {
  double flop = 0, bytes = 0;
};

Work minibatch_work(const Cost& cost, double batch) {
  return {cost.flop_at(batch), cost.bytes_at(batch)};
}

double intensity(const RoofSample& sample) {
  return sample.flop / sample.bytes;
}

double log_error(const TimeRoof& roof, std::span<const RoofSample> samples) {
  double sum = 0;
  for (const RoofSample& s : samples)
    sum += std::pow(std::log(roof.at(s.flop, s.bytes) / s.time_s), 2);
  return sum;
}

// The first `memory_bound` samples, by intensity, lie under the memory roof.
TimeRoof split_roof(std::span<const RoofSample> samples, size_t memory_bound) {
  double mem = 0, flop = 0, least_mem = 1e300, least_flop = 1e300;
  for (size_t i = 0; i < samples.size(); ++i) {
    const RoofSample& s = samples[i];
    (i < memory_bound ? mem : flop) += std::log(s.time_s / (i < memory_bound ? s.bytes : s.flop));
    least_mem = std::min(least_mem, s.time_s / s.bytes);
    least_flop = std::min(least_flop, s.time_s / s.flop);
  }
  const auto compute_bound = samples.size() - memory_bound;
  return {compute_bound ? std::exp(flop / static_cast<double>(compute_bound)) : least_flop,
          memory_bound ? std::exp(mem / static_cast<double>(memory_bound)) : least_mem};
}

class Roofline final : public Predictor {
 public:
  std::string name() const override { return "roofline"; }

  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable> references,
             const FitOptions&) override {
    *this = Roofline();
    FLYBALL_CHECK(check_rows(measured, 0));
    start(measured);
    if (takes_form(measured, references)) return {};
    if (!cost_)
      return Error{
          Code::invalid_argument,
          fmt::format("roofline: the FLOPs and bytes of '{}' are not known", measured.workload),
          "they are of the networks that `flyball describe` counts"};
    return fit_roofs(measured, references);
  }

  Result<Prediction> predict(const Space& space) const override {
    if (!cost_)
      return Error{Code::invalid_argument, "roofline has not been fitted", "call fit() first"};
    FLYBALL_ASSIGN(const auto board, match_axes(space, board_));
    if (const auto all = match_axes(space, axes_); !all) return all.error();
    if (form_) {
      Prediction prediction = form_->predict(space, phase_, *cost_, batch_size_);
      prediction.extrapolated = outside_profiled(profiled_, space);
      return prediction;
    }
    const auto batch = space.axis_index(axis::batch_size);
    Prediction prediction;
    prediction.extrapolated = outside_profiled(profiled_, space);
    prediction.notes = notes_;
    std::vector<double> times, powers;
    size_t between = 0;
    const double own_batch = batch_size_ > 0 ? batch_size_ : 1;
    for (size_t i = 0; i < space.size(); ++i) {
      const auto mode = pick(space.row(i), board);
      const Work work = minibatch_work(*cost_, batch ? space.row(i)[*batch] : own_batch);
      const double time = roof_time_s(mode, work) * time_factor_;
      between += !modes_.contains(mode);
      times.push_back(time * 1e3);
      if (has_power_) powers.push_back(roof_power_w(mode, work, time) * power_factor_);
    }
    if (between > 0)
      prediction.notes.push_back(
          fmt::format("roofline: {} of {} modes were not measured with two workloads; their "
                      "constants follow from the clocks",
                      between, space.size()));
    prediction.minibatch_ms = with_interval(std::move(times), time_width_);
    if (has_power_) prediction.power_w = with_interval(std::move(powers), power_width_);
    return prediction;
  }

 private:
  void start(const WorkloadTable& measured) {
    cost_ = measured.cost;
    device_ = measured.device;
    batch_size_ = measured.batch_size;
    phase_ = measured.phase;
    axes_ = profiled_ = measured.space.axes();
    for (const Axis& axis : axes_)
      if (axis.scope == Scope::board) board_.push_back(axis);
  }

  Status fit_roofs(const WorkloadTable& measured, std::span<const WorkloadTable> references) {
    const auto own = rows_of(measured, *cost_);
    if (!own) return own.error();
    std::vector<RoofRow> rows;
    for (const WorkloadTable& reference : references) add_reference(reference, measured, rows);
    const bool alone = rows.empty();
    if (alone && own->size() < 2)
      return Error{Code::invalid_argument,
                   fmt::format("roofline: {} rows of the target are too few, since no reference of "
                               "this board can be used",
                               own->size()),
                   "give tables of other workloads on this board with --reference"};
    if (alone) notes_.push_back("roofline: fitted on the target's own rows alone");
    fit_modes(alone ? *own : rows);
    if (measured.size() > 0) judge(*own, alone);
    return {};
  }

  // Is the board's form of cost what the references speak for? It is where no roofs can be fitted,
  // or where it errs less on each reference, predicted from the others, than the roofs do.
  bool takes_form(const WorkloadTable& measured, std::span<const WorkloadTable> references) {
    if (!cost_ || !cost_->by_kind() || references.empty()) return false;
    auto form = CostForm::fit(references, measured.device, measured.power_total);
    if (!form || !(form->time_error() < roofs_error(references))) return false;
    form->settle(measured, *cost_);
    form_ = *std::move(form);
    return true;
  }

  struct ModeRoof {
    TimeRoof time;
    std::optional<EnergyRoof> energy;
  };

  // Mean absolute error in time of the references, in logarithms, each predicted from those of
  // other works.
  double roofs_error(std::span<const WorkloadTable> references) const {
    std::vector<double> errors;
    for (const WorkloadTable& truth : references) {
      std::vector<WorkloadTable> others(references.begin(), references.end());
      std::erase_if(others, [&](const auto& other) { return of_same_work(other, truth); });
      Roofline rest;
      rest.start(truth);
      if (truth.device != device_ || !rest.cost_ ||
          !rest.fit_roofs(take_rows(truth, std::span<const size_t>()), others).ok())
        continue;
      const auto told = rest.predict(truth.space);
      if (!told) continue;
      std::vector<double> sizes;
      for (size_t i = 0; i < truth.size(); ++i)
        sizes.push_back(std::abs(std::log(told->minibatch_ms.mean[i] / truth.minibatch_ms[i])));
      errors.push_back(mean(sizes));
    }
    return errors.empty() ? std::numeric_limits<double>::infinity() : mean(errors);
  }

  // The table as samples.
  Result<std::vector<RoofRow>> rows_of(const WorkloadTable& table, const Cost& cost) const {
    FLYBALL_ASSIGN(const auto columns, match_axes(table.space, board_));
    const auto batch = table.space.axis_index(axis::batch_size);
    const double own_batch = table.batch_size > 0 ? table.batch_size : 1;
    std::vector<RoofRow> rows;
    for (size_t i = 0; i < table.size(); ++i) {
      const Work work = minibatch_work(cost, batch ? table.space.row(i)[*batch] : own_batch);
      const double seconds = table.minibatch_ms[i] * 1e-3;
      rows.push_back({pick(table.space.row(i), columns),
                      {work.flop, work.bytes, seconds, table.power_w[i] * seconds}});
    }
    return rows;
  }

  void add_reference(const WorkloadTable& reference, const WorkloadTable& measured,
                     std::vector<RoofRow>& rows) {
    const auto skip = [&](const std::string& why) {
      notes_.push_back("roofline: " + reference.title() + " is not used, " + why);
    };
    const std::optional<Cost>& cost = reference.cost;
    if (reference.device != measured.device) return skip("it is of another board");
    if (!cost) return skip("its FLOPs and bytes are not known");
    auto more = rows_of(reference, *cost);
    if (!more) return skip("it lacks an axis");
    const bool same_total = reference.power_total == measured.power_total;
    if (!same_total) skip("except for time: its power is another total");
    for (RoofRow& row : *more) {
      if (!(row.sample.time_s > 0)) continue;
      if (!same_total) row.sample.energy_j = not_known;
      rows.push_back(std::move(row));
    }
  }

  void fit_modes(const std::vector<RoofRow>& rows) {
    std::map<std::vector<double>, std::vector<RoofSample>> by_mode;
    for (const RoofRow& row : rows) {
      by_mode[row.mode].push_back(row.sample);
      has_power_ = has_power_ || std::isfinite(row.sample.energy_j);
    }
    for (auto& [mode, samples] : by_mode) {
      const double first = intensity(samples.front());
      const auto differs = [first](const RoofSample& s) {
        return std::abs(intensity(s) / first - 1) > 1e-6;
      };
      if (std::ranges::none_of(samples, differs)) continue;
      ModeRoof roof{fit_time_roof(samples), {}};
      if (std::ranges::count_if(samples, [](const auto& s) { return std::isfinite(s.energy_j); }) >
          1)
        roof.energy = fit_energy_roof(samples);
      modes_.emplace(mode, roof);
    }
    clocks_ = ClockRoofs::fit(board_, rows);
  }

  double roof_time_s(const std::vector<double>& mode, const Work& work) const {
    const auto own = modes_.find(mode);
    return own != modes_.end() ? own->second.time.at(work.flop, work.bytes)
                               : clocks_.time_s(mode, work.flop, work.bytes);
  }
  // Of a minibatch that takes `time_s`, which is what the target attains, not the roof.
  double roof_power_w(const std::vector<double>& mode, const Work& work, double time_s) const {
    const auto own = modes_.find(mode);
    return own != modes_.end() && own->second.energy
               ? own->second.energy->at(work.flop, work.bytes, time_s) / time_s
               : clocks_.power_w(mode, work.flop, work.bytes, time_s);
  }

  // The factors by which the target keeps away from the roofs, and the spread around them.
  void judge(const std::vector<RoofRow>& own, bool alone) {
    std::vector<double> times, powers;
    for (const RoofRow& row : own) {
      const RoofSample& s = row.sample;
      const Work work{s.flop, s.bytes};
      times.push_back(std::log(s.time_s / roof_time_s(row.mode, work)));
      if (has_power_ && std::isfinite(s.energy_j))
        powers.push_back(std::log(s.energy_j / s.time_s / roof_power_w(row.mode, work, s.time_s)));
    }
    // Constants fitted on these rows themselves stand for more than one number.
    const double freedom = alone ? static_cast<double>(2 * board_.size() + 2) : 1;
    time_factor_ = settle(times, freedom, time_width_);
    if (!powers.empty()) power_factor_ = settle(powers, freedom, power_width_);
    if (!alone)
      notes_.push_back(fmt::format(
          "roofline: the target takes {:.2f} times the roof's time and {:.2f} times its power",
          time_factor_, power_factor_));
  }

  static double settle(std::vector<double> logs, double freedom, double& width) {
    const double centre = median(logs), n = static_cast<double>(logs.size());
    for (double& value : logs) value = std::abs(value - centre) * n / std::max(n - freedom, 0.5);
    width = logs.size() < 2 ? 1 : std::exp(jackknife_width(logs)) - 1;
    return std::exp(centre);
  }

  std::optional<Cost> cost_;
  std::optional<CostForm> form_;  // in the place of the roofs
  std::string device_;
  double batch_size_ = 0;  // where no axis says it
  Phase phase_ = Phase::train;
  std::vector<Axis> axes_, board_;
  std::vector<Axis> profiled_;
  std::map<std::vector<double>, ModeRoof> modes_;
  ClockRoofs clocks_;
  bool has_power_ = false;
  double time_factor_ = 1, power_factor_ = 1, time_width_ = 1, power_width_ = 1;
  std::vector<std::string> notes_;
};

}  // namespace

double TimeRoof::at(double flop, double bytes) const {
  return std::max(flop * tau_flop, bytes * tau_mem);
}

double EnergyRoof::at(double flop, double bytes, double time_s) const {
  return flop * eps_flop + bytes * eps_mem + pi0 * time_s;
}

TimeRoof fit_time_roof(std::span<const RoofSample> samples) {
  std::vector<RoofSample> sorted(samples.begin(), samples.end());
  std::ranges::stable_sort(sorted, {}, intensity);
  TimeRoof best;
  double least = std::numeric_limits<double>::infinity();
  for (size_t split = 0; split <= sorted.size(); ++split) {
    const TimeRoof roof = split_roof(sorted, split);
    const double error = log_error(roof, sorted);
    if (error >= least) continue;
    least = error;
    best = roof;
  }
  return best;
}

EnergyRoof fit_energy_roof(std::span<const RoofSample> samples) {
  std::vector<double> features, energies;
  for (const RoofSample& s : samples) {
    if (!std::isfinite(s.energy_j)) continue;
    features.insert(features.end(), {s.flop, s.bytes, s.time_s});
    energies.push_back(s.energy_j);
  }
  const auto x = relative_nnls(features, 3, energies);
  return {x[0], x[1], x[2]};
}

std::unique_ptr<Predictor> make_roofline() {
  return std::make_unique<Roofline>();
}

}  // namespace flyball
