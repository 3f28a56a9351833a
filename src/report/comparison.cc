#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "report/quantity.h"
#include "report/run_report.h"
#include "report/sheet.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

/// Readings that tell their interval, and the two do not overlap.
bool apart(const Measurement& a, const Measurement& b) {
  const Measurement *first[] = {&a}, *second[] = {&b};
  const Configuration x = pooled(first), y = pooled(second);
  return x.time_lo > y.time_hi || y.time_lo > x.time_hi;  // false where one is not known
}

std::string measured(const std::vector<ComparedTrial>& trials, bool first) {
  std::set<std::string> names;
  for (const ComparedTrial& row : trials) {
    const auto& m = first ? row.trial.first : row.trial.second;
    if (m) names.insert(m->trial.job.workload + " " + phase_name(m->trial.job.phase));
  }
  return names.empty() ? "nothing" : join({names.begin(), names.end()}, ", ");
}

ComparedTrial compared(const TrialComparison& trial, Sources& sources,
                       std::set<std::pair<size_t, size_t>>& pairs) {
  ComparedTrial row{trial, "", "", {}, std::nan("")};
  const auto source = [&](const std::optional<Measurement>& m) { return sources.of(*m); };
  if (trial.first) row.first_source = sources.all()[source(trial.first)].name;
  if (trial.second) row.second_source = sources.all()[source(trial.second)].name;
  if (!trial.first || !trial.second || trial.first->failed() || trial.second->failed()) return row;
  const Measurement &a = *trial.first, &b = *trial.second;
  row.change_pct = 100 * (b.minibatch_ms / a.minibatch_ms - 1);
  const bool same = row.first_source == row.second_source;
  // A table's rows have no noise: they are what they are.
  row.established = same && apart(a, b);
  if (!same) {
    const auto index = [&](const std::string& name) {
      return static_cast<size_t>(std::ranges::find(sources.all(), name, &Source::name) -
                                 sources.all().begin());
    };
    pairs.emplace(index(row.first_source), index(row.second_source));
  }
  return row;
}

Json time_of(const std::optional<Measurement>& m) {
  if (!m) return nullptr;
  if (m->failed()) return "failed";
  return time_of_reading(*m);
}

Json power_of(const std::optional<Measurement>& m) {
  return m && m->power ? Json(m->power->mean_w) : Json(nullptr);
}

std::string remark(const ComparedTrial& row) {
  if (!row.trial.first) return "only in the second";
  if (!row.trial.second) return "only in the first";
  if (!row.established) return "failed";
  if (row.first_source != row.second_source)
    return fmt::format("{} and {} do not compare", row.first_source, row.second_source);
  return *row.established ? "" : row.change_pct == 0 ? "the same" : "difference not established";
}

Json table_of(const RunComparison& c) {
  Json table = sheet_table("Trial by trial", "Of each run the latest reading, with its interval.",
                           {{"workload", ""},
                            {"set", ""},
                            {fmt::format("run {}", c.first.id), "ms"},
                            {fmt::format("run {}", c.second.id), "ms"},
                            {"change", "%"},
                            {fmt::format("run {} power", c.first.id), "W"},
                            {fmt::format("run {} power", c.second.id), "W"},
                            {"", ""}});
  for (const ComparedTrial& row : c.trials)
    table["rows"].push_back(sheet_row(
        {fmt::format("{} {}", row.trial.trial.job.workload, phase_name(row.trial.trial.job.phase)),
         describe(all_settings(row.trial.trial)), time_of(row.trial.first),
         time_of(row.trial.second),
         std::isnan(row.change_pct) ? Json(nullptr) : Json(row.change_pct),
         power_of(row.trial.first), power_of(row.trial.second), remark(row)}));
  return table;
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
  std::set<std::pair<size_t, size_t>> unlike;
  for (const TrialComparison& trial : compare_measurements(of_first, of_second)) {
    comparison.trials.push_back(compared(trial, comparison.sources, unlike));
    comparison.common += comparison.trials.back().established.has_value();
  }
  for (const auto& [a, b] : unlike)
    for (std::string& text : differences(comparison.sources.all()[a], comparison.sources.all()[b]))
      comparison.differences.push_back(std::move(text));
  return comparison;
}

Result<int64_t> earlier_run(const std::vector<StoredRun>& runs, int64_t run) {
  const auto at = std::ranges::find(runs, run, &StoredRun::id);
  if (at == runs.end())
    return Error{Code::not_found, fmt::format("there is no run {}", run),
                 "`flyball runs list` shows those there are"};
  const std::string workload = summary_of(*at).workload;
  for (auto before = std::next(at); before != runs.end(); ++before)
    if (before->measurements > 0 && summary_of(*before).workload == workload) return before->id;
  return Error{
      Code::not_found,
      fmt::format("no run before {} measured {}", run, workload.empty() ? "the same" : workload),
      "name both runs: flyball runs compare 3 4; `flyball runs list` shows them"};
}

Json comparison_report(const RunComparison& c, const std::string& command) {
  const std::string title = fmt::format("runs {} and {}", c.first.id, c.second.id);
  std::string words = c.words();
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  Json sheet = new_sheet(
      {"comparison", title, "Comparison · " + title, words + ".", command, wall_clock_utc()});
  if (!c.differences.empty())
    sheet["lines"].push_back("The two do not compare: " + join(c.differences, "; ") + ".");
  sheet["figures"].push_back(sheet_figure("trials in both", c.common, ""));
  if (!c.trials.empty()) sheet["tables"].push_back(table_of(c));
  add_sources(sheet, c.sources);
  for (const StoredRun* run : {&c.first, &c.second})
    sheet["facts"].push_back(fact_list(fmt::format("Run {}", run->id),
                                       {{"command", run->request.command},
                                        {"started", run->started_utc},
                                        {"state", run_state_name(run->state)},
                                        {"trials", fmt::format("{}", run->measurements)}}));
  return sheet;
}

}  // namespace flyball
