#include "campaign/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"

namespace flyball {
namespace {

constexpr size_t most_cell_name = 240;  // of a folder's 255, and files of the same stem

bool chosen(const CommandWords& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

void append(CommandWords& words, const CommandWords& more) {
  words.insert(words.end(), more.begin(), more.end());
}

CommandWords asked(const Campaign& campaign, const CampaignCell& cell) {
  const AskedCommand& ask = *campaign.questions[cell.question].ask;
  CommandWords words = split(ask.words, ' ');
  if (!ask.then.empty()) words.push_back(ask.then);
  if (!campaign.workloads.empty()) append(words, campaign.workloads[cell.workload].words);
  return words;
}

// Options of question and budget; a board that follows has a number of profiles of its own.
void append_options(const Campaign& campaign, const CampaignCell& cell, CommandWords& words) {
  CommandWords options = campaign.questions[cell.question].options;
  if (!campaign.budgets.empty()) append(options, campaign.budgets[cell.budget].options);
  for (size_t i = 0; cell.leader && i < options.size();) {
    const auto at = options.begin() + static_cast<std::ptrdiff_t>(i);
    if (options[i] == "--profiles" && i + 1 < options.size())
      options.erase(at, at + 2);
    else if (options[i].starts_with("--profiles="))
      options.erase(at);
    else
      ++i;
  }
  append(words, options);
  if (cell.leader) append(words, {"--profiles", std::to_string(campaign.references.profiles)});
}

void append_program(const Campaign& campaign, const CampaignCell& cell, CommandWords& words) {
  if (campaign.workloads.empty() || campaign.workloads[cell.workload].program.empty()) return;
  words.emplace_back("--");
  append(words, campaign.workloads[cell.workload].program);
}

// The first board of each kind leads the others, question by question.
void follow(const Campaign& campaign, std::vector<CampaignCell>& cells) {
  std::map<std::tuple<std::string, size_t, size_t, size_t>, size_t> leaders;
  for (CampaignCell& cell : cells) {
    if (!campaign.questions[cell.question].ask->references) continue;
    const auto key =
        std::tuple(campaign.boards[cell.board].kind, cell.workload, cell.question, cell.budget);
    const auto [found, first] = leaders.emplace(key, cell.index);
    if (first) continue;
    cell.leader = found->second;
    cells[found->second].leads = true;
  }
}

}  // namespace

Result<std::vector<CampaignCell>> cells_of(const Campaign& campaign) {
  std::vector<CampaignCell> cells;
  const size_t workloads = std::max<size_t>(campaign.workloads.size(), 1),
               budgets = std::max<size_t>(campaign.budgets.size(), 1);
  for (size_t b = 0; b < campaign.boards.size(); ++b)
    for (size_t w = 0; w < workloads; ++w)
      for (size_t q = 0; q < campaign.questions.size(); ++q)
        for (size_t u = 0; u < budgets; ++u) {
          const CampaignQuestion& question = campaign.questions[q];
          CommandWords name = {campaign.boards[b].name};
          if (!campaign.workloads.empty()) name.push_back(campaign.workloads[w].name);
          name.push_back(question.name);
          if (!campaign.budgets.empty()) name.push_back(campaign.budgets[u].name);
          if (!chosen(question.boards, campaign.boards[b].name)) continue;
          if (!campaign.workloads.empty() &&
              !chosen(question.workloads, campaign.workloads[w].name))
            continue;
          if (!campaign.budgets.empty() && !chosen(question.budgets, campaign.budgets[u].name))
            continue;
          if (cells.size() >= most_cells)
            return Error{
                Code::invalid_argument,
                fmt::format("{} has more than {} cells", campaign.file.string(), most_cells),
                "ask fewer questions, or make several campaigns of it"};
          if (const std::string all = join(name, "."); all.size() > most_cell_name)
            return Error{
                Code::invalid_argument,
                fmt::format("the name of cell {} has more than {} characters", all, most_cell_name),
                "its folder is called like that: shorten the names it is made of"};
          cells.push_back({.name = join(name, "."),
                           .index = cells.size(),
                           .board = b,
                           .workload = w,
                           .question = q,
                           .budget = u,
                           .leader = {}});
        }
  if (cells.empty())
    return Error{Code::invalid_argument, campaign.file.string() + " has no cells",
                 "each question names boards, workloads and budgets of which none go together"};
  if (campaign.references.travel) follow(campaign, cells);
  return cells;
}

Result<const CampaignCell*> find_cell(const std::vector<CampaignCell>& cells,
                                      const std::string& name) {
  const auto found = std::ranges::find(cells, name, &CampaignCell::name);
  if (found != cells.end()) return &*found;
  CommandWords names;
  for (const CampaignCell& cell : cells) names.push_back(cell.name);
  return Error{Code::not_found, fmt::format("there is no cell '{}'", name),
               name_hint(name, names, "`flyball campaign status` lists them")};
}

bool keeps_store(const Campaign& campaign, const CampaignCell& cell) {
  const AskedCommand& ask = *campaign.questions[cell.question].ask;
  return ask.keeps && !(ask.of_real && campaign.boards[cell.board].simulated);
}

CommandWords cell_arguments(const Campaign& campaign, const CampaignCell& cell,
                            const CellPlaces& places) {
  CommandWords words = asked(campaign, cell);
  const std::string& device = campaign.boards[cell.board].device;
  if (!device.empty()) append(words, {"--device", device});
  append_options(campaign, cell, words);
  if (!places.reference.empty())
    append(words, {"--reference", places.reference, "--accept", "simulated"});
  if (keeps_store(campaign, cell) && !places.store.empty())
    append(words, {"--store", places.store});
  if (campaign.questions[cell.question].ask->results && !places.result.empty())
    append(words, {"--result", places.result});
  words.emplace_back("--json");
  append_program(campaign, cell, words);
  return words;
}

CommandWords arguments_on(const Campaign& campaign, const CampaignCell& cell,
                          const std::string& device, const CommandWords& more) {
  CommandWords words = asked(campaign, cell);
  if (!device.empty()) append(words, {"--device", device});
  append_options(campaign, cell, words);
  append(words, more);
  words.emplace_back("--json");
  append_program(campaign, cell, words);
  return words;
}

}  // namespace flyball
