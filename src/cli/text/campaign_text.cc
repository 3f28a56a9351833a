#include "cli/text/campaign_text.h"

#include <fmt/format.h>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

constexpr size_t most_rows = 200, most_notes = 20;

// As `tune --dry-run` has it: what is simulated or read costs nothing.
std::string time_ahead(const std::optional<double>& seconds) {
  if (!seconds) return "unknown";
  return *seconds == 0 ? "none" : format_seconds({*seconds});
}

std::string energy_ahead(const std::optional<double>& joules) {
  if (!joules) return "unknown";
  return *joules == 0 ? "none" : format_joules(*joules);
}

std::string sum_text(const AheadSum& sum, const std::string& known, size_t cells) {
  if (cells > 0 && sum.unknown == cells) return "unknown";
  return known + (sum.unknown > 0 ? fmt::format(", and unknown of {} cells", sum.unknown) : "");
}

void add_reasons(const AheadGroup& group, std::vector<std::string>& reasons) {
  for (const auto& [what, known] :
       {std::pair("time", group.seconds_known), std::pair("energy", group.joules_known)}) {
    const std::string reason = fmt::format("{} of {}: {}", what, group.kind, known);
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  }
}

std::string spread_text(const CampaignReport& report) {
  if (report.spread.empty()) return "";
  TextTable table({"kind", "workload", "question", "budget", "boards", "same modes", "time CV %",
                   "energy CV %", "known"});
  std::string outliers;
  for (const KindSpread& spread : report.spread) {
    table.add({spread.kind, or_dash(spread.workload), spread.question, or_dash(spread.budget),
               fmt::format("{}", spread.boards), fmt::format("{}", spread.configurations),
               or_dash(spread.time_cv, 3, 100), or_dash(spread.energy_cv, 3, 100),
               or_dash(spread.provenance)});
    for (const NamedFarBoard& one : spread.outliers)
      outliers += outlier_text(
          one.board, fmt::format("{} {}", or_dash(spread.workload), or_dash(spread.budget)),
          one.time_pct, one.energy_pct);
  }
  return "\nboards of one kind, in modes that several of them measured\n" + table.str() + outliers;
}

}  // namespace

std::string outlier_text(const std::string& board, const std::string& of, double time_pct,
                         double energy_pct) {
  return fmt::format(
      "outlier: {} ({}): time {:+.1f} %, energy {:+.1f} % against the middle board\n", board, of,
      time_pct, energy_pct);
}

std::string campaign_ahead_text(const CampaignAhead& ahead, const Campaign& campaign) {
  TextTable table({"kind", "workload", "question", "budget", "cells", "trials each", "time each",
                   "energy each", "starts from"});
  std::vector<std::string> reasons;
  for (const AheadGroup& group : ahead.groups) {
    table.add({group.kind, or_dash(group.workload), group.question, or_dash(group.budget),
               fmt::format("{}", group.cells),
               group.trials ? fmt::format("{:g}", *group.trials) : "unknown",
               time_ahead(group.seconds), energy_ahead(group.joules),
               group.follow ? "another board" : "nothing"});
    add_reasons(group, reasons);
  }
  const size_t missing = ahead.cells - ahead.done;
  std::string text =
      fmt::format("{} cells ({} have an answer), executor {}, {} at a time\n\n", ahead.cells,
                  ahead.done, executor_name(campaign.executor), campaign.parallel);
  if (missing > 0) text += table.str() + "\n";
  text += fmt::format("trials at most: {} (readings that others contradict are repeated beside)\n",
                      sum_text(ahead.trials, fmt::format("{:g}", ahead.trials.known), missing));
  text += fmt::format("time of boards: {}\n",
                      sum_text(ahead.seconds, time_ahead(ahead.seconds.known), missing));
  text += fmt::format("energy: {}\n",
                      sum_text(ahead.joules, energy_ahead(ahead.joules.known), missing));
  for (const std::string& reason : reasons) text += "note: " + reason + "\n";
  return text;
}

std::string campaign_status_text(const CampaignStatus& status) {
  TextTable table({"cell", "state", "attempts", "took", "where"});
  size_t shown = 0;
  for (size_t i = 0; i < status.cells.size() && shown < most_rows; ++i, ++shown) {
    const CellStatus& state = status.states[i];
    const auto queued = status.queue.find(status.cells[i].name);
    std::string where = state.last ? state.last->host : "-";
    if (!state.running_on.empty())
      where = state.running_on;
    else if (queued != status.queue.end())
      where = queued->second;
    table.add({status.cells[i].name, status.state_of(i),
               state.last ? fmt::format("{}", state.last->attempts) : "-",
               state.last ? format_seconds({state.last->seconds}) : "-", where});
  }
  std::string text = table.str();
  if (status.cells.size() > shown)
    text += fmt::format("… and {} more (--json has all)\n", status.cells.size() - shown);
  size_t counts[6] = {};
  const char* names[6] = {"done", "running", "queued", "missing", "interrupted", "failed"};
  for (size_t i = 0; i < status.cells.size(); ++i)
    for (size_t n = 0; n < 6; ++n)
      if (status.state_of(i) == names[n]) ++counts[n];
  std::vector<std::string> parts;
  for (size_t n = 0; n < 6; ++n)
    if (counts[n] > 0) parts.push_back(fmt::format("{} {}", counts[n], names[n]));
  text += fmt::format("{} cells: {}{}\n", status.cells.size(), join(parts, ", "),
                      status.cancelled ? "; cancelled" : "");
  const size_t notes = std::min(status.notes.size(), most_notes);
  for (size_t i = 0; i < notes; ++i) text += "note: " + status.notes[i] + "\n";
  if (notes < status.notes.size())
    text += fmt::format("… and {} more notes (--json has all)\n", status.notes.size() - notes);
  return text;
}

std::string campaign_report_text(const CampaignReport& report) {
  TextTable table({"cell", "state", "trials", "minibatch ms", "power W", "minibatch J", "known",
                   "configuration"});
  size_t shown = 0;
  for (const CellAnswer& answer : report.answers) {
    if (shown++ >= most_rows) break;
    table.add({answer.cell, answer.outcome,
               answer.trials ? fmt::format("{:g}", *answer.trials) : "-",
               or_dash(answer.minibatch_ms), or_dash(answer.power_w), or_dash(answer.minibatch_j),
               or_dash(answer.provenance), or_dash(answer.config)});
  }
  std::string text = table.str();
  if (report.answers.size() > most_rows)
    text += fmt::format("… and {} more (--csv FILE has all)\n", report.answers.size() - most_rows);
  return text + spread_text(report);
}

}  // namespace flyball::cli
