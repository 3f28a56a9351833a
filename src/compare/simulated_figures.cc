// Figures of a simulated board.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "answers/repeats.h"
#include "base/text.h"
#include "compare/compared_board.h"
#include "profile/trials/twin_profiler.h"
#include "space/board_fingerprint.h"
#include "space/highest_mode.h"
#include "twin/twin.h"

namespace flyball {
namespace {

constexpr int trials = 3;  // no time passes, and three tell how they spread

/// The highest mode and the settings that were asked for: one value on each axis.
Result<std::vector<Axis>> only_configuration(const Board& board, const BoardsQuestion& question) {
  FLYBALL_ASSIGN(const auto knobs, board.knobs());
  std::vector<Axis> axes;
  for (const auto& [name, value] : highest_mode(knobs->axes()).values)
    axes.push_back(named_axis(name, {value}));
  axes.push_back(named_axis(axis::batch_size, {question.batch_size}));
  axes.push_back(named_axis(axis::loader_workers, {question.loader_workers}));
  axes.push_back(named_axis(axis::prefetch, {question.prefetch}));
  return axes;
}

/// Does it fit? As the twin has it, with its loader.
Status check_memory(const Board& board, const TwinWorkload& workload,
                    const BoardsQuestion& question, BoardFigures& figures) {
  TwinConfiguration configuration;
  configuration.batch_size = question.batch_size;
  configuration.loader_workers = question.loader_workers;
  configuration.prefetch = question.prefetch;
  FLYBALL_ASSIGN(const Twin twin, Twin::make(*board.twin(), workload));
  figures.memory = twin.memory(configuration);
  if (!figures.fits()) figures.missing = "does not fit: " + figures.memory->text();
  return {};
}

Result<BoardFigures> simulate(const Board& board, const ComparedNetwork& network,
                              const BoardsQuestion& question) {
  FLYBALL_ASSIGN(const TwinWorkload workload, known_twin_workload(network.name, Phase::train));
  BoardFigures figures;
  figures.minibatches = network.minibatches(question.batch_size);
  FLYBALL_CHECK(check_memory(board, workload, question, figures));
  if (!figures.fits()) return figures;
  TwinTrialOptions options;
  options.seed = question.seed;
  options.memory_check = false;  // just done, with this loader
  FLYBALL_ASSIGN(options.open, only_configuration(board, question));
  FLYBALL_ASSIGN(const auto profiler, make_twin_profiler(board, workload, options));
  std::vector<Measurement> made;
  for (int i = 0; i < trials; ++i) {
    FLYBALL_ASSIGN(Measurement one, profiler->measure(profiler->default_config()));
    if (one.failed()) return Error{Code::invalid_argument, one.failure, ""};
    made.push_back(std::move(one));
  }
  std::vector<const Measurement*> readings;
  for (const Measurement& one : made) readings.push_back(&one);
  figures.known = pooled(readings);
  figures.config = all_settings(made.front().trial);
  return figures;
}

bool counts_part(const TwinBoard& board, size_t part) {
  const std::string total = twin_power_total(board);
  return std::ranges::any_of(board.rails, [&](const TwinRail& rail) {
    const bool counted = total == "module" ? rail.module : total == "monitor" || rail.name == total;
    return counted && rail.carries[part];
  });
}

/// What its own power total counts, where that is not all of the board: a card's lacks the CPU.
std::string counted_parts(const TwinBoard& board) {
  static constexpr std::array<const char*, twin_parts> words = {"CPU", "GPU", "SoC", "memory",
                                                                "the rest"};
  std::vector<std::string> parts;
  bool all = true;
  for (size_t part = 0; part < twin_parts; ++part) {
    const bool there = part != static_cast<size_t>(TwinPart::gpu) || board.constants.cuda_cores > 0;
    if (counts_part(board, part))
      parts.emplace_back(words[part]);
    else
      all = all && !there;
  }
  return all ? "" : join(parts, ", ") + " only";
}

}  // namespace

Result<ComparedBoard> simulated_board_figures(const Board& board, const BoardsQuestion& question) {
  ComparedBoard compared{.name = board.info().device.name,
                         .title = board.info().device.title,
                         .individual = individual_of(board.info().device.fingerprint),
                         .power_total = twin_power_total(*board.twin()),
                         .power_parts = counted_parts(*board.twin())};
  FLYBALL_ASSIGN(const auto knobs, board.knobs());
  for (const std::string& gap : knobs->gap_texts()) compared.notes.push_back(gap);
  for (const ComparedNetwork& network : question.networks) {
    FLYBALL_ASSIGN(BoardFigures figures, simulate(board, network, question));
    compared.figures.push_back(std::move(figures));
  }
  return compared;
}

}  // namespace flyball
