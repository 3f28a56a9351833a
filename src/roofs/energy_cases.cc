#include "roofs/energy_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "predict/contradicted.h"
#include "space/highest_mode.h"

namespace flyball {
namespace {

// Rank of each value, from 0; equal ones in their order.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> rank(values.size());
  for (size_t at = 0; at < order.size(); ++at) rank[order[at]] = static_cast<double>(at);
  return rank;
}

double spearman(const std::vector<ModeFigures>& modes) {
  std::vector<double> time, energy;
  for (const ModeFigures& mode : modes) {
    time.push_back(mode.ms);
    energy.push_back(mode.joules());
  }
  const std::vector<double> a = ranks(time), b = ranks(energy);
  const double middle = (static_cast<double>(modes.size()) - 1) / 2;
  double both = 0, own = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - middle) * (b[i] - middle);
    own += (a[i] - middle) * (a[i] - middle);
  }
  return own > 0 ? both / own : 0;
}

std::string batch_words(const EnergyCase& one) {
  return one.batch_size > 0 ? fmt::format("{} {} batch {}", one.workload, phase_name(one.phase),
                                          format_number(one.batch_size))
                            : fmt::format("{} {}", one.workload, phase_name(one.phase));
}

constexpr double worth_telling = 0.01;  ///< of the energy, as studies/pagoda.toml asks for

std::string is_maxn_best(std::span<const EnergyCase* const> sound) {
  size_t best = 0;
  std::vector<double> savings;
  for (const EnergyCase* one : sound) {
    best += one->saving() < worth_telling;
    savings.push_back(100 * one->saving());
  }
  if (best == sound.size())
    return fmt::format("The highest mode is the most energy-efficient one in all {} cases.", best);
  const auto [least, most] = std::ranges::minmax(savings);
  return fmt::format(
      "The highest mode (MAXN) is the most energy-efficient one in {} of {} cases: the least "
      "energy "
      "of a minibatch lies {:.0f} to {:.0f} % below it.",
      best == 0 ? "none" : std::to_string(best), sound.size(), least, most);
}

std::string without_contradicted(std::span<const EnergyCase* const> sound) {
  std::vector<double> robust;
  for (const EnergyCase* one : sound) robust.push_back(100 * one->robust_saving());
  const auto [least, most] = std::ranges::minmax(robust);
  return fmt::format(
      "Without readings of power that their neighbours contradict it lies {:.0f} to {:.0f} % "
      "below.",
      least, most);
}

std::string what_it_costs(std::span<const EnergyCase* const> sound) {
  std::vector<double> savings, slow, near, near_slow;
  for (const EnergyCase* one : sound) {
    savings.push_back(100 * one->saving());
    slow.push_back(one->slowdown());
    near.push_back(100 * one->near_saving());
    near_slow.push_back(100 * (one->near.ms / one->highest.ms - 1));
  }
  return fmt::format(
      "The best mode saves {:.0f} % of the energy (median) and takes {:.2f} times as long; a mode "
      "that takes no more than {:.0f} % longer saves {:.0f} % (median; {:.0f} to {:.0f} %) at "
      "{:.1f} % more "
      "time.",
      median(savings), median(slow), 100 * about_as_fast, median(near),
      *std::ranges::min_element(near), *std::ranges::max_element(near), median(near_slow));
}

std::string is_fast_frugal(std::span<const EnergyCase* const> sound) {
  std::vector<double> agreement;
  for (const EnergyCase* one : sound) agreement.push_back(one->agreement);
  return fmt::format(
      "Over the modes of a case, time and energy rank alike with {:.2f} (Spearman, median; {:.2f} "
      "to {:.2f}; 1: the faster mode is always the more frugal one).",
      median(agreement), *std::ranges::min_element(agreement),
      *std::ranges::max_element(agreement));
}

}  // namespace

std::string EnergyCase::doubt() const {
  if (highest.doubted && least.doubted && highest.mode == least.mode)
    return "the highest mode reads a power more than a quarter below what its neighbours let "
           "expect";
  if (highest.doubted)
    return "the power of the highest mode reads more than a quarter below what its neighbours let "
           "expect";
  if (least.doubted)
    return "the power of the best mode reads more than a quarter below what its neighbours let "
           "expect";
  return "";
}

std::set<size_t> doubtful_rows(const WorkloadTable& table) {
  const std::vector<size_t> rows = suspicious_power(table, doubtful_power);
  return {rows.begin(), rows.end()};
}

std::vector<EnergyCase> energy_cases(const WorkloadTable& given) {
  const WorkloadTable table = merge_repeats(given);
  const std::set<size_t> doubtful = doubtful_rows(table);
  const std::vector<size_t> early = suspicious_power(table);
  const std::set<size_t> suspicious(early.begin(), early.end());
  const std::vector<Axis>& axes = table.space.axes();
  // Run settings other than the batch size stand apart, too.
  std::map<Settings, std::vector<ModeFigures>> by_job;
  for (size_t i = 0; i < table.size(); ++i) {
    if (!(table.power_w[i] > 0) || !(table.minibatch_ms[i] > 0)) continue;
    Settings job;
    ModeFigures figures{
        {}, table.minibatch_ms[i], table.power_w[i], doubtful.contains(i), suspicious.contains(i)};
    for (size_t d = 0; d < axes.size(); ++d)
      (axes[d].scope == Scope::board ? figures.mode : job)[axes[d].name] = table.space.row(i)[d];
    by_job[job].push_back(std::move(figures));
  }
  std::vector<EnergyCase> cases;
  for (const auto& [job, modes] : by_job) {
    EnergyCase one{.workload = table.workload,
                   .phase = table.phase,
                   .batch_size = table.batch_size,
                   .modes = modes.size()};
    if (const auto batch = job.find(axis::batch_size); batch != job.end())
      one.batch_size = batch->second;
    const auto highest = std::ranges::find(modes, highest_mode(axes).values, &ModeFigures::mode);
    if (highest == modes.end() || modes.size() < 2) continue;
    one.highest = one.near = one.robust = *highest;
    one.least = *std::ranges::min_element(modes, {}, &ModeFigures::joules);
    for (const ModeFigures& mode : modes)
      if (mode.joules() < one.robust.joules() && !mode.suspicious) one.robust = mode;
    for (const ModeFigures& mode : modes)
      if (mode.ms <= (1 + about_as_fast) * highest->ms && mode.joules() < one.near.joules() &&
          !mode.doubted)
        one.near = mode;
    one.agreement = spearman(modes);
    one.figures = modes;
    cases.push_back(std::move(one));
  }
  return cases;
}

Json figures_json(const ModeFigures& mode) {
  return {{"mode", mode.mode},
          {"minibatch_ms", mode.ms},
          {"power_w", mode.power_w},
          {"minibatch_j", mode.joules()},
          {"doubted", mode.doubted}};
}

Json case_json(const EnergyCase& one) {
  const std::string doubt = one.doubt();
  return {{"workload", one.workload},
          {"phase", phase_name(one.phase)},
          {"batch_size", one.batch_size > 0 ? Json(one.batch_size) : Json(nullptr)},
          {"configurations", one.modes},
          {"highest", figures_json(one.highest)},
          {"least_energy", figures_json(one.least)},
          {"robust_least_energy", figures_json(one.robust)},
          {"about_as_fast", figures_json(one.near)},
          {"saving_pct", 100 * one.saving()},
          {"robust_saving_pct", 100 * one.robust_saving()},
          {"slowdown", one.slowdown()},
          {"agreement", one.agreement},
          {"doubt", doubt.empty() ? Json(nullptr) : Json(doubt)}};
}

BalanceVerdict balance_verdict(const BoardRoofs& roofs) {
  BalanceVerdict verdict;
  for (const ModeRoofs& mode : roofs.modes) {
    if (!mode.energy || !(mode.flop_per_s > 0) || !(mode.bytes_per_s > 0)) continue;
    const EnergyConstants& fit = *mode.energy;
    const double per_flop = fit.eps_flop.value + fit.pi0.value / mode.flop_per_s;
    if (!(fit.eps_mem.value > 0) || !(per_flop > 0)) continue;
    const double time = mode.balance(), energy = fit.eps_mem.value / per_flop;
    const bool first = verdict.modes++ == 0;
    verdict.holds += energy <= time;
    verdict.time_low = first ? time : std::min(verdict.time_low, time);
    verdict.time_high = std::max(verdict.time_high, time);
    verdict.energy_low = first ? energy : std::min(verdict.energy_low, energy);
    verdict.energy_high = std::max(verdict.energy_high, energy);
  }
  return verdict;
}

Json balance_json(const BalanceVerdict& verdict) {
  const auto known = [&](double value) { return verdict.modes > 0 ? Json(value) : Json(nullptr); };
  return {{"modes", verdict.modes},
          {"holds", verdict.holds},
          {"time_low", known(verdict.time_low)},
          {"time_high", known(verdict.time_high)},
          {"energy_low", known(verdict.energy_low)},
          {"energy_high", known(verdict.energy_high)}};
}

std::vector<std::string> verdicts(std::span<const EnergyCase> cases,
                                  const BalanceVerdict& balance) {
  std::vector<const EnergyCase*> sound;
  std::vector<std::string> words;
  for (const EnergyCase& one : cases)
    if (one.doubt().empty()) sound.push_back(&one);
  if (!sound.empty()) {
    words.push_back(is_maxn_best(sound));
    words.push_back(without_contradicted(sound));
    words.push_back(what_it_costs(sound));
    words.push_back(is_fast_frugal(sound));
  }
  if (balance.modes > 0)
    words.push_back(fmt::format(
        "Time-efficient work is energy-efficient, too, in {} of {} modes: the energy balance is "
        "{:.2g} to {:.2g} FLOP/B, the time balance {:.2g} to {:.2g} FLOP/B.",
        balance.holds, balance.modes, balance.energy_low, balance.energy_high, balance.time_low,
        balance.time_high));
  for (const EnergyCase& one : cases)
    if (const std::string doubt = one.doubt(); !doubt.empty())
      words.push_back(fmt::format("Left out as doubtful: {}, where {}.", batch_words(one), doubt));
  return words;
}

}  // namespace flyball
