#include "device/modes/mode_dispatcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "device/modes/presets.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using Kind = HelperRequest::Kind;

bool is_there(const fs::path& socket) {
  std::error_code unknown;
  return fs::exists(socket, unknown);
}

// Does it name axes alone, and holds this of each?
bool of_all_axes(const ModeRequest& request, const auto& holds) {
  return request.preset.empty() && !request.pin_max &&
         std::ranges::all_of(request.mode.values,
                             [&](const auto& one) { return holds(one.first); });
}

}  // namespace

ModeDispatcher::ModeDispatcher(BoardDevice& board, fs::path root, fs::path socket)
    : board_(board), root_(std::move(root)), socket_(std::move(socket)) {}

// Do processes choose it for themselves, whoever they are?
bool ModeDispatcher::is_own(const std::string& axis) const {
  return !find_axis(axes_for_others(board_), axis) && find_axis(board_.axes(), axis) &&
         std::ranges::count(board_.root_axes(), axis) == 0;
}

// Whoever has the board through the helper has all of it, also what this user may write. Root has
// the helper's own lock.
Result<PowerMode> ModeDispatcher::set(const ModeRequest& request) {
  const std::vector<std::string> of_root = board_.root_axes();
  const std::vector<Axis> settable = board_.axes();
  const bool own = of_all_axes(request, [&](const std::string& axis) { return is_own(axis); });
  const bool may = of_root.empty() || of_all_axes(request, [&](const std::string& axis) {
                     return find_axis(settable, axis) && std::ranges::count(of_root, axis) == 0;
                   });
  const bool as_root = of_root.empty() && ::geteuid() == 0;
  if (!own && !as_root && is_there(socket_)) {
    const auto helper = ask_helper(root_, socket_);
    if (helper) return set_by_helper(request, *helper);
    if (!may) return helper.error();
  }
  if (may) return set_mode(board_, root_, request);
  return Error{Code::permission, fmt::format("only root may set {} here", join(of_root, ", ")),
               rights_remedy(socket_)};
}

// In the order in which set_mode() does it.
Status ModeDispatcher::ask_helper_to_set(const ModeRequest& request) {
  if (!request.preset.empty())
    FLYBALL_CHECK(hold_->ask({.kind = Kind::preset, .preset = request.preset}));
  if (request.pin_max) FLYBALL_CHECK(hold_->ask({.kind = Kind::pin_max}));
  PowerMode ours, theirs;
  for (const auto& [name, value] : request.mode.values)
    (is_own(name) ? ours : theirs).values[name] = value;
  if (!theirs.values.empty()) FLYBALL_CHECK(hold_->ask({.kind = Kind::apply, .mode = theirs}));
  return ours.values.empty() ? Status() : board_.apply(ours);
}

Result<PowerMode> ModeDispatcher::set_by_helper(const ModeRequest& request,
                                                const HelperBoard& helper) {
  if (request.stays && helper.cannot_keep) return *helper.cannot_keep;
  for (const auto& [name, value] : request.mode.values)
    if (request.stays && is_own(name)) return cannot_stay(name, value);
  FLYBALL_ASSIGN(hold_, BoardHold::claim(socket_));
  if (const Status status = ask_helper_to_set(request); !status.ok()) {
    const Status undone = restore();
    return undone.ok() ? status.error() : status.error().within(undone.error().message);
  }
  PowerMode caps = caps_in_force(board_);
  // Of what this user may not read the helper has read back what it set.
  for (const auto& [name, value] : request.mode.values) caps.values.emplace(name, value);
  return caps;
}

Status ModeDispatcher::keep() {
  if (!hold_) return board_.keep();
  const Status kept = hold_->ask({Kind::keep});
  const Status released = hold_->ask({Kind::release});
  hold_.reset();
  return kept.ok() ? released : kept;
}

Status ModeDispatcher::restore() {
  if (!hold_) return board_.restore();
  const Status released = hold_->ask({Kind::release});  // puts back
  hold_.reset();
  const Status own = board_.restore();
  return released.ok() ? own : released;
}

Status set_caps(Device& device, const fs::path& root, const HelperRequest& request) {
  auto* const board = dynamic_cast<BoardDevice*>(&device);
  if (!board) return Error{Code::unavailable, "this board has neither presets nor caps", ""};
  if (request.kind == Kind::pin_max) return pin_max(*board, root);
  const Presets presets = read_presets(root, *board);
  FLYBALL_ASSIGN(const Preset* preset, find_preset(presets, request.preset));
  return set_preset(*preset, root, *board);
}

std::optional<HelperBoard> helper_of(const fs::path& root, const fs::path& socket) {
  if (!is_there(socket)) return {};
  auto board = ask_helper(root, socket);
  return board ? std::optional(*std::move(board)) : std::nullopt;
}

Result<size_t> restore_kept_modes(const fs::path& root, const fs::path& socket) {
  FLYBALL_ASSIGN(const auto journal, SettingsJournal::open(board_journal(), root));
  FLYBALL_ASSIGN(const size_t own, journal->restore_kept());
  const auto helper = helper_of(root, socket);
  if (!helper || helper->kept.empty()) return own;
  FLYBALL_ASSIGN(const size_t theirs, restore_kept_by_helper(socket));
  return own + theirs;
}

}  // namespace flyball
