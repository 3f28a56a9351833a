#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "answers/doubt.h"
#include "answers/repeats.h"
#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "report/run_report.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

std::string measured(const std::vector<ComparedTrial>& trials, bool first) {
  std::set<std::string> names;
  for (const ComparedTrial& row : trials)
    if (first ? row.first : row.second)
      names.insert(row.trial.job.workload + " " + phase_name(row.trial.job.phase));
  return names.empty() ? "nothing" : join({names.begin(), names.end()}, ", ");
}

std::vector<const Measurement*> that_did_not_fail(
    const std::vector<const StoredMeasurement*>& readings) {
  std::vector<const Measurement*> kept;
  for (const StoredMeasurement* one : readings)
    if (!one->measurement.failed()) kept.push_back(&one->measurement);
  return kept;
}

std::optional<ComparedSide> side_of(const std::vector<const StoredMeasurement*>& all,
                                    Sources& sources) {
  if (all.empty()) return {};
  const auto readings = that_did_not_fail(all);
  ComparedSide side{"",
                    {not_known, not_known, not_known, not_known, not_known, not_known},
                    readings.size(),
                    trial_doubts(all.back()->measurement)};
  for (const StoredMeasurement* one : all) side.source = sources.all()[sources.of(*one)].name;
  if (!readings.empty()) side.known = pooled(readings);
  return side;
}

std::string name_of(const StoredRun& run) {
  return fmt::format("run {}", run.id);
}

// "": of this store itself.
std::string board_of(const StoredRun& run) {
  return run.origin ? run.origin->board : "";
}

std::string on_board(const StoredRun& run) {
  if (run.origin) return " on " + run.origin->name;
  return run.request.device.empty() ? "" : " on " + run.request.device;
}

ComparedTrial compared(const TrialComparison& trial, const RunComparison& all, Sources& sources) {
  ComparedTrial row{
      trial.trial, side_of(trial.first, sources), side_of(trial.second, sources), {}, ""};
  if (!row.first || !row.second || row.first->readings == 0 || row.second->readings == 0)
    return row;
  const ComparedSide &a = *row.first, &b = *row.second;
  row.change_pct = 100 * (b.known.minibatch_ms / a.known.minibatch_ms - 1);
  const auto figure = [](const ComparedSide& side,
                         const std::vector<const StoredMeasurement*>& made) {
    return figure_of(side.known, that_did_not_fail(made), Objective::time);
  };
  row.doubt = a.source != b.source
                  ? fmt::format("{} and {} do not compare", a.source, b.source)
                  : doubt_of(figure(a, trial.first), figure(b, trial.second), Objective::time,
                             name_of(all.first), name_of(all.second));
  row.established = row.doubt.empty();
  return row;
}

// What differs between sources whose figures stand in one row, each pair once.
std::vector<std::string> differences_of(const RunComparison& comparison) {
  std::vector<std::string> all;
  std::set<std::pair<std::string, std::string>> pairs;
  const auto& sources = comparison.sources.all();
  const auto source = [&](const std::string& name) -> const Source& {
    return *std::ranges::find(sources, name, &Source::name);
  };
  for (const ComparedTrial& row : comparison.trials) {
    if (!row.established || row.first->source == row.second->source ||
        !pairs.emplace(row.first->source, row.second->source).second)
      continue;
    for (std::string& text : differences(source(row.first->source), source(row.second->source)))
      all.push_back(std::move(text));
  }
  return all;
}

Json side_json(const std::optional<ComparedSide>& side) {
  if (!side) return nullptr;
  const Configuration& c = side->known;
  return {{"source", side->source},
          {"provenance", side->readings > 0 ? Json(provenance_name(c.provenance)) : Json(nullptr)},
          {"readings", side->readings},
          {"minibatch_ms_90", interval_json(c.time_lo, c.time_hi)},
          {"power_w_90", interval_json(c.power_lo, c.power_hi)},
          {"doubts", text_or_null(side->doubts)}};
}

Json run_json(const StoredRun& run) {
  return {{"id", run.id},
          {"command", run.request.command},
          {"started_utc", run.started_utc},
          {"state", run_state_name(run.state)},
          {"measurements", run.measurements}};
}

}  // namespace

std::string RunComparison::words() const {
  if (common == 0)
    return fmt::format("no trial was made in both: run {} measured {}, run {} measured {}",
                       first.id, measured(trials, true), second.id, measured(trials, false));
  size_t clear = 0;
  for (const ComparedTrial& row : trials) clear += row.established.value_or(false);
  return fmt::format("{} trial{} made in both; {} differ{} beyond {} noise", common,
                     common == 1 ? "" : "s", clear, clear == 1 ? "s" : "",
                     common == 1 ? "its" : "their");
}

RunComparison compare_runs(const StoredRun& first, const std::vector<StoredMeasurement>& of_first,
                           const StoredRun& second,
                           const std::vector<StoredMeasurement>& of_second) {
  RunComparison comparison;
  comparison.first = first;
  comparison.second = second;
  for (const TrialComparison& trial : compare_measurements(of_first, of_second)) {
    comparison.trials.push_back(compared(trial, comparison, comparison.sources));
    comparison.common += comparison.trials.back().established.has_value();
  }
  comparison.differences = differences_of(comparison);
  return comparison;
}

std::string remark_of(const ComparedTrial& row) {
  if (!row.first) return "only in the second";
  if (!row.second) return "only in the first";
  if (!row.established) return "failed";
  if (*row.established) return "established";
  return row.change_pct == 0 ? "the same" : "not established: " + row.doubt;
}

Json to_json(const RunComparison& comparison) {
  Json list = Json::array();
  for (const ComparedTrial& row : comparison.trials) {
    const auto time = [](const auto& side) {
      return side ? or_null(side->known.minibatch_ms) : Json(nullptr);
    };
    const auto power = [](const auto& side) {
      return side ? or_null(side->known.power_w) : Json(nullptr);
    };
    list.push_back({{"workload", row.trial.job.workload},
                    {"phase", phase_name(row.trial.job.phase)},
                    {"config", all_settings(row.trial)},
                    {"first_ms", time(row.first)},
                    {"second_ms", time(row.second)},
                    {"first_w", power(row.first)},
                    {"second_w", power(row.second)},
                    {"first", side_json(row.first)},
                    {"second", side_json(row.second)},
                    {"change_pct", or_null(row.change_pct)},
                    {"established", or_null(row.established)},
                    {"doubt", text_or_null(row.doubt)}});
  }
  return {{"first", comparison.first.id},
          {"second", comparison.second.id},
          {"verdict", comparison.words()},
          {"common", comparison.common},
          {"differences", comparison.differences},
          {"runs", {run_json(comparison.first), run_json(comparison.second)}},
          {"sources", sources_json(comparison.sources)},
          {"trials", list}};
}

Result<int64_t> earlier_run(const std::vector<StoredRun>& runs, int64_t run) {
  const auto at = std::ranges::find(runs, run, &StoredRun::id);
  if (at == runs.end())
    return Error{Code::not_found, fmt::format("there is no run {}", run),
                 "`flyball runs list` shows those there are"};
  const std::string workload = summary_of(*at).workload, board = board_of(*at);
  for (auto before = std::next(at); before != runs.end(); ++before)
    if (before->measurements > 0 && board_of(*before) == board &&
        before->request.device == at->request.device && summary_of(*before).workload == workload)
      return before->id;
  return Error{Code::not_found,
               fmt::format("no run before {} measured {}{}", run,
                           workload.empty() ? "the same" : workload, on_board(*at)),
               "name both runs: flyball runs compare 3 4; `flyball runs list` shows them"};
}

}  // namespace flyball
