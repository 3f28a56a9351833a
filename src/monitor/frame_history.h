// What frames showed, for as long as somebody watches: bounded, and drawn at any zoom.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "monitor/board_frame.h"

namespace flyball {

/// What a history keeps of a frame.
struct Moment {
  double at_s = 0;
  std::optional<double> power_w, cpu, gpu, celsius;  ///< shares of 0 to 1, of the hottest place
};

/// Mean load of the cores that are on; nothing where none tells.
std::optional<double> mean_load(const BoardFrame& frame);

class FrameHistory {
 public:
  explicit FrameHistory(size_t most = 200'000) : most_(most) {}
  /// A frame of an earlier time than the last begins anew.
  void add(const BoardFrame& frame);
  /// Means over `step_s` each, the newest last; nothing for a time without a value. At a step below
  /// the interval of frames a value lasts until the next one.
  std::vector<std::optional<double>> columns(std::optional<double> Moment::*what, double step_s,
                                             int count) const;
  size_t size() const { return moments_.size(); }

 private:
  size_t most_;
  std::deque<Moment> moments_;
};

}  // namespace flyball
