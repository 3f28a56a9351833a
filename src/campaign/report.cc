#include "campaign/report.h"

#include <fmt/format.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/text.h"
#include "campaign/board_differences.h"

namespace flyball {
namespace {

std::string config_text(const Json& config) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : config.items())
    if (value.is_number()) parts.push_back(name + " " + format_number(value.get<double>()));
  return join(parts, ", ");
}

void take_choice(const Json& choice, CellAnswer& answer) {
  if (const Json config = value_at(choice, "config"); config.is_object())
    answer.config = config_text(config);
  answer.minibatch_ms = number_of(choice, "minibatch_ms");
  answer.power_w = number_of(choice, "power_w");
  answer.minibatch_j = number_of(choice, "minibatch_j");
  answer.provenance = text_of(choice, "provenance");
  answer.text = text_of(choice, "text");
}

void take_answer(const Json& document, CellAnswer& answer) {
  if (!document.is_object()) return;
  answer.trials = number_of(document, "trials");
  take_choice(value_at(document, "choice"), answer);
  if (answer.text.empty()) answer.text = text_of(value_at(document, "comparison"), "text");
  if (const std::string reason = text_of(value_at(document, "infeasible"), "reason");
      !reason.empty())
    answer.text = reason;
}

std::string csv_figure(const std::optional<double>& value) {
  return value ? format_number(*value) : "";
}

Json spread_json(const KindSpread& spread) {
  return {{"kind", spread.kind},
          {"workload", text_or_null(spread.workload)},
          {"question", spread.question},
          {"budget", text_or_null(spread.budget)},
          {"boards", spread.boards},
          {"configurations", spread.configurations},
          {"time_cv", or_null(spread.time_cv)},
          {"energy_cv", or_null(spread.energy_cv)},
          {"outliers", to_json(spread.outliers)},
          {"provenance", text_or_null(spread.provenance)}};
}

}  // namespace

CampaignReport campaign_report(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                               const CampaignFolder& folder) {
  CampaignReport report;
  BoardDifferences differences;
  for (const CampaignCell& cell : cells) {
    const CellStatus status = cell_status(campaign, cells, cell, folder);
    CellAnswer answer;
    answer.cell = cell.name;
    answer.board = campaign.boards[cell.board].name;
    answer.kind = campaign.boards[cell.board].kind;
    if (!campaign.workloads.empty()) answer.workload = campaign.workloads[cell.workload].name;
    answer.question = campaign.questions[cell.question].name;
    if (!campaign.budgets.empty()) answer.budget = campaign.budgets[cell.budget].name;
    answer.state = cell_state_name(status.state);
    if (status.last) answer.exit_code = status.last->exit_code;
    answer.outcome = answer.exit_code != 1                           ? answer.state
                     : campaign.questions[cell.question].ask->limits ? "no answer keeps the limits"
                                                                     : "the answer is no";
    answer.text = failure_reason(folder, cell, status);
    if (status.state == CellState::done) {
      const Json document = cell_answer(folder, cell);
      take_answer(document, answer);
      differences.add(answer, document);
    }
    report.answers.push_back(std::move(answer));
  }
  report.spread = differences.all();
  return report;
}

Json to_json(const CampaignReport& report, const Campaign& campaign) {
  Json answers = Json::array(), spread = Json::array();
  for (const CellAnswer& answer : report.answers)
    answers.push_back({{"cell", answer.cell},
                       {"board", answer.board},
                       {"kind", answer.kind},
                       {"workload", text_or_null(answer.workload)},
                       {"question", answer.question},
                       {"budget", text_or_null(answer.budget)},
                       {"state", answer.state},
                       {"exit_code", or_null(answer.exit_code)},
                       {"trials", or_null(answer.trials)},
                       {"config", text_or_null(answer.config)},
                       {"minibatch_ms", or_null(answer.minibatch_ms)},
                       {"power_w", or_null(answer.power_w)},
                       {"minibatch_j", or_null(answer.minibatch_j)},
                       {"provenance", text_or_null(answer.provenance)},
                       {"text", text_or_null(answer.text)}});
  for (const KindSpread& one : report.spread) spread.push_back(spread_json(one));
  return {{"campaign", campaign.file.string()}, {"answers", answers}, {"spread", spread}};
}

std::string report_csv(const CampaignReport& report) {
  std::string csv = csv_line({"cell", "board", "kind", "workload", "question", "budget", "state",
                              "exit_code", "trials", "config", "minibatch_ms", "power_w",
                              "minibatch_j", "provenance", "text"});
  for (const CellAnswer& answer : report.answers)
    csv += csv_line({answer.cell, answer.board, answer.kind, answer.workload, answer.question,
                     answer.budget, answer.state,
                     answer.exit_code ? fmt::format("{}", *answer.exit_code) : "",
                     csv_figure(answer.trials), answer.config, csv_figure(answer.minibatch_ms),
                     csv_figure(answer.power_w), csv_figure(answer.minibatch_j), answer.provenance,
                     answer.text});
  return csv;
}

}  // namespace flyball
