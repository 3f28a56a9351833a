#include "experiment/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "experiment/runtime_differences.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

constexpr double busy_pct = 20;  // of one core; a machine at rest needs less

// The mean where every epoch has the figure, else nothing.
std::optional<double> mean_of(const std::vector<const EpochFigures*>& epochs,
                              std::optional<double> EpochFigures::*field) {
  double sum = 0;
  for (const EpochFigures* epoch : epochs) {
    if (!(epoch->*field)) return {};
    sum += *(epoch->*field);
  }
  if (epochs.empty()) return {};
  return sum / static_cast<double>(epochs.size());
}

double mean_quantile(const std::vector<const EpochFigures*>& epochs, double quantile) {
  double sum = 0;
  for (const EpochFigures* epoch : epochs) sum += epoch->minibatch_ms.at(quantile);
  return sum / static_cast<double>(epochs.size());
}

Json average_json(const EpochAverage& a) {
  return {{"epochs", a.epochs},
          {"e2e_s", a.e2e_s},
          {"stall_s", a.stall_s},
          {"compute_s", a.compute_s},
          {"overhead_s", a.overhead_s},
          {"fetch_s", a.fetch_s},
          {"preprocess_s", a.preprocess_s},
          {"stall_ms", a.stall_ms},
          {"minibatch_ms", a.minibatch_ms},
          {"minibatch_p50_ms", a.minibatch_p50_ms},
          {"minibatch_p95_ms", a.minibatch_p95_ms},
          {"cpu_pct", a.cpu_pct},
          {"peak_memory_bytes", a.peak_memory_bytes},
          {"others_cpu_pct", or_null(a.others_cpu_pct)},
          {"cached", or_null(a.cached)},
          {"read_bytes", or_null(a.read_bytes)},
          {"disk_reads", or_null(a.disk_reads)},
          {"file_bytes", or_null(a.file_bytes)},
          {"cache_bytes", or_null(a.cache_bytes)},
          {"energy_j", or_null(a.energy_j)},
          {"power_w", or_null(a.power_w)},
          {"base_w", or_null(a.base_w)},
          {"gpu_load_pct", or_null(a.gpu_load_pct)},
          {"gpu_mhz", or_null(a.gpu_mhz)},
          {"gpu_memory_bytes", or_null(a.gpu_memory_bytes)}};
}

// Of the runs of a group the busiest one counts: a mean would hide it.
void take_doubts(Group& group) {
  for (const RunFigures* run : group.runs) {
    if (!run->disturbed.empty() &&
        std::ranges::find(group.disturbed, run->disturbed) == group.disturbed.end())
      group.disturbed.push_back(run->disturbed);
    std::vector<const EpochFigures*> epochs;
    for (const EpochFigures& epoch : run->epochs) epochs.push_back(&epoch);
    if (const auto others = mean_of(epochs, &EpochFigures::others_cpu_pct))
      group.busy_pct = std::max(group.busy_pct.value_or(0), *others < busy_pct ? 0 : *others);
  }
}

/// Mean over the runs that know it.
std::optional<double> base_of(const std::vector<const RunFigures*>& runs) {
  std::vector<double> known;
  for (const RunFigures* run : runs)
    if (run->base_w) known.push_back(*run->base_w);
  return known.empty() ? std::nullopt : std::optional(mean(known));
}

}  // namespace

EpochAverage average_of(const std::vector<const EpochFigures*>& epochs) {
  EpochAverage a;
  a.epochs = static_cast<int>(epochs.size());
  if (epochs.empty()) return a;
  const auto average = [&](double EpochFigures::*field) {
    double sum = 0;
    for (const EpochFigures* epoch : epochs) sum += epoch->*field;
    return sum / static_cast<double>(epochs.size());
  };
  a.e2e_s = average(&EpochFigures::e2e_s);
  a.stall_s = average(&EpochFigures::stall_s);
  a.compute_s = average(&EpochFigures::compute_s);
  a.overhead_s = average(&EpochFigures::overhead_s);
  a.fetch_s = average(&EpochFigures::fetch_s);
  a.preprocess_s = average(&EpochFigures::preprocess_s);
  a.cpu_pct = average(&EpochFigures::cpu_pct);
  double minibatches = 0;
  for (const EpochFigures* epoch : epochs) minibatches += static_cast<double>(epoch->minibatches);
  if (minibatches > 0) {
    a.stall_ms = 1e3 * a.stall_s * a.epochs / minibatches;
    a.minibatch_ms = 1e3 * a.e2e_s * a.epochs / minibatches;
  }
  a.peak_memory_bytes = average(&EpochFigures::peak_memory_bytes);
  a.minibatch_p50_ms = mean_quantile(epochs, 0.5);
  a.minibatch_p95_ms = mean_quantile(epochs, 0.95);
  a.others_cpu_pct = mean_of(epochs, &EpochFigures::others_cpu_pct);
  a.cached = mean_of(epochs, &EpochFigures::cached_before);
  a.read_bytes = mean_of(epochs, &EpochFigures::read_bytes);
  a.disk_reads = mean_of(epochs, &EpochFigures::disk_reads);
  a.file_bytes = mean_of(epochs, &EpochFigures::file_bytes);
  a.cache_bytes = mean_of(epochs, &EpochFigures::cache_bytes);
  a.energy_j = mean_of(epochs, &EpochFigures::energy_j);
  a.power_w = mean_of(epochs, &EpochFigures::power_w);
  a.gpu_load_pct = mean_of(epochs, &EpochFigures::gpu_load_pct);
  a.gpu_mhz = mean_of(epochs, &EpochFigures::gpu_mhz);
  a.gpu_memory_bytes = mean_of(epochs, &EpochFigures::gpu_memory_bytes);
  return a;
}

std::optional<double> EpochAverage::base_pct() const {
  if (!base_w || !power_w) return {};
  return 100 * *base_w / *power_w;
}

std::string Group::doubts() const {
  std::string text;
  for (const std::string& who : disturbed)
    text += (text.empty() ? "beside " : ", ") + short_names(who);
  if (busy_pct.value_or(0) > 0)
    text += fmt::format("{}others took {:.0f} % of a core", text.empty() ? "" : "; ", *busy_pct);
  return text;
}

std::vector<Group> groups_of(const ExperimentResult& result) {
  std::vector<Group> groups;
  for (const RunSettings& settings : result.spec.runs()) {
    Group group{.label = run_label(result.spec, settings), .settings = settings};
    const Json key = settings_json(settings);
    std::vector<const EpochFigures*> first, later;
    for (const RunFigures& run : result.runs) {
      if (settings_json(run.settings) != key) continue;
      group.runs.push_back(&run);
      for (const EpochFigures& epoch : run.epochs)
        (epoch.epoch == 0 ? first : later).push_back(&epoch);
    }
    if (group.runs.empty()) continue;
    take_doubts(group);
    group.first = average_of(first);
    if (!later.empty()) group.later = average_of(later);
    group.first.base_w = base_of(group.runs);
    if (group.later) group.later->base_w = group.first.base_w;
    group.residency = group.runs.front()->residency;
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<std::string> gaps_of(const ExperimentResult& result) {
  std::vector<std::string> gaps = result.left_out;
  const auto add = [&](const std::string& gap) {
    if (!gap.empty() && std::find(gaps.begin(), gaps.end(), gap) == gaps.end()) gaps.push_back(gap);
  };
  for (const RunFigures& run : result.runs) {
    add(run.power_gap);
    for (const EpochFigures& epoch : run.epochs) {
      if (epoch.minibatches == 0) continue;
      if (!epoch.cached_before) add("the kernel does not tell what the page cache holds");
      if (!epoch.read_bytes) add("the kernel does not account I/O per process");
      if (result.gpu_unused)
        add("the network ran on the CPU, not on this board's GPU, which LibTorch does not reach "
            "(`flyball doctor` says more)");
    }
  }
  if (result.spec.question == Question::power_modes &&
      std::ranges::any_of(result.runs, [](const RunFigures& run) {
        return !run.base_w && !run.power_total.empty() && run.power_total != "plug";
      }))
    add("base load is not known of all its modes (`flyball mode idle MODE…` measures it, for the "
        "runs that come after)");
  if (result.runs.size() < result.wanted)
    add("not all runs were measured yet; `flyball experiment run` goes on");
  return gaps;
}

std::vector<std::string> time_doubts_of(const ExperimentResult& result) {
  std::vector<double> others;
  std::vector<std::string> doubts, beside;
  size_t disturbed = 0;
  for (const RunFigures& run : result.runs) {
    if (run.disturbed.empty()) continue;
    ++disturbed;
    if (std::ranges::find(beside, run.disturbed) == beside.end()) beside.push_back(run.disturbed);
  }
  if (disturbed > 0)
    doubts.push_back(
        fmt::format("{} of {} runs were measured beside {}: their times deserve doubt "
                    "(--fresh measures all again)",
                    disturbed, result.runs.size(), join(beside, ", ")));
  for (const RunFigures& run : result.runs)
    for (const EpochFigures& epoch : run.epochs)
      if (epoch.others_cpu_pct) others.push_back(*epoch.others_cpu_pct);
  if (!others.empty() && quantile(others, 0.75) >= busy_pct)
    doubts.push_back(
        fmt::format("other programs took {:.0f} % of a core in the median epoch and {:.0f} % in "
                    "the busiest one: times of this run deserve doubt",
                    median(others), std::ranges::max(others)));
  return doubts;
}

std::vector<std::string> doubts_of(const ExperimentResult& result) {
  std::vector<std::string> doubts = time_doubts_of(result);
  if (const auto count = std::ranges::count_if(result.runs, diverged); count > 0)
    doubts.push_back(
        fmt::format("the loss of {} of {} runs is no number any more: these trainings diverged",
                    count, result.runs.size()));
  return doubts;
}

Json epochs_json(const std::vector<const RunFigures*>& runs) {
  Json list = Json::array();
  for (const RunFigures* run : runs)
    for (const EpochFigures& epoch : run->epochs)
      list.push_back({{"repeat", run->repeat},
                      {"epoch", epoch.epoch},
                      {"e2e_s", epoch.e2e_s},
                      {"stall_s", epoch.stall_s},
                      {"compute_s", epoch.compute_s},
                      {"overhead_s", epoch.overhead_s},
                      {"loss", or_null(epoch.loss)},
                      {"cached", or_null(epoch.cached_before)},
                      {"read_bytes", or_null(epoch.read_bytes)},
                      {"energy_j", or_null(epoch.energy_j)},
                      {"others_cpu_pct", or_null(epoch.others_cpu_pct)},
                      {"disturbed", text_or_null(run->disturbed)},
                      {"minibatch_ms", epoch.minibatch_ms.quantiles}});
  return list;
}

Json first_run_json(const RunFigures* run) {
  Json json{{"measured_utc", nullptr}, {"power_total", nullptr}, {"dataset", nullptr}};
  if (!run) return json;
  json["measured_utc"] = text_or_null(run->started_utc);
  json["power_total"] = text_or_null(run->power_total);
  json["dataset"] = {{"samples", run->dataset_samples}, {"bytes", run->dataset_bytes}};
  return json;
}

Json experiment_json(const ExperimentResult& result) {
  const auto groups = groups_of(result);
  Json json{{"experiment", result.spec.name},
            {"title", result.spec.title},
            {"question", question_name(result.spec.question)},
            {"fixed", settings_json(result.spec.fixed)},
            {"varied", Json::array()},
            {"device", result.device},
            {"fingerprint", result.fingerprint},
            {"compute", text_or_null(result.compute)},
            {"started_utc", result.started_utc},
            {"seconds", result.seconds},
            {"runs", result.runs.size()},
            {"wanted", result.wanted},
            {"reused", result.reused}};
  for (const Varied& varied : result.spec.vary) json["varied"].push_back(varied.name);
  json.update(first_run_json(result.runs.empty() ? nullptr : &result.runs.front()));
  json["groups"] = Json::array();
  for (const Group& group : groups)
    json["groups"].push_back({{"label", group.label},
                              {"settings", settings_json(group.settings)},
                              {"repeats", group.runs.size()},
                              {"disturbed", group.disturbed},
                              {"doubts", text_or_null(group.doubts())},
                              {"first", average_json(group.first)},
                              {"later", group.later ? average_json(*group.later) : Json(nullptr)},
                              {"epochs", epochs_json(group.runs)},
                              {"residency", residency_json(group.residency)}});
  json["findings"] = Json::array();
  for (const Finding& finding : findings_of(result, groups))
    json["findings"].push_back(
        {{"text", finding.text},
         {"as_expected", finding.as_expected ? Json(*finding.as_expected) : Json(nullptr)}});
  json["runtimes"] = runtime_differences_json(runtime_differences(result.spec, groups));
  json["gaps"] = gaps_of(result);
  json["doubts"] = doubts_of(result);
  return json;
}

}  // namespace flyball
