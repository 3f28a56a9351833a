#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "answers/doubt.h"
#include "answers/repeats.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "report/quantity.h"
#include "report/run_report.h"
#include "report/sheet.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string measured(const std::vector<ComparedTrial>& trials, bool first) {
  std::set<std::string> names;
  for (const ComparedTrial& row : trials)
    if (first ? row.first : row.second)
      names.insert(row.trial.job.workload + " " + phase_name(row.trial.job.phase));
  return names.empty() ? "nothing" : join({names.begin(), names.end()}, ", ");
}

std::vector<const Measurement*> that_did_not_fail(std::vector<const Measurement*> readings) {
  std::erase_if(readings, [](const Measurement* m) { return m->failed(); });
  return readings;
}

std::optional<ComparedSide> side_of(const std::vector<const Measurement*>& all, Sources& sources) {
  if (all.empty()) return {};
  const auto readings = that_did_not_fail(all);
  ComparedSide side{"",
                    {unknown, unknown, unknown, unknown, unknown, unknown},
                    readings.size(),
                    trial_doubts(*all.back())};
  for (const Measurement* m : all) side.source = sources.all()[sources.of(*m)].name;
  if (!readings.empty()) side.known = pooled(readings);
  return side;
}

std::string name_of(const StoredRun& run) {
  return fmt::format("run {}", run.id);
}

ComparedTrial compared(const TrialComparison& trial, const RunComparison& all, Sources& sources) {
  ComparedTrial row{
      trial.trial, side_of(trial.first, sources), side_of(trial.second, sources), {}, ""};
  if (!row.first || !row.second || row.first->readings == 0 || row.second->readings == 0)
    return row;
  const ComparedSide &a = *row.first, &b = *row.second;
  row.change_pct = 100 * (b.known.minibatch_ms / a.known.minibatch_ms - 1);
  const auto figure = [](const ComparedSide& side, const std::vector<const Measurement*>& made) {
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

Json time_of(const std::optional<ComparedSide>& side) {
  if (!side) return nullptr;
  if (side->readings == 0) return "failed";
  return quantity(side->known.minibatch_ms, side->known.time_lo, side->known.time_hi);
}

Json power_of(const std::optional<ComparedSide>& side) {
  if (!side) return nullptr;
  return quantity(side->known.power_w, side->known.power_lo, side->known.power_hi);
}

// The remark, and what else is to be known of either side.
std::string remarks(const RunComparison& c, const ComparedTrial& row) {
  std::string text = row.established && *row.established ? "" : remark_of(row);
  const auto add = [&](const std::optional<ComparedSide>& side, const StoredRun& run) {
    if (side && !side->doubts.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name_of(run), side->doubts);
  };
  add(row.first, c.first);
  add(row.second, c.second);
  return text;
}

Json side_json(const std::optional<ComparedSide>& side) {
  if (!side) return nullptr;
  const Configuration& c = side->known;
  const auto interval = [](double lo, double hi) {
    return std::isfinite(lo) && std::isfinite(hi) ? Json::array({lo, hi}) : Json(nullptr);
  };
  return {{"readings", side->readings},
          {"minibatch_ms_90", interval(c.time_lo, c.time_hi)},
          {"power_w_90", interval(c.power_lo, c.power_hi)},
          {"doubts", side->doubts.empty() ? Json(nullptr) : Json(side->doubts)}};
}

// Of what either run has; the weaker word where they differ.
std::string provenance_of(const ComparedTrial& row) {
  std::optional<Provenance> known;
  for (const auto& side : {row.first, row.second})
    if (side && side->readings > 0)
      known = std::max(known.value_or(side->known.provenance), side->known.provenance);
  return known ? provenance_name(*known) : "";
}

Json table_of(const RunComparison& c) {
  Json table = sheet_table("Trial by trial",
                           "Of each run all its readings together, with their 90 % interval.",
                           {{"workload", ""},
                            {"set", ""},
                            {fmt::format("run {}", c.first.id), "ms"},
                            {fmt::format("run {}", c.second.id), "ms"},
                            {"change", "%"},
                            {fmt::format("run {} power", c.first.id), "W"},
                            {fmt::format("run {} power", c.second.id), "W"},
                            {"difference", ""}});
  for (const ComparedTrial& row : c.trials)
    table["rows"].push_back(sheet_row(
        {fmt::format("{} {}", row.trial.job.workload, phase_name(row.trial.job.phase)),
         describe(all_settings(row.trial)), time_of(row.first), time_of(row.second),
         or_null(row.change_pct), power_of(row.first), power_of(row.second), remarks(c, row)},
        provenance_of(row)));
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
    Json config = Json::object();
    for (const auto& [name, value] : all_settings(row.trial)) config[name] = value;
    const auto time = [](const auto& side) {
      return side ? or_null(side->known.minibatch_ms) : Json(nullptr);
    };
    const auto power = [](const auto& side) {
      return side ? or_null(side->known.power_w) : Json(nullptr);
    };
    list.push_back({{"workload", row.trial.job.workload},
                    {"phase", phase_name(row.trial.job.phase)},
                    {"config", config},
                    {"first_ms", time(row.first)},
                    {"second_ms", time(row.second)},
                    {"first_w", power(row.first)},
                    {"second_w", power(row.second)},
                    {"first", side_json(row.first)},
                    {"second", side_json(row.second)},
                    {"change_pct", or_null(row.change_pct)},
                    {"established", or_null(row.established)},
                    {"doubt", row.doubt.empty() ? Json(nullptr) : Json(row.doubt)}});
  }
  return {{"first", comparison.first.id},
          {"second", comparison.second.id},
          {"common", comparison.common},
          {"differences", comparison.differences},
          {"trials", list}};
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
