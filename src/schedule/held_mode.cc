#include "schedule/held_mode.h"

#include <algorithm>

#include "base/clock.h"

namespace flyball {

HeldMode::HeldMode(Device& knobs, std::function<void(const std::string&)> told, double look_s)
    : knobs_(knobs), told_(std::move(told)), look_ns_(nanoseconds(look_s)) {}

std::string HeldMode::text() const {
  return mode_ ? describe(mode_->values) : "";
}

Status HeldMode::apply(const PowerMode& mode) {
  const Stopwatch watch;
  stands_ = false;
  if (!lost_.ok()) FLYBALL_CHECK(knobs_.claim());  // whoever had set it for us may have gone
  FLYBALL_CHECK(knobs_.apply(mode));
  stands_ = true;
  set_s_ = std::max(set_s_, watch.seconds());
  lost_ = {};
  next_look_ns_ = monotonic_ns() + look_ns_;
  if (told_) told_(describe(mode.values));
  return {};
}

Status HeldMode::set(const PowerMode& mode) {
  FLYBALL_CHECK(apply(mode));
  mode_ = mode;
  return {};
}

bool HeldMode::due(int64_t now_ns) {
  if (!mode_ || now_ns < next_look_ns_) return false;
  next_look_ns_ = now_ns + look_ns_;
  return true;
}

Status HeldMode::still_set() {
  if (lost_.ok()) lost_ = knobs_.still_set();
  if (!lost_.ok()) stands_ = false;
  return lost_;
}

Status HeldMode::set_again() {
  Status set = apply(*mode_);
  if (!set.ok() && told_) told_("");
  return set;
}

}  // namespace flyball
