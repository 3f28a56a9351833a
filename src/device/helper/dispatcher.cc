#include "device/helper/dispatcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"

namespace flyball {

using Kind = HelperRequest::Kind;

std::string HelperPeer::text() const {
  return fmt::format("process {} of user {} (group {})", pid, uid, gid);
}

HelperDispatcher::~HelperDispatcher() {
  if (hold_) (void)release("the helper ends");
}

std::string HelperDispatcher::holder() const {
  return fmt::format("{} since {}", hold_->peer.text(), hold_->since_utc);
}

Result<HelperBoard> HelperDispatcher::describe() const {
  std::unique_ptr<Device> fresh;
  if (!hold_) {
    FLYBALL_ASSIGN(fresh, open_());
  }
  const Device& device = hold_ ? *hold_->device : *fresh;
  HelperBoard board;
  board.version = FLYBALL_VERSION;
  board.root = root_;
  const Settings baseline = device.baseline().values, caps = device.caps().values;
  const auto copy = [](const Settings& from, const std::string& name, PowerMode& into) {
    if (const auto value = from.find(name); value != from.end()) into.values.insert(*value);
  };
  for (const AxisState& state : device.states()) {
    const std::string& name = state.axis.name;
    if (!state.settable || state.own) continue;
    board.axes.push_back(state.axis);
    copy(baseline, name, board.baseline);
    copy(caps, name, board.caps);
    if (state.stays_at) board.stays_at[name] = *state.stays_at;
  }
  board.gaps = device.gap_texts();
  if (const Status keeps = device.can_keep(); !keeps.ok()) board.cannot_keep = keeps.error();
  if (hold_) board.holder = holder();
  if (modes_.kept) board.kept = modes_.kept();
  return board;
}

Error HelperDispatcher::held_by_another() const {
  return {Code::conflict, fmt::format("the board is held by {}, through the helper", holder()),
          "wait until it ends: what is set belongs to the whole board"};
}

Status HelperDispatcher::claim(int client, const HelperPeer& peer) {
  if (holds(client)) return {};
  if (hold_) return held_by_another();
  FLYBALL_ASSIGN(auto device, open_());
  FLYBALL_CHECK(device->claim());
  hold_ = Hold{client, peer, wall_clock_utc(), std::move(device)};
  log_(peer.text() + " has the board");
  return {};
}

Status HelperDispatcher::apply(const PowerMode& mode) {
  FLYBALL_CHECK(check_mode(axes_for_others(*hold_->device), mode));
  const Status status = hold_->device->apply(mode);
  log_(fmt::format("{} {} {}", hold_->peer.text(), status.ok() ? "set" : "did not get",
                   flyball::describe(mode.values)));
  if (!status.ok()) log_(status.error().message);
  return status;
}

Status HelperDispatcher::set_caps(const HelperRequest& request) {
  if (!modes_.set_caps)
    return Error{Code::unavailable, "this helper sets single axes alone", "write AXIS=VALUE,…"};
  const Status status = modes_.set_caps(*hold_->device, request);
  const std::string what = request.kind == Kind::preset ? "preset " + request.preset
                                                        : std::string("clocks to their caps");
  log_(fmt::format("{} {} {}", hold_->peer.text(), status.ok() ? "set" : "did not get", what));
  if (!status.ok()) log_(status.error().message);
  return status;
}

Status HelperDispatcher::keep() {
  log_(hold_->peer.text() + " lets the board stay as it is");
  FLYBALL_CHECK(hold_->device->keep());
  if (modes_.note_kept)
    modes_.note_kept(fmt::format("{} at {}", hold_->peer.text(), wall_clock_utc()));
  return {};
}

// Whoever may set the board may put it back, once nobody has it.
Result<size_t> HelperDispatcher::restore_kept(int client, const HelperPeer& peer) {
  if (hold_ && !holds(client)) return held_by_another();
  if (!modes_.restore_kept) return Error{Code::unavailable, "this helper keeps no modes", ""};
  FLYBALL_ASSIGN(const size_t settings, modes_.restore_kept());
  log_(fmt::format("{} had {} settings put back that were kept", peer.text(), settings));
  return settings;
}

// What cannot be put back stays in the journal, and the next claim is refused until it is.
Status HelperDispatcher::release(const std::string& why) {
  const Status status = hold_->device->restore();
  log_(fmt::format("{} no longer has the board: {}", hold_->peer.text(), why));
  if (!status.ok()) log_(status.error().message);
  hold_.reset();
  return status;
}

Status HelperDispatcher::act(int client, const HelperPeer& peer, const HelperRequest& request) {
  switch (request.kind) {
    case Kind::claim:
      return claim(client, peer);
    case Kind::apply:
      FLYBALL_CHECK(claim(client, peer));
      return apply(request.mode);
    case Kind::preset:
    case Kind::pin_max:
      FLYBALL_CHECK(claim(client, peer));
      return set_caps(request);
    case Kind::restore:
      return holds(client) ? hold_->device->restore() : Status();
    case Kind::release:
      return holds(client) ? release("it gave it up") : Status();
    case Kind::keep:
      if (!holds(client))
        return Error{Code::invalid_argument, "a client that has not set the board keeps nothing",
                     "apply a mode first"};
      return keep();
    case Kind::alive:
    case Kind::describe:
    case Kind::restore_kept:
      break;
  }
  return {};
}

std::string HelperDispatcher::answer(int client, const HelperPeer& peer, std::string_view line) {
  const auto request = parse_helper_request(line);
  if (!request) return helper_error_line(request.error());
  if (request->kind == Kind::describe) {
    const auto board = describe();
    return board ? helper_board_line(*board) : helper_error_line(board.error());
  }
  if (request->kind == Kind::restore_kept) {
    const auto settings = restore_kept(client, peer);
    return settings ? helper_restored_line(*settings) : helper_error_line(settings.error());
  }
  const Status status = act(client, peer, *request);
  return status.ok() ? helper_done_line() : helper_error_line(status.error());
}

void HelperDispatcher::gone(int client) {
  if (holds(client)) (void)release("it has gone");
}

}  // namespace flyball
