#include "campaign/ahead.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/json.h"
#include "base/text.h"
#include "telemetry/process/bounded_run.h"

namespace flyball {
namespace {

constexpr double ask_limit_s = 120;

class Oracle {
 public:
  Oracle(const Campaign& campaign, const AheadOptions& options)
      : campaign_(campaign), options_(options) {}

  Status tell(const CampaignCell& cell, AheadGroup& group) {
    const CampaignBoard& board = campaign_.boards[cell.board];
    const AskedCommand& ask = *campaign_.questions[cell.question].ask;
    const bool here = board.simulated || campaign_.executor == CampaignExecutor::local;
    const bool foretold = foretells(cell);
    group.trials_known = group.seconds_known = group.joules_known =
        !here && board.twin.empty()
            ? "not known: the board is not here, and no twin is named for it"
        : !foretold ? fmt::format("not known: no dry run of this {} tells it", ask.words)
                    : "not known: the board is not here, and a twin tells it of tune alone";
    if (foretold && (here || !board.twin.empty()))
      FLYBALL_CHECK(dry_run(cell, here ? board.device : "twin:" + board.twin, !here, group));
    if (!group.seconds && !board.twin.empty() && ask.words == "tune")
      FLYBALL_CHECK(simulate(cell, "twin:" + board.twin, group));
    return {};
  }

 private:
  /// A plan for arrivals replays them, and says nothing beforehand; of an experiment only the board
  /// itself does.
  bool foretells(const CampaignCell& cell) const {
    const auto replays = [](const std::string& word) {
      return word == "--arrivals" || word.starts_with("--arrivals=");
    };
    const AskedCommand& ask = *campaign_.questions[cell.question].ask;
    const CampaignBoard& board = campaign_.boards[cell.board];
    const bool simulated = board.simulated || campaign_.executor != CampaignExecutor::local;
    return ask.dry_runs && !(ask.of_real && simulated) &&
           std::ranges::none_of(arguments_on(campaign_, cell, "", {}), replays);
  }

  Result<Json> ask(const CommandWords& arguments) {
    CommandWords words = {options_.program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto answer = ask_program(words, ask_limit_s);
    Json document = answer ? Json::parse(answer->out, nullptr, false) : Json();
    if (document.is_object()) return document;
    return Error{Code::invalid_argument,
                 fmt::format("`flyball {}`: {}", shell_line(arguments),
                             answer ? trim(answer->complaint) : answer.error().message),
                 "correct the campaign's file"};
  }

  Status dry_run(const CampaignCell& cell, const std::string& device, bool stands_in,
                 AheadGroup& group) {
    CommandWords more = {"--dry-run"};
    if (!options_.store.empty()) more.insert(more.end(), {"--store", options_.store});
    FLYBALL_ASSIGN(const Json dry, ask(arguments_on(campaign_, cell, device, more)));
    if (!dry.contains("trials_at_most")) return {};
    group.trials = dry.value("trials_at_most", 0.0);
    group.trials_known = "at most, as --dry-run says";
    if (stands_in) return {};
    const auto cost = [&](const char* key, std::optional<double>& value, std::string& known) {
      const Json& found = dry.at(key);
      if (const auto number = number_of(found, "value")) value = number;
      known = found.at("known").get<std::string>();
    };
    cost("seconds", group.seconds, group.seconds_known);
    cost("joules", group.joules, group.joules_known);
    return {};
  }

  // Asks the whole question of the twin, and adds up what its trials take.
  Status simulate(const CampaignCell& cell, const std::string& twin, AheadGroup& group) {
    FLYBALL_ASSIGN(const Json answer,
                   ask(arguments_on(campaign_, cell, twin, {"--no-store", "--quiet"})));
    if (!answer.contains("profiled")) return {};
    double seconds = 0, joules = 0;
    bool powered = true;
    for (const Json& trial : answer.at("profiled")) {
      const auto total = number_of(trial, "total_s"), watts = number_of(trial, "power_w");
      if (!total) continue;
      seconds += *total;
      powered = powered && watts.has_value();
      joules += *total * watts.value_or(0);
    }
    const std::string known = fmt::format("simulated: what {} trials of {} took there",
                                          answer.at("profiled").size(), twin);
    group.seconds = seconds;
    group.seconds_known = known;
    if (powered) group.joules = joules;
    group.joules_known = powered ? known : "not known: the twin has no power";
    return {};
  }

  const Campaign& campaign_;
  const AheadOptions& options_;
};

Json sum_json(const AheadSum& sum) {
  return {{"known", sum.known}, {"unknown_cells", sum.unknown}};
}

Json figure_json(const std::optional<double>& value, const std::string& known) {
  return {{"value", or_null(value)}, {"known", known}};
}

}  // namespace

void AheadSum::add(const std::optional<double>& each, size_t cells) {
  if (each)
    known += *each * static_cast<double>(cells);
  else
    unknown += cells;
}

Result<CampaignAhead> look_ahead(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                                 const CampaignFolder& folder, const AheadOptions& options) {
  CampaignAhead ahead;
  ahead.cells = cells.size();
  Oracle oracle(campaign, options);
  for (const CampaignCell& cell : cells) {
    if (cell_status(campaign, cells, cell, folder).state == CellState::done) {
      ++ahead.done;
      continue;
    }
    const std::string workload =
        campaign.workloads.empty() ? "" : campaign.workloads[cell.workload].name;
    const std::string budget = campaign.budgets.empty() ? "" : campaign.budgets[cell.budget].name;
    const std::string& kind = campaign.boards[cell.board].kind;
    const std::string& question = campaign.questions[cell.question].name;
    const bool follows = cell.leader.has_value();
    const auto same = [&](const AheadGroup& group) {
      return std::tie(group.kind, group.workload, group.question, group.budget, group.follow) ==
             std::tie(kind, workload, question, budget, follows);
    };
    auto group = std::ranges::find_if(ahead.groups, same);
    if (group == ahead.groups.end()) {
      AheadGroup made;
      made.kind = kind;
      made.workload = workload;
      made.question = question;
      made.budget = budget;
      made.follow = follows;
      FLYBALL_CHECK(oracle.tell(cell, made));
      group = ahead.groups.insert(ahead.groups.end(), std::move(made));
    }
    ++group->cells;
  }
  for (const AheadGroup& group : ahead.groups) {
    ahead.trials.add(group.trials, group.cells);
    ahead.seconds.add(group.seconds, group.cells);
    ahead.joules.add(group.joules, group.cells);
  }
  return ahead;
}

Json to_json(const CampaignAhead& ahead, const Campaign& campaign) {
  Json groups = Json::array();
  for (const AheadGroup& group : ahead.groups)
    groups.push_back({{"kind", group.kind},
                      {"workload", text_or_null(group.workload)},
                      {"question", group.question},
                      {"budget", text_or_null(group.budget)},
                      {"starts_from_others", group.follow},
                      {"cells", group.cells},
                      {"trials_each", figure_json(group.trials, group.trials_known)},
                      {"seconds_each", figure_json(group.seconds, group.seconds_known)},
                      {"joules_each", figure_json(group.joules, group.joules_known)}});
  return {{"dry_run", true},
          {"campaign", campaign.file.string()},
          {"executor", executor_name(campaign.executor)},
          {"parallel", campaign.parallel},
          {"cells", ahead.cells},
          {"done", ahead.done},
          {"trials", sum_json(ahead.trials)},
          {"seconds", sum_json(ahead.seconds)},
          {"joules", sum_json(ahead.joules)},
          {"groups", groups}};
}

}  // namespace flyball
