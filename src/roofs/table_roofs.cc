#include "roofs/table_roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/statistics.h"
#include "base/text.h"
#include "predict/roofline/roofline.h"
#include "roofs/energy_cases.h"

namespace flyball {
namespace {

constexpr size_t least_samples = 4;

struct ModeSamples {
  std::vector<BoundSample> times;
  std::vector<RoofSample> energies;
};

// Which of the three bounds is the highest: 0 arithmetic, 1 memory, 2 launches.
int bound_of(const TimeBounds& bounds, const BoundSample& s) {
  const std::array<double, 3> terms = {s.flop * bounds.tau_flop, s.bytes * bounds.tau_mem,
                                       bounds.tau_launch};
  return static_cast<int>(std::ranges::max_element(terms) - terms.begin());
}

TimeBounds bounds_of(std::span<const BoundSample> samples, const std::vector<int>& under) {
  std::array<double, 3> logs{};
  std::array<int, 3> counts{};
  for (size_t i = 0; i < samples.size(); ++i) {
    const BoundSample& s = samples[i];
    const auto which = static_cast<size_t>(under[i]);
    const double of = which == 0 ? s.flop : which == 1 ? s.bytes : 1;
    logs[which] += std::log(s.time_s / of);
    ++counts[which];
  }
  const auto level = [&](size_t which) {
    return counts[which] > 0 ? std::exp(logs[which] / counts[which]) : 0;
  };
  return {level(0), level(1), level(2)};
}

double log_error(const TimeBounds& bounds, std::span<const BoundSample> samples) {
  double sum = 0;
  for (const BoundSample& s : samples)
    sum += std::pow(std::log(bounds.at(s.flop, s.bytes) / s.time_s), 2);
  return sum;
}

// Turns until nothing changes place. Returns the best bounds on the way.
TimeBounds settle_bounds(std::span<const BoundSample> samples, std::vector<int> under) {
  TimeBounds best = bounds_of(samples, under);
  double least = log_error(best, samples);
  for (int turn = 0; turn < 50; ++turn) {
    const TimeBounds bounds = bounds_of(samples, under);
    if (const double error = log_error(bounds, samples); error < least) {
      least = error;
      best = bounds;
    }
    std::vector<int> next;
    for (const BoundSample& s : samples) next.push_back(bound_of(bounds, s));
    if (next == under) break;
    under = std::move(next);
  }
  return best;
}

// The time roof, what it is off by, and the energy of a mode.
ModeRoofs mode_roofs(const PowerMode& mode, const ModeSamples& samples) {
  ModeRoofs roofs{.mode = mode, .samples = samples.times.size()};
  const TimeBounds bounds = fit_time_bounds(samples.times);
  if (bounds.tau_flop > 0) roofs.flop_per_s = 1 / bounds.tau_flop;
  if (bounds.tau_mem > 0) roofs.bytes_per_s = 1 / bounds.tau_mem;
  roofs.launch_s = bounds.tau_launch;
  std::vector<double> errors;
  for (const BoundSample& s : samples.times)
    errors.push_back(100 * std::abs(bounds.at(s.flop, s.bytes) / s.time_s - 1));
  roofs.error_pct = median(errors);
  roofs.energy = fit_energy(samples.energies);
  return roofs;
}

bool unlike_intensities(const std::vector<BoundSample>& samples) {
  const auto of = [](const BoundSample& s) { return s.flop / s.bytes; };
  return std::ranges::any_of(samples, [&](const BoundSample& s) {
    return std::abs(of(s) / of(samples.front()) - 1) > 0.01;
  });
}

using Modes = std::map<std::map<std::string, double>, ModeSamples>;

// What is fitted over several rows is known no better than the worst known of them.
Provenance worse(Provenance a, Provenance b) {
  const auto rank = [](Provenance known) {
    return known == Provenance::predicted ? 2 : known == Provenance::simulated ? 1 : 0;
  };
  return rank(b) > rank(a) ? b : a;
}

// `known_as` becomes that of the worst known row. Error: its work is not known, in words.
Status add_table(const WorkloadTable& given, const WorkOf& work_of, Modes& modes,
                 Provenance& known_as) {
  if (!given.knows_batches())
    return Error{Code::not_found,
                 given.title() + " is left out: it does not say how large its minibatches are", ""};
  const WorkloadTable table = merge_repeats(given);
  const std::set<size_t> doubtful = doubtful_rows(table);
  const auto batch = table.space.axis_index(axis::batch_size);
  std::map<double, std::optional<LayerTotals>> known;
  for (size_t i = 0; i < table.size(); ++i) {
    const double size = batch ? table.space.row(i)[*batch] : table.batch_size;
    if (!known.contains(size)) known[size] = work_of(table.workload, table.phase, size);
    const auto& work = known[size];
    if (!work || !(work->flop > 0) || !(work->bytes > 0))
      return Error{Code::not_found,
                   table.title() + " is left out: its FLOP and bytes are not known", ""};
    Settings mode;
    for (size_t d = 0; d < table.space.axes().size(); ++d)
      if (table.space.axes()[d].scope == Scope::board)
        mode[table.space.axes()[d].name] = table.space.row(i)[d];
    const double seconds = table.minibatch_ms[i] * 1e-3;
    if (!(seconds > 0)) continue;
    known_as = worse(known_as, table.known(i));
    ModeSamples& samples = modes[mode];
    samples.times.push_back({work->flop, work->bytes, seconds});
    const double watts = doubtful.contains(i) ? not_known : table.power_w[i];
    if (watts > 0) samples.energies.push_back({work->flop, work->bytes, seconds, watts * seconds});
  }
  return {};
}

Status one_board(std::span<const WorkloadTable> tables) {
  if (tables.empty())
    return Error{Code::invalid_argument, "there is no table to fit",
                 "name measured tables of the board, FILE.csv"};
  for (const WorkloadTable& table : tables)
    if (table.device != tables.front().device)
      return Error{Code::invalid_argument,
                   fmt::format("the tables are of several boards: {}, {}", tables.front().device,
                               table.device),
                   "give those of one board"};
  return {};
}

std::string total_names(const std::set<std::string>& totals) {
  std::vector<std::string> names;
  for (const std::string& total : totals) names.push_back(total.empty() ? "one unnamed" : total);
  return join(names, ", ");
}

}  // namespace

double TimeBounds::at(double flop, double bytes) const {
  return std::max({flop * tau_flop, bytes * tau_mem, tau_launch});
}

TimeBounds fit_time_bounds(std::span<const BoundSample> samples) {
  std::vector<BoundSample> sorted(samples.begin(), samples.end());
  std::ranges::stable_sort(sorted, {}, [](const BoundSample& s) { return s.flop / s.bytes; });
  std::vector<double> times;
  for (const BoundSample& s : sorted) times.push_back(s.time_s);
  std::ranges::sort(times);
  TimeBounds best;
  double least = std::numeric_limits<double>::infinity();
  // Begin with the shortest `launched` of them under launches, and of the rest the `under_memory`
  // with the least intensity under memory.
  for (size_t launched = 0; launched <= sorted.size(); ++launched)
    for (size_t split = 0; split <= sorted.size(); ++split) {
      std::vector<int> under;
      for (size_t i = 0; i < sorted.size(); ++i)
        under.push_back(launched > 0 && sorted[i].time_s <= times[launched - 1] ? 2
                        : i < split                                             ? 1
                                                                                : 0);
      const TimeBounds bounds = settle_bounds(sorted, std::move(under));
      const double error = log_error(bounds, sorted);
      if (error >= least - 1e-12) continue;
      least = error;
      best = bounds;
    }
  return best;
}

Result<TableRoofs> fit_table_roofs(std::span<const WorkloadTable> tables, const WorkOf& work_of) {
  FLYBALL_CHECK(one_board(tables));
  TableRoofs fitted;
  BoardRoofs& roofs = fitted.roofs;
  roofs.device = roofs.title = tables.front().device;
  roofs.provenance = Provenance::table;
  roofs.measured_utc = wall_clock_utc();
  Modes modes;
  std::set<std::string> totals;
  for (const WorkloadTable& table : tables) {
    if (const Status added = add_table(table, work_of, modes, roofs.provenance); !added.ok()) {
      fitted.notes.push_back(added.error().message);
      continue;
    }
    roofs.sources.push_back(table.title());
    if (table.has_power()) totals.insert(table.power_total);
  }
  if (roofs.provenance != Provenance::table)
    fitted.notes.push_back(fmt::format("the roofs are fitted over rows that were {}: so are they",
                                       provenance_name(roofs.provenance)));
  if (roofs.sources.empty())
    return Error{Code::not_found, "no roofs can be fitted: " + join(fitted.notes, "; "),
                 "a table needs a column batch_size, and a network that `flyball workloads` lists"};
  if (totals.size() == 1) roofs.total = *totals.begin();
  if (totals.size() > 1) {  // no constant holds for all of them
    roofs.power_gap = "the tables' powers are of several totals: " + total_names(totals);
    for (auto& [mode, samples] : modes) samples.energies.clear();
    fitted.notes.push_back("no energy roofs: " + roofs.power_gap);
  }
  size_t few = 0;
  for (const auto& [mode, samples] : modes) {
    const bool enough = samples.times.size() >= least_samples && unlike_intensities(samples.times);
    if (enough) roofs.modes.push_back(mode_roofs({mode}, samples));
    few += !enough;
  }
  if (few > 0)
    fitted.notes.push_back(
        fmt::format("{} of {} modes have less than {} samples of unlike intensity: no roofs of "
                    "their own",
                    few, modes.size(), least_samples));
  return fitted;
}

}  // namespace flyball
