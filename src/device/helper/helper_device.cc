#include "device/helper/helper_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <system_error>
#include <utility>

#include "device/helper/hold.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using Kind = HelperRequest::Kind;

// Of closed devices, which have nobody else to tell.
struct LeftBehind {
  std::mutex mutex;
  std::vector<Error> errors;
  void add(const Error& error) {
    const std::lock_guard lock(mutex);
    errors.push_back(error);
  }
};

LeftBehind& left_behind() {
  static LeftBehind all;
  return all;
}

class HelperDevice final : public Device {
 public:
  HelperDevice(std::unique_ptr<Device> own, HelperBoard board, fs::path socket)
      : own_(std::move(own)), board_(std::move(board)), socket_(std::move(socket)) {}
  ~HelperDevice() override {
    if (owner_ != ::getpid()) return;
    (void)own_->restore();  // what fails stays in our journal
    if (!hold_) return;
    // So that the next one does not find it held. The journal of what fails is the helper's.
    if (const Status released = hold_->ask({Kind::release}); !released.ok())
      left_behind().add(released.error());
  }

  const DeviceInfo& info() const override { return own_->info(); }
  std::vector<Axis> axes() const override {
    std::vector<Axis> axes = own_->axes();
    for (const Axis& axis : board_.axes) {
      const auto ours = std::ranges::find(axes, axis.name, &Axis::name);
      if (ours == axes.end())
        axes.push_back(axis);
      else
        *ours = axis;
    }
    return axes;
  }
  PowerMode default_mode() const override {
    PowerMode mode = own_->default_mode();
    for (const auto& [name, value] : board_.default_mode.values) mode.values[name] = value;
    return mode;
  }
  Settings observed() const override { return own_->observed(); }
  // What we lack and the helper has is no gap.
  std::vector<std::string> gaps() const override {
    std::vector<std::string> gaps = board_.gaps;
    for (const std::string& gap : own_->gaps()) {
      const bool filled = std::ranges::any_of(
          board_.axes, [&](const Axis& axis) { return gap.starts_with(axis.name + " "); });
      if (!filled && std::ranges::find(gaps, gap) == gaps.end()) gaps.push_back(gap);
    }
    return gaps;
  }
  std::vector<std::string> own_axes() const override {
    std::vector<std::string> names = own_->own_axes();
    std::erase_if(names, [&](const std::string& name) { return by_helper(name); });
    return names;
  }

  std::vector<std::string> asked_axes() const override { return own_->asked_axes(); }

  Status claim() override {
    FLYBALL_CHECK(own_->claim());
    if (hold_ && !hold_->lost()) return {};
    hold_.reset();
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
      FLYBALL_CHECK(ask({Kind::apply, theirs}));
    }
    return ours.values.empty() ? Status() : own_->apply(ours);
  }
  Status restore() override {
    const Status ours = own_->restore();
    const Status theirs = hold_ ? ask({Kind::restore}) : Status();
    return theirs.ok() ? ours : theirs;
  }
  Status still_set() override { return hold_ ? ask({Kind::alive}) : own_->still_set(); }
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
  // A hold that is lost is said once; the next claim() is a new one.
  Status ask(const HelperRequest& request) {
    Status status = hold_->ask(request);
    if (hold_->lost()) hold_.reset();
    return status;
  }

  std::unique_ptr<Device> own_;
  HelperBoard board_;
  fs::path socket_;
  pid_t owner_ = ::getpid();
  std::unique_ptr<BoardHold> hold_;
};

}  // namespace

std::vector<Error> take_left_by_helper() {
  const std::lock_guard lock(left_behind().mutex);
  return std::exchange(left_behind().errors, {});
}

std::unique_ptr<Device> with_helper(std::unique_ptr<Device> own, const fs::path& root,
                                    const fs::path& socket) {
  std::error_code unknown;
  if (own->root_axes().empty() || !fs::exists(socket, unknown)) return own;
  auto board = ask_helper(root, socket);
  if (!board) {
    // Of a helper without axes; the remedy of a refused user stands at the axes already.
    HelperBoard none;
    if (const Status keeps = own->can_keep(); !keeps.ok()) none.cannot_keep = keeps.error();
    none.gaps.push_back(fmt::format("{}; {}", board.error().message, board.error().hint));
    return std::make_unique<HelperDevice>(std::move(own), std::move(none), socket);
  }
  return std::make_unique<HelperDevice>(std::move(own), *std::move(board), socket);
}

}  // namespace flyball
