// In words what an experiment shows, each sentence from its figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/amounts.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiment/alike.h"
#include "experiment/findings/board_findings.h"
#include "experiment/findings/cache_findings.h"
#include "experiment/findings/finding_words.h"
#include "experiment/findings/runtime_findings.h"
#include "experiment/summary.h"
#include "space/compute_place.h"

namespace flyball {
namespace {

constexpr double same = 0.02;  // two times that differ less are called equal

/// What a loader does changes no loss.
const std::vector<std::string> loader_settings = {"workers",   "prefetch",   "clear",    "medium",
                                                  "memory_mb", "memory_pct", "cache_pct"};

/// Of groups that differ in nothing else; null where none has so many.
const Group* with_workers(const std::vector<Group>& alike, int workers) {
  for (const Group& group : alike)
    if (group.settings.workers == workers) return &group;
  return nullptr;
}

const Group& most_workers(const std::vector<Group>& alike) {
  return *std::ranges::max_element(alike, {}, [](const Group& g) { return g.settings.workers; });
}

/// How far two losses are apart; infinite where only one of them is a number.
double apart(double a, double b) {
  const bool numbers = std::isfinite(a) && std::isfinite(b);
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return numbers ? std::abs(a - b) : std::numeric_limits<double>::infinity();
}

class Findings {
 public:
  Findings(const ExperimentSpec& spec, bool quiet) : spec_(spec), quiet_(quiet) {}
  std::vector<Finding> list;

  void add(std::string text, std::optional<bool> as_expected = {}) {
    list.push_back({std::move(text), as_expected});
  }

  // What pipelining gains, seen from the run without workers.
  void pipelining(const std::vector<Group>& groups) {
    for (const std::vector<Group>& alike : alike_but({"workers"}, groups)) {
      const Group* alone = with_workers(alike, 0);
      if (!alone) continue;
      const EpochAverage& before = alone->steady();
      for (const Group& group : alike) {
        const int workers = group.settings.workers;
        if (workers == 0) continue;
        const EpochAverage& after = group.steady();
        add(of_others({"workers", "medium"}, group) +
                fmt::format("With {} loader worker{} the stall of an epoch goes from {} to {} and "
                            "its end-to-end time from {} to {} ({}){}.",
                            workers, workers == 1 ? "" : "s", seconds(before.stall_s),
                            seconds(after.stall_s), seconds(before.e2e_s), seconds(after.e2e_s),
                            change(before.e2e_s, after.e2e_s), where(group)),
            after.stall_s < before.stall_s);
      }
    }
  }

  void saturation(const std::vector<Group>& groups) {
    for (const std::vector<Group>& alike : alike_but({"workers"}, groups)) {
      if (alike.size() < 2) continue;
      const Group* best = &alike.front();
      for (const Group& group : alike)
        if (group.steady().e2e_s < best->steady().e2e_s) best = &group;
      const Group* fewest = best;
      for (const Group& group : alike)
        if (group.steady().e2e_s <= (1 + same) * best->steady().e2e_s &&
            group.settings.workers < fewest->settings.workers)
          fewest = &group;
      const int workers = fewest->settings.workers;
      add(of_others({"workers"}, *fewest) +
          fmt::format("{} worker{} enough: no other number of workers is more than {:.0f} % "
                      "faster.",
                      workers, workers == 1 ? " is" : "s are", 100 * same));
    }
  }

  void limiting_stages(const std::vector<Group>& groups) {
    for (const std::vector<Group>& alike : alike_but({"workers"}, groups))
      for (const Group& group : alike) limiting_stage(group, with_workers(alike, 0));
  }

  // The loader's own work beside the network's.
  void limiting_stage(const Group& group, const Group* alone) {
    const EpochAverage& a = group.steady();
    const double work = a.fetch_s + a.preprocess_s;
    if (!(work > 0)) return;  // of a simulated board they are not told apart
    const int hands = std::max(1, group.settings.workers);
    const bool loader = work / hands > a.compute_s;
    add(
        fmt::format("{}: an epoch needs {} of fetching and {} of pre-processing on one thread, and "
                    "{} of compute; {} limits ({} of it stays visible as stall).",
                    group.label, seconds(a.fetch_s), seconds(a.preprocess_s), seconds(a.compute_s),
                    loader ? "the loader" : "compute", seconds(a.stall_s)));
    if (alone && alone != &group && a.compute_s > (1 + 2 * same) * alone->steady().compute_s)
      add(fmt::format("Compute takes {} longer than without workers{}",
                      change(alone->steady().compute_s, a.compute_s).substr(1),
                      quiet_ ? ": they share the processor with the network." : "."));
  }

  // Of trainings that differ in what their loader does alone.
  void same_losses(const std::vector<Group>& groups) {
    for (const std::vector<Group>& alike : alike_but(loader_settings, groups)) {
      std::vector<const std::vector<double>*> curves;
      for (const Group& group : alike)
        for (const RunFigures* run : group.runs)
          if (run->settings.phase == Phase::train && !run->losses.empty())
            curves.push_back(&run->losses);
      if (curves.size() > 1) same_curves(curves, of_others(loader_settings, alike.front()));
    }
  }

  void add_all(std::vector<Finding> more) {
    for (Finding& finding : more) list.push_back(std::move(finding));
  }

  // Slowest against fastest medium, all else being equal.
  void storage(const std::vector<Group>& groups) {
    const auto stall = [](const Group& group) { return group.first.stall_s; };
    for (const std::vector<Group>& alike : alike_but({"medium"}, groups)) {
      const Group& fast = *std::ranges::min_element(alike, {}, stall);
      const Group& slow = *std::ranges::max_element(alike, {}, stall);
      if (&fast == &slow) continue;
      add(of_others({"medium", "workers"}, fast) +
          fmt::format("At {} workers the stall of the first epoch is {} on '{}' and {} on '{}'{}.",
                      fast.settings.workers, seconds(fast.first.stall_s), fast.settings.medium,
                      seconds(slow.first.stall_s), slow.settings.medium, disk_verdict(fast, slow)));
    }
  }

  void batch_size(const std::vector<Group>& groups) {
    const auto size = [](const Group& group) { return group.settings.batch_size; };
    for (const std::vector<Group>& alike : alike_but({"batch_size"}, groups)) {
      if (alike.size() < 2) continue;
      const Group& small = *std::ranges::min_element(alike, {}, size);
      const Group& large = *std::ranges::max_element(alike, {}, size);
      const auto &a = small.steady(), &b = large.steady();
      const std::string others = of_others({"batch_size"}, small);
      add(others +
              fmt::format(
                  "From batch {} to {} the stall of a minibatch goes from {:.3g} to {:.3g} ms.",
                  size(small), size(large), a.stall_ms, b.stall_ms),
          b.stall_ms > a.stall_ms);
      add(others + fmt::format("The stall of an epoch goes from {} to {}, its compute from {} to "
                               "{}.",
                               seconds(a.stall_s), seconds(b.stall_s), seconds(a.compute_s),
                               seconds(b.compute_s)),
          b.stall_s < a.stall_s);
    }
  }

  void variability(const std::vector<Group>& groups) {
    for (const Group& group : groups) {
      std::vector<double> over_runs;
      for (const RunFigures* run : group.runs) {
        std::vector<double> epochs;
        for (const EpochFigures& epoch : run->epochs)
          if (epoch.epoch > 0) epochs.push_back(epoch.e2e_s);
        if (epochs.size() < 2) continue;
        const auto [low, high] = std::ranges::minmax(epochs);
        over_runs.push_back(median(epochs));
        add(fmt::format(
            "{}Run {}: epochs 1 to {} take {} in the median and differ by {:.1f} % from "
            "the fastest to the slowest.",
            of_others({}, group), run->repeat + 1, epochs.size(), seconds(median(epochs)),
            100 * (high / low - 1)));
      }
      if (over_runs.size() < 2) continue;
      const auto [low, high] = std::ranges::minmax(over_runs);
      add(fmt::format("{}Between {} runs the median epoch differs by {:.1f} %.",
                      of_others({}, group), over_runs.size(), 100 * (high / low - 1)));
    }
  }

  void energy(const std::vector<Group>& groups) {
    for (const std::vector<Group>& alike : alike_but({"workers"}, groups)) {
      const Group* alone = with_workers(alike, 0);
      const Group& most = most_workers(alike);
      if (!alone || alone == &most) continue;
      const auto &a = alone->steady(), &b = most.steady();
      if (!a.energy_j || !b.energy_j) {
        add(of_others({"workers"}, most) +
            "Whether pipelining saves energy is not known here: power is not measured.");
        continue;
      }
      add(of_others({"workers"}, most) +
              fmt::format("{} workers change the energy of an epoch from {} to {} ({}).",
                          most.settings.workers, format_joules(*a.energy_j),
                          format_joules(*b.energy_j), change(*a.energy_j, *b.energy_j)),
          *b.energy_j < *a.energy_j);
    }
  }

  void base_load(const std::vector<Group>& groups) {
    for (const Group& group : groups) {
      const EpochAverage& a = group.steady();
      const std::string power =
          a.power_w ? fmt::format("{:.3g} W{}", *a.power_w,
                                  group.runs.front()->power_total == "plug" ? " at the wall" : "")
                    : std::string("power is not measured");
      // A simulation does not know what watching costs.
      add(a.cpu_pct > 0 ? fmt::format("{}: {}, {:.{}f} % of one core used by Flyball.", group.label,
                                      power, a.cpu_pct, a.cpu_pct < 10 ? 2 : 0)
                        : fmt::format("{}: {}.", group.label, power));
    }
  }

 private:
  void same_curves(const std::vector<const std::vector<double>*>& curves,
                   const std::string& others) {
    const std::vector<double>& reference = *curves.front();
    double largest = 0;
    for (const std::vector<double>* curve : curves) {
      if (curve->size() != reference.size()) return;
      for (size_t i = 0; i < reference.size(); ++i)
        largest = std::max(largest, apart((*curve)[i], reference[i]));
    }
    add(others +
            (largest == 0
                 ? fmt::format("The loss curve does not depend on the loader: all {} losses of {} "
                               "runs are equal bit for bit.",
                               reference.size(), curves.size())
             : std::isfinite(largest)
                 ? fmt::format("The losses of {} runs differ by up to {:.2g}: the loss curve "
                               "depends on the setting.",
                               curves.size(), largest)
                 : fmt::format("Of {} runs some diverge and others do not: the loss curve depends "
                               "on the setting.",
                               curves.size())),
        largest == 0);
  }

  /// "batch_size 16: " before what holds there; "" where nothing but the named settings varies.
  std::string of_others(const std::vector<std::string>& names, const Group& group) const {
    const std::string label = others_label(spec_, names, group.settings);
    return label.empty() ? "" : label + ": ";
  }

  /// What the slower medium costs of an epoch: a faster one can save no more than the stall. A long
  /// training is told by its later epochs.
  static std::string disk_verdict(const Group& fast, const Group& slow) {
    constexpr double pays = 0.05;
    const double first = (slow.first.stall_s - fast.first.stall_s) / fast.first.e2e_s;
    std::string text =
        fmt::format(": the epoch takes {:.1f} % longer on the slower one", 100 * first);
    if (!fast.later || !slow.later)
      return text + (first > pays ? "; a faster disk pays" : "; a faster disk would not pay");
    const double later = (slow.later->stall_s - fast.later->stall_s) / fast.later->e2e_s;
    text += fmt::format(", later ones with {} and {} of stall {:.1f} %",
                        seconds(fast.later->stall_s), seconds(slow.later->stall_s), 100 * later);
    if (later > pays) return text + "; a faster disk pays";
    return text + (first > pays ? "; a faster disk pays in the first epoch only"
                                : "; a faster disk would not pay");
  }
  static std::string where(const Group& group) {
    return group.settings.medium.empty() ? "" : " on '" + group.settings.medium + "'";
  }
  const ExperimentSpec& spec_;
  bool quiet_;  ///< did other programs leave the processor alone?
};

}  // namespace

std::vector<Finding> findings_of(const ExperimentResult& result, const std::vector<Group>& groups) {
  Findings f(result.spec, time_doubts_of(result).empty());
  if (groups.empty()) return {};
  switch (result.spec.question) {
    case Question::workers:
      f.pipelining(groups);
      if (time_doubts_of(result).empty()) f.saturation(groups);
      f.limiting_stages(groups);
      f.same_losses(groups);
      f.add_all(cache_findings(result.spec, {groups.front()}));
      break;
    case Question::cache:
      f.add_all(cache_findings(result.spec, groups));
      f.add_all(remedy_findings(result.spec, groups));
      f.same_losses(groups);
      break;
    case Question::pipelining_energy:
      f.energy(groups);
      f.pipelining(groups);
      break;
    case Question::storage:
      f.storage(groups);
      f.same_losses(groups);
      break;
    case Question::batch_size:
      f.batch_size(groups);
      break;
    case Question::variability:
      f.variability(groups);
      break;
    case Question::base_load:
      f.base_load(groups);
      break;
    case Question::dvfs:
      dvfs_findings(result.spec, groups, f.list);
      break;
    case Question::power_modes:
      mode_findings(result.spec, groups, f.list);
      break;
    case Question::containers:
      f.add_all(runtime_findings(result.spec, groups));
      break;
  }
  if (cuda_number(result.compute)) gpu_finding(groups, f.list);
  return f.list;
}

}  // namespace flyball
