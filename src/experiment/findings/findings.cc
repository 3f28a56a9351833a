// In words what an experiment shows, each sentence from its figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/amounts.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiment/findings/board_findings.h"
#include "experiment/findings/cache_findings.h"
#include "experiment/findings/finding_words.h"
#include "experiment/findings/runtime_findings.h"
#include "experiment/summary.h"
#include "space/compute_place.h"

namespace flyball {
namespace {

constexpr double same = 0.02;  // two times that differ less are called equal

// The group of a setting that is otherwise like `like`; null when there is none.
const Group* with_workers(const std::vector<Group>& groups, const Group& like, int workers) {
  for (const Group& group : groups)
    if (group.settings.workers == workers && group.settings.medium == like.settings.medium &&
        group.settings.clear == like.settings.clear &&
        group.settings.batch_size == like.settings.batch_size)
      return &group;
  return nullptr;
}

const Group* most_workers(const std::vector<Group>& groups) {
  const auto found = std::max_element(
      groups.begin(), groups.end(),
      [](const Group& a, const Group& b) { return a.settings.workers < b.settings.workers; });
  return found == groups.end() ? nullptr : &*found;
}

class Findings {
 public:
  Findings(const std::vector<Group>& groups, bool quiet) : groups_(groups), quiet_(quiet) {}
  std::vector<Finding> list;

  void add(std::string text, std::optional<bool> as_expected = {}) {
    list.push_back({std::move(text), as_expected});
  }

  // What pipelining gains, seen from the run without workers.
  void pipelining(const std::vector<Group>& groups) {
    for (const Group& inline_group : groups) {
      if (inline_group.settings.workers != 0) continue;
      const EpochAverage& before = inline_group.steady();
      for (const Group& group : groups) {
        const int workers = group.settings.workers;
        if (workers == 0 || with_workers(groups, inline_group, workers) != &group) continue;
        const EpochAverage& after = group.steady();
        add(fmt::format("With {} loader worker{} the stall of an epoch goes from {} to {} and its "
                        "end-to-end time from {} to {} ({}){}.",
                        workers, workers == 1 ? "" : "s", seconds(before.stall_s),
                        seconds(after.stall_s), seconds(before.e2e_s), seconds(after.e2e_s),
                        change(before.e2e_s, after.e2e_s), where(group)),
            after.stall_s < before.stall_s);
      }
    }
  }

  void saturation(const std::vector<Group>& groups) {
    if (groups.empty()) return;
    const Group* best = &groups.front();
    for (const Group& group : groups)
      if (group.steady().e2e_s < best->steady().e2e_s) best = &group;
    const Group* fewest = best;
    for (const Group& group : groups)
      if (group.steady().e2e_s <= (1 + same) * best->steady().e2e_s &&
          group.settings.workers < fewest->settings.workers)
        fewest = &group;
    if (groups.size() > 1)
      add(fmt::format("{} enough: no other number of workers is more than {:.0f} % faster.",
                      fewest->settings.workers == 1
                          ? std::string("1 worker is")
                          : fmt::format("{} workers are", fewest->settings.workers),
                      100 * same));
  }

  // The loader's own work beside the network's.
  void limiting_stage(const Group& group) {
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
    if (const Group* alone = with_workers(groups_, group, 0);
        alone && alone != &group && a.compute_s > (1 + 2 * same) * alone->steady().compute_s)
      add(fmt::format("Compute takes {} longer than without workers{}",
                      change(alone->steady().compute_s, a.compute_s).substr(1),
                      quiet_ ? ": they share the processor with the network." : "."));
  }

  void same_losses(const std::vector<Group>& groups) {
    const std::vector<double>* reference = nullptr;
    double largest = 0;
    size_t compared = 0;
    for (const Group& group : groups)
      for (const RunFigures* run : group.runs) {
        if (run->losses.empty() || run->settings.phase != Phase::train) return;
        if (!reference) reference = &run->losses;
        if (run->losses.size() != reference->size()) return;
        for (size_t i = 0; i < reference->size(); ++i)
          largest = std::max(largest, std::abs(run->losses[i] - (*reference)[i]));
        ++compared;
      }
    if (compared < 2) return;
    add(largest == 0
            ? fmt::format("The loss curve does not depend on the loader: all {} losses of {} runs "
                          "are equal bit for bit.",
                          reference->size(), compared)
            : fmt::format("The losses of {} runs differ by up to {:.2g}: the loss curve depends on "
                          "the setting.",
                          compared, largest),
        largest == 0);
  }

  void add_all(std::vector<Finding> more) {
    for (Finding& finding : more) list.push_back(std::move(finding));
  }

  // Slowest against fastest medium at the same number of workers.
  void storage(const std::vector<Group>& groups) {
    std::vector<int> workers;
    for (const Group& group : groups)
      if (std::find(workers.begin(), workers.end(), group.settings.workers) == workers.end())
        workers.push_back(group.settings.workers);
    std::sort(workers.begin(), workers.end());
    for (const int count : workers) {
      const Group *fast = nullptr, *slow = nullptr;
      for (const Group& group : groups) {
        if (group.settings.workers != count) continue;
        if (!fast || group.first.stall_s < fast->first.stall_s) fast = &group;
        if (!slow || group.first.stall_s > slow->first.stall_s) slow = &group;
      }
      if (!fast || fast == slow) continue;
      add(fmt::format("At {} workers the stall of the first epoch is {} on '{}' and {} on '{}'{}.",
                      count, seconds(fast->first.stall_s), fast->settings.medium,
                      seconds(slow->first.stall_s), slow->settings.medium,
                      disk_verdict(*fast, *slow)));
    }
  }

  void batch_size(const std::vector<Group>& groups) {
    if (groups.size() < 2) return;
    std::vector<const Group*> sorted;
    for (const Group& group : groups) sorted.push_back(&group);
    std::ranges::sort(sorted, {}, [](const Group* g) { return g->settings.batch_size; });
    const Group &small = *sorted.front(), &large = *sorted.back();
    const auto &a = small.steady(), &b = large.steady();
    add(fmt::format("From batch {} to {} the stall of a minibatch goes from {:.3g} to {:.3g} ms.",
                    small.settings.batch_size, large.settings.batch_size, a.stall_ms, b.stall_ms),
        b.stall_ms > a.stall_ms);
    add(fmt::format("The stall of an epoch goes from {} to {}, its compute from {} to {}.",
                    seconds(a.stall_s), seconds(b.stall_s), seconds(a.compute_s),
                    seconds(b.compute_s)),
        b.stall_s < a.stall_s);
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
            "Run {}: epochs 1 to {} take {} in the median and differ by {:.1f} % from "
            "the fastest to the slowest.",
            run->repeat + 1, epochs.size(), seconds(median(epochs)), 100 * (high / low - 1)));
      }
      if (over_runs.size() < 2) continue;
      const auto [low, high] = std::ranges::minmax(over_runs);
      add(fmt::format("Between {} runs the median epoch differs by {:.1f} %.", over_runs.size(),
                      100 * (high / low - 1)));
    }
  }

  void energy(const std::vector<Group>& groups) {
    const Group* alone = groups.empty() ? nullptr : with_workers(groups, groups.front(), 0);
    const Group* most = most_workers(groups);
    if (!alone || alone == most) return;
    const auto &a = alone->steady(), &b = most->steady();
    if (!a.energy_j || !b.energy_j) {
      add("Whether pipelining saves energy is not known here: power is not measured.");
      return;
    }
    add(fmt::format("{} workers change the energy of an epoch from {} to {} ({}).",
                    most->settings.workers, format_joules(*a.energy_j), format_joules(*b.energy_j),
                    change(*a.energy_j, *b.energy_j)),
        *b.energy_j < *a.energy_j);
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
  const std::vector<Group>& groups_;
  bool quiet_;  ///< did other programs leave the processor alone?
};

}  // namespace

std::vector<Finding> findings_of(const ExperimentResult& result, const std::vector<Group>& groups) {
  Findings f(groups, doubts_of(result).empty());
  if (groups.empty()) return {};
  switch (result.spec.question) {
    case Question::workers:
      f.pipelining(groups);
      if (doubts_of(result).empty()) f.saturation(groups);
      for (const Group& group : groups) f.limiting_stage(group);
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
      dvfs_findings(groups, f.list);
      break;
    case Question::power_modes:
      mode_findings(groups, f.list);
      break;
    case Question::containers:
      f.add_all(runtime_findings(result.spec, groups));
      break;
  }
  if (cuda_number(result.compute)) gpu_finding(groups, f.list);
  return f.list;
}

}  // namespace flyball
