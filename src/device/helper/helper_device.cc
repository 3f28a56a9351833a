#include "device/helper/helper_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "device/helper/hold.h"
#include "device/standing_mode.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using Kind = HelperRequest::Kind;

class HelperDevice final : public Device {
 public:
  HelperDevice(std::unique_ptr<Device> own, HelperBoard board, ReportLeft left, fs::path socket)
      : own_(std::move(own)),
        board_(std::move(board)),
        left_(std::move(left)),
        socket_(std::move(socket)) {}
  ~HelperDevice() override {
    if (owner_ != ::getpid()) return;
    (void)own_->restore();  // what fails stays in our journal
    if (!hold_) return;
    // So that the next one does not find it held. The journal of what fails is the helper's.
    if (const Status released = hold_->ask({Kind::release}); !released.ok() && left_)
      left_(released.error());
  }

  const DeviceInfo& info() const override { return own_->info(); }
  std::vector<AxisState> states() const override {
    std::vector<AxisState> states = own_->states();
    for (const Axis& axis : board_.axes) {
      const auto same = [&](const AxisState& state) { return state.axis.name == axis.name; };
      auto state = std::ranges::find_if(states, same);
      if (state == states.end()) state = states.insert(state, AxisState{.axis = axis});
      *state = {.axis = axis, .asked = state->asked};
      if (const auto stays = board_.stays_at.find(axis.name); stays != board_.stays_at.end())
        state->stays_at = stays->second;
    }
    return states;
  }
  // Another client may have set the board when it was opened, and have gone since.
  PowerMode caps() const override {
    if (board_.axes.empty()) return own_->caps();
    const auto now = ask_helper(board_.root, socket_);
    return merged(own_->caps(), now ? now->caps : board_.caps);
  }
  PowerMode baseline() const override { return merged(own_->baseline(), board_.baseline); }
  Settings observed() const override { return own_->observed(); }
  // What we lack and the helper has is no gap.
  std::vector<AxisGap> gaps() const override {
    std::vector<AxisGap> gaps, own = own_->gaps();
    for (const std::string& text : board_.gaps)
      if (std::ranges::find(own, text, &AxisGap::text) == own.end())
        gaps.push_back({{}, {Code::unavailable, text, ""}});
    for (AxisGap& gap : own) {
      const bool filled =
          !gap.axes.empty() &&
          std::ranges::all_of(gap.axes, [&](const std::string& name) { return by_helper(name); });
      if (!filled || std::ranges::count(board_.gaps, gap.text()) > 0)
        gaps.push_back(std::move(gap));
    }
    return gaps;
  }

  Status claim() override {
    FLYBALL_CHECK(own_->claim());
    if (hold_ && !hold_->lost()) return {};
    hold_.reset();
    theirs_ = {};
    FLYBALL_ASSIGN(hold_, BoardHold::claim(socket_));
    return {};
  }
  Status apply(const PowerMode& mode) override {
    FLYBALL_CHECK(check_mode(axes(), mode));
    PowerMode ours, theirs;
    for (const auto& [name, value] : mode.values)
      (by_helper(name) ? theirs : ours).values[name] = value;
    if (!theirs.values.empty()) {
      if (!hold_) FLYBALL_CHECK(claim());
      FLYBALL_CHECK(ask_to_apply(theirs));
      theirs_ = merged(std::move(theirs_), theirs);
    }
    return ours.values.empty() ? Status() : own_->apply(ours);
  }
  Status restore() override {
    theirs_ = {};
    const Status ours = own_->restore();
    const Status theirs = hold_ ? ask({Kind::restore}) : Status();
    return theirs.ok() ? ours : theirs;
  }
  // The helper says whether it has put the mode back, and the board whether another has set it.
  Status still_set() override {
    if (!hold_) return own_->still_set();
    FLYBALL_CHECK(ask({Kind::alive}));
    FLYBALL_CHECK(check_stands(theirs_, caps()));
    return own_->still_set();
  }
  Status can_keep() const override {
    return board_.cannot_keep ? Status(*board_.cannot_keep) : Status();
  }
  Status keep() override {
    FLYBALL_CHECK(can_keep());
    if (hold_) FLYBALL_CHECK(ask({Kind::keep}));
    return own_->can_keep().ok() ? own_->keep() : Status();
  }

 private:
  bool by_helper(const std::string& name) const { return find_axis(board_.axes, name); }
  static PowerMode merged(PowerMode ours, const PowerMode& theirs) {
    for (const auto& [name, value] : theirs.values) ours.values[name] = value;
    return ours;
  }
  // The helper knows which clocks have not risen.
  Status ask_to_apply(const PowerMode& mode) {
    const Status status = ask({Kind::apply, mode});
    if (status.ok() && board_.stays_at.empty()) return status;
    if (auto board = ask_helper(board_.root, socket_)) board_.stays_at = std::move(board->stays_at);
    return status;
  }
  // A hold that is lost is said once; the next claim() is a new one.
  Status ask(const HelperRequest& request) {
    Status status = hold_->ask(request);
    if (hold_->lost()) hold_.reset();
    return status;
  }

  std::unique_ptr<Device> own_;
  HelperBoard board_;
  PowerMode theirs_;  ///< what the helper has set for us
  ReportLeft left_;
  fs::path socket_;
  pid_t owner_ = ::getpid();
  std::unique_ptr<BoardHold> hold_;
};

}  // namespace

std::unique_ptr<Device> with_helper(std::unique_ptr<Device> own, const fs::path& root,
                                    ReportLeft left, const fs::path& socket) {
  std::error_code unknown;
  if (own->root_axes().empty() || !fs::exists(socket, unknown)) return own;
  auto board = ask_helper(root, socket);
  if (!board) {
    // Of a helper without axes; the remedy of a refused user stands at the axes already.
    HelperBoard none;
    if (const Status keeps = own->can_keep(); !keeps.ok()) none.cannot_keep = keeps.error();
    none.gaps.push_back(fmt::format("{}; {}", board.error().message, board.error().hint));
    return std::make_unique<HelperDevice>(std::move(own), std::move(none), std::move(left), socket);
  }
  return std::make_unique<HelperDevice>(std::move(own), *std::move(board), std::move(left), socket);
}

}  // namespace flyball
