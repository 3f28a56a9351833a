#include "findings/measured_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/distinct.h"
#include "base/units.h"
#include "experiment/stored_figures.h"
#include "experiment/summary.h"
#include "twin/twin.h"

namespace flyball {
namespace {

constexpr int measured_epochs = 6;  ///< as the study: the first one, and five that make a mean
constexpr int64_t few_steps = 3;    ///< of a look at how long a minibatch takes
constexpr int64_t few_samples = 64;

/// What a study trains on, and which network of ours it is.
struct StudySet {
  const char* workload;
  const char* network;
  const char* kind;

  /// As its twin has it.
  double samples() const { return known_twin_workload(workload, Phase::train)->data.samples; }
};
constexpr StudySet study_sets[] = {{"lenet5", "lenet5", "mnist"},
                                   {"resnet18_cifar10", "resnet18", "cifar10"},
                                   {"vgg11", "vgg11", "cifar10"},
                                   {"mobilenet_v3", "mobilenet_v3", "gld23k"}};

const StudySet* find_set(const std::string& workload) {
  const auto found = std::ranges::find(study_sets, workload, &StudySet::workload);
  return found == std::end(study_sets) ? nullptr : found;
}

class Measured final : public MeasuredRuns {
 public:
  Measured(const PublishedStudy& study, const MeasuredRunsOptions& options)
      : study_(study),
        options_(options),
        power_gap_(missing_power(options.experiment)),
        has_gpu_(shows_gpu(options.experiment)) {}

  std::string board() const override { return options_.experiment.board.device.name; }
  Provenance provenance() const override { return Provenance::measured; }
  std::string usual_mode() const override { return ""; }

  Result<std::vector<RunsAhead>> ahead(const std::vector<FindingSetting>& settings) override {
    std::vector<RunsAhead> all;
    for (const ExperimentSpec& spec : experiments(settings)) {
      FLYBALL_ASSIGN(const auto held, held_runs(spec, options_.experiment));
      all.push_back({spec.listed.front().workload, spec.listed.size(),
                     options_.experiment.fresh ? 0 : held.size()});
    }
    return all;
  }

  Status check(const FindingSetting& setting, const std::string& figure) override {
    FLYBALL_ASSIGN([[maybe_unused]] const ExperimentSpec spec, spec_of(setting));
    const bool power = figure == "energy_mwh" || figure == "power_w" || figure == "base_pct";
    if (power && !power_gap_.empty()) return Error{Code::unavailable, power_gap_, ""};
    if (figure.starts_with("gpu_") && !has_gpu_)
      return Error{Code::unavailable, "no GPU tells its load and clock here", ""};
    return {};
  }

  Status make(const std::vector<FindingSetting>& settings) override {
    const std::vector<ExperimentSpec> specs = experiments(settings);
    FLYBALL_CHECK(tell_time(specs));
    for (const ExperimentSpec& spec : specs) {
      const auto result = run_experiment(spec, options_.experiment);
      if (!result && result.error().code == Code::interrupted) return result.error();
      if (!result) {  // the others can still be asked
        failed_.emplace(spec.listed.front().workload, result.error());
        continue;
      }
      for (const RunFigures& run : result->runs) runs_[run_key(run.settings, 0)] = run;
      for (const auto& more : {gaps_of(*result), doubts_of(*result)})
        for (const std::string& note : more) add_distinct(notes_, note);
    }
    return {};
  }

  std::vector<std::string> notes() const override { return notes_; }

  Result<RunFigures> run(const FindingSetting& setting) override {
    FLYBALL_ASSIGN(const ExperimentSpec spec, spec_of(setting));
    const auto found = runs_.find(run_key(spec.fixed, 0));
    if (found != runs_.end()) return found->second;
    const auto failed = failed_.find(spec.fixed.workload);
    if (failed != failed_.end()) return failed->second.within(spec.fixed.workload);
    return Error{Code::unavailable, "it was not run", ""};
  }

  Result<bool> fits(const std::string&) override {
    return Error{
        Code::unavailable,
        "what does not fit a board would end its programs: `flyball describe --fits` tells", ""};
  }

 private:
  /// One experiment of each workload, with all its runs that can be.
  std::vector<ExperimentSpec> experiments(const std::vector<FindingSetting>& settings) {
    std::vector<ExperimentSpec> all;
    for (const FindingSetting& setting : settings) {
      auto spec = spec_of(setting);
      if (!spec) continue;
      const auto same = std::ranges::find_if(all, [&](const ExperimentSpec& one) {
        return one.listed.front().workload == spec->fixed.workload;
      });
      if (same != all.end()) {
        same->listed.push_back(spec->fixed);
        continue;
      }
      all.push_back(*std::move(spec));
      all.back().listed = {all.back().fixed};
    }
    return all;
  }

  /// An error says what the board lacks for it.
  Result<ExperimentSpec> spec_of(const FindingSetting& setting) {
    if (!setting.state.empty() && setting.state != state_at_rest)
      return Error{Code::unavailable,
                   "a meter at the wall tells it: `flyball experiment run "
                   "experiments/base_load_states.toml --plug LOG`",
                   ""};
    if (asks_other_storage(study_, setting))
      return Error{Code::unavailable,
                   "storages beside each other are an experiment of their own: "
                   "experiments/storage.toml",
                   ""};
    ExperimentSpec spec = experiment_of(study_, setting, measured_epochs);
    spec.media.clear();
    spec.fixed.medium.clear();
    const StudySet* set = find_set(setting.workload);
    if (!set)
      return Error{Code::unavailable,
                   fmt::format("Flyball has no set of {}'s study", setting.workload), ""};
    spec.fixed.workload = set->network;
    if (setting.state.empty()) {
      const double samples = std::round(set->samples() * options_.scale);
      spec.dataset = {.kind = set->kind, .samples = std::max<int64_t>(1, std::llround(samples))};
      const auto longest = static_cast<double>(spec.dataset.samples) / setting.batch;
      if (longest < 2)
        return Error{Code::unavailable,
                     fmt::format("{} samples are no two minibatches of {:g}", spec.dataset.samples,
                                 setting.batch),
                     ""};
    }
    FLYBALL_CHECK(settable(spec));
    return spec;
  }

  /// Leaves pinned clocks as they are where none can be set: then they do not vary. Each way of
  /// setting the board is looked at once.
  Status settable(ExperimentSpec& spec) {
    if (spec.fixed.dvfs == "off") {
      ExperimentSpec pinned = spec;
      pinned.fixed.power_mode.clear();
      if (!checked(pinned).ok()) spec.fixed.dvfs.clear();
    }
    if (spec.fixed.dvfs.empty() && spec.fixed.power_mode.empty()) {
      spec.modes.clear();
      return {};
    }
    return checked(spec);
  }

  Status checked(const ExperimentSpec& spec) {
    const std::string key = spec.fixed.power_mode + "; " + spec.fixed.dvfs;
    const auto known = checks_.find(key);
    if (known != checks_.end()) return known->second;
    return checks_.emplace(key, check_experiment(spec, options_.experiment)).first->second;
  }

  /// By a few minibatches of each workload that has runs left.
  Status tell_time(const std::vector<ExperimentSpec>& specs) const {
    double seconds = 0;
    size_t left = 0;
    for (const ExperimentSpec& spec : specs) {
      FLYBALL_ASSIGN(const auto held, held_runs(spec, options_.experiment));
      std::set<std::string> keys;
      for (const RunFigures& run : held) keys.insert(run_key(run.settings, 0));
      double epochs_left = 0;
      for (const RunSettings& run : spec.listed) {
        if (!options_.experiment.fresh && keys.contains(run_key(run, 0))) continue;
        ++left;
        if (run.state.empty())
          epochs_left += run.epochs;
        else
          seconds += static_cast<double>(run.seconds);
      }
      if (epochs_left == 0) continue;
      const auto each = seconds_of_a_sample(spec);
      if (!each && each.error().code == Code::interrupted) return each.error();
      if (each) seconds += epochs_left * *each * static_cast<double>(spec.dataset.samples);
    }
    if (left > 0 && options_.experiment.note)
      options_.experiment.note(fmt::format(
          "{} run{} to make, about {} by a few minibatches of each network; each is kept, and the "
          "same command goes on from there",
          left, left == 1 ? "" : "s", format_seconds({seconds})));
    return {};
  }

  Result<double> seconds_of_a_sample(const ExperimentSpec& spec) const {
    ExperimentSpec few = spec;
    ExperimentOptions options = options_.experiment;
    options.store = nullptr;
    options.progress = nullptr;
    options.note = nullptr;
    few.fixed = RunSettings();
    few.fixed.workload = spec.listed.back().workload;
    few.fixed.epochs = 1;
    few.fixed.steps = few_steps;
    few.fixed.clear = Clear::never;
    few.listed.clear();
    few.dataset.samples = std::min(few.dataset.samples, few_samples);
    FLYBALL_ASSIGN(const ExperimentResult result, run_experiment(few, options));
    const EpochFigures& epoch = result.runs.front().epochs.front();
    return epoch.e2e_s / static_cast<double>(epoch.samples);
  }

  const PublishedStudy& study_;
  MeasuredRunsOptions options_;
  std::string power_gap_;                 ///< "" where power can be read
  bool has_gpu_;                          ///< of whose load and clock runs tell
  std::map<std::string, Status> checks_;  ///< by mode and DVFS
  std::vector<std::string> notes_;
  std::map<std::string, RunFigures> runs_;  ///< by run_key()
  std::map<std::string, Error> failed_;     ///< why a workload has none
};

}  // namespace

std::unique_ptr<MeasuredRuns> measured_runs(const PublishedStudy& study,
                                            const MeasuredRunsOptions& options) {
  return std::make_unique<Measured>(study, options);
}

}  // namespace flyball
