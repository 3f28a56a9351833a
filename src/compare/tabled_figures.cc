// Figures of boards that tables were measured on.
#include <fmt/format.h>

#include <algorithm>

#include "answers/repeats.h"
#include "base/distinct.h"
#include "base/os/told_errors.h"
#include "base/text.h"
#include "compare/compared_board.h"
#include "profile/trials/table_profiler.h"
#include "space/axis_choice.h"

namespace flyball {
namespace {

/// The settings that were asked for, of the axes that the table has. What it is ahead by decides
/// little, and is taken where the table has it.
std::vector<AxisChoice> choices_of(const WorkloadTable& table, const BoardsQuestion& question) {
  std::vector<AxisChoice> choices = {{axis::batch_size, {question.batch_size}, {}}};
  if (find_axis(table.space.axes(), axis::loader_workers))
    choices.push_back({axis::loader_workers, {question.loader_workers}, {}});
  const Axis* ahead = find_axis(table.space.axes(), axis::prefetch);
  if (ahead && std::ranges::find(ahead->values, question.prefetch) != ahead->values.end())
    choices.push_back({axis::prefetch, {question.prefetch}, {}});
  return choices;
}

Result<BoardFigures> look_up(const WorkloadTable& table, const ComparedNetwork& network,
                             const BoardsQuestion& question, size_t& left_out) {
  BoardFigures figures;
  figures.minibatches = network.minibatches(question.batch_size);
  const WorkloadTable accepted = accepted_rows(table, question.accepted, left_out);
  if (accepted.size() == 0) {
    figures.missing = "the table holds no measured rows of it";
    return figures;
  }
  if (!find_axis(accepted.space.axes(), axis::batch_size)) {
    figures.missing = "the table does not say its batch size";
    return figures;
  }
  const auto rows = narrowed(accepted, choices_of(accepted, question));
  if (!rows) {
    figures.missing = in_one_line(rows.error());
    return figures;
  }
  const auto profiler = make_table_profiler(*rows);
  FLYBALL_ASSIGN(const Measurement row, profiler->measure(profiler->default_config()));
  const Measurement* only[] = {&row};
  figures.known = pooled(only);
  figures.config = all_settings(row.trial);
  return figures;
}

const WorkloadTable* training_of(const Table& table, const std::string& board,
                                 const std::string& network) {
  for (const WorkloadTable& one : table.workloads)
    if (one.device == board && one.phase == Phase::train &&
        canonical_network(one.workload) == network)
      return &one;
  return nullptr;
}

}  // namespace

Result<std::vector<ComparedBoard>> tabled_board_figures(const Board& board,
                                                        const BoardsQuestion& question) {
  const Table& table = *board.table();
  std::vector<std::string> names;
  for (const WorkloadTable& one : table.workloads) names.push_back(one.device);
  make_distinct(names);
  std::vector<ComparedBoard> boards;
  for (const std::string& name : names) {
    ComparedBoard compared{name, compared_title(name, "table"), BoardSource::table};
    size_t left_out = 0;
    for (const ComparedNetwork& network : question.networks) {
      const WorkloadTable* of_network = training_of(table, name, network.name);
      if (!of_network) {
        compared.figures.push_back({.missing = "the table holds no training of it"});
        continue;
      }
      FLYBALL_ASSIGN(BoardFigures figures, look_up(*of_network, network, question, left_out));
      if (figures.has_time()) compared.add_total(of_network->power_total);
      compared.figures.push_back(std::move(figures));
    }
    if (left_out > 0)
      compared.notes.push_back(
          fmt::format("{}: {} rows that were not measured are left out (--accept takes them)",
                      table.name, left_out));
    boards.push_back(std::move(compared));
  }
  return boards;
}

}  // namespace flyball
