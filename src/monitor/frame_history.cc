#include "monitor/frame_history.h"

#include <algorithm>
#include <cmath>

namespace flyball {

std::optional<double> mean_load(const BoardFrame& frame) {
  double sum = 0;
  int count = 0;
  for (const auto& core : frame.cores)
    if (core) {
      sum += *core;
      ++count;
    }
  if (count == 0) return {};
  return sum / count;
}

void FrameHistory::add(const BoardFrame& frame) {
  if (!moments_.empty() && frame.at_s < moments_.back().at_s) moments_.clear();
  Moment moment{frame.at_s, frame.power_w, mean_load(frame), frame.gpu_busy, {}};
  if (const TemperatureFrame* hot = hottest(frame)) moment.celsius = hot->celsius;
  moments_.push_back(moment);
  if (moments_.size() > most_) moments_.pop_front();
}

// Columns end at whole steps, so that what was drawn moves and does not flicker.
std::vector<std::optional<double>> FrameHistory::columns(std::optional<double> Moment::*what,
                                                         double step_s, int count) const {
  std::vector<std::optional<double>> values(static_cast<size_t>(std::max(count, 0)));
  if (moments_.empty() || values.empty() || !(step_s > 0)) return values;
  std::vector<double> sums(values.size());
  std::vector<int> counts(values.size());
  const double newest = std::floor(moments_.back().at_s / step_s + 1e-9);
  const auto place = [&](double at_s) {
    return static_cast<double>(count) - 1 - (newest - std::floor(at_s / step_s + 1e-9));
  };
  double later = static_cast<double>(count);
  for (auto moment = moments_.rbegin(); moment != moments_.rend(); ++moment) {
    const double first = place(moment->at_s);
    const auto& value = (*moment).*what;
    for (double column = std::max(first, 0.0);
         value && column < std::max(later, first + 1) && column < count; ++column) {
      sums[static_cast<size_t>(column)] += *value;
      ++counts[static_cast<size_t>(column)];
    }
    later = first;
    if (first < 0) break;
  }
  for (size_t column = 0; column < values.size(); ++column)
    if (counts[column] > 0) values[column] = sums[column] / counts[column];
  return values;
}

}  // namespace flyball
