#include "tune/planned_mode.h"

#include <fmt/format.h>

#include "base/figure.h"

namespace flyball {

PowerMode planned_mode(const SharedBoard& board, const Answer& answer) {
  return board.candidates->space(0).trial(answer.choice[0], "", Phase::train).mode;
}

Status check_one_mode(const Request& request) {
  if (!request.separate_modes) return {};
  return Error{Code::invalid_argument, "with a mode for each role there is no single one to set",
               "leave --separate-modes out, or set the modes of the plan in turns"};
}

Status check_has_knobs(const ProfilerInfo& board) {
  if (board.provenance == Provenance::simulated && board.live)
    return Error{Code::invalid_argument,
                 board.device_title + ": there is no board here to apply the mode to",
                 "plan on the board itself, or use --export nvpmodel"};
  if (board.provenance == Provenance::measured) return {};
  return Error{Code::invalid_argument, "a table has no knobs to apply the mode to",
               "plan on this machine, or use --export nvpmodel"};
}

Status check_pairs(const Request& request, const SharedBoard& board) {
  constexpr double most = 1e8;
  if (!request.separate_modes || board.roles.size() < 2) return {};
  double pairs = 1;
  for (const MeasuredRole& role : board.roles) pairs *= static_cast<double>(role.config.size());
  if (pairs <= most) return {};
  return Error{
      Code::invalid_argument,
      fmt::format("--separate-modes would go through {} pairs of configurations", number(pairs)),
      "choose from fewer modes: --modes paper, or --modes 500"};
}

}  // namespace flyball
