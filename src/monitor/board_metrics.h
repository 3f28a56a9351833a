// Frames as Prometheus's metrics: base units, names as node_exporter's, labels that stay.
#pragma once

#include <set>
#include <string>

#include "monitor/board_frame.h"

namespace flyball {

class BoardMetrics {
 public:
  /// Frames in their order. What once was there keeps its series: a sensor that is gone is told as
  /// 0 of flyball_sensor_up, a reason that throttled as 0.
  void take(const BoardFrame& frame);
  /// All of it; "" before the first frame. `own_cpu_s`: processor time of who serves it.
  std::string text(double own_cpu_s) const;

 private:
  BoardFrame frame_;
  bool any_ = false;
  std::set<std::string> reasons_, temperatures_;
};

}  // namespace flyball
