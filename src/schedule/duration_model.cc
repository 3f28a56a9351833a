#include "schedule/duration_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flyball {
namespace {

constexpr size_t run_of_change = 10;      // ratios in a row that make a change
constexpr size_t surely_after = 8;        // of them: the first may have been chance
constexpr int64_t tabled_batches = 4096;  // batch sizes that are looked up

}  // namespace

void DurationModel::expect(int64_t batch, double ns) {
  curve_[batch] = ns;
  const int64_t last = std::min(curve_.rbegin()->first, tabled_batches);
  table_.resize(static_cast<size_t>(last) + 1);
  for (int64_t k = 0; k <= last; ++k) table_[static_cast<size_t>(k)] = computed_ns(k);
}

double DurationModel::base_ns(int64_t batch) const {
  if (curve_.empty()) return std::numeric_limits<double>::infinity();
  const auto index = static_cast<size_t>(std::max<int64_t>(0, batch));
  return index < table_.size() ? table_[index] : computed_ns(batch);
}

// Whole nanoseconds, as clocks count them: what takes as long as expected is not late.
double DurationModel::computed_ns(int64_t batch) const {
  const auto above = curve_.lower_bound(batch);
  if (above == curve_.end()) {
    const auto& [size, ns] = *curve_.rbegin();
    return std::round(ns * static_cast<double>(batch) /
                      static_cast<double>(std::max<int64_t>(1, size)));
  }
  if (above->first == batch || above == curve_.begin()) return std::round(above->second);
  const auto below = std::prev(above);
  const double share =
      static_cast<double>(batch - below->first) / static_cast<double>(above->first - below->first);
  return std::round(below->second + share * (above->second - below->second));
}

void DurationModel::observe(int64_t batch, double ns) {
  spared_ = 0;
  if (!known()) expect(batch, ns);
  const double ratio = ns / base_ns(batch);
  if (ratio > upper_ratio_)
    margin_ += options_.miss_step * options_.quantile;
  else
    margin_ = std::max(0.0, margin_ - options_.miss_step * (1 - options_.quantile));
  follow_change(ratio);
  refresh();
}

void DurationModel::spare(double minibatches) {
  if (sorted_.empty()) return;
  const double step = options_.miss_step * (1 - options_.quantile);
  const double shrinking = std::min(minibatches, margin_ / step);
  margin_ = std::max(0.0, margin_ - step * minibatches);
  spared_ += minibatches - shrinking;
  for (; spared_ * (1 - options_.quantile) >= 1 && sorted_.size() > 1;
       spared_ -= 1 / (1 - options_.quantile))
    forget_largest();
  // Of one that was longer than expected nothing is left but what was expected.
  if (sorted_.size() == 1 && spared_ * (1 - options_.quantile) >= 1 && sorted_.front() > 1)
    return forget();
  refresh();
}

void DurationModel::forget() {
  recent_.clear();
  sorted_.clear();
  next_ = above_ = below_ = 0;
  spared_ = margin_ = 0;
  upper_ratio_ = typical_ratio_ = 1;
}

void DurationModel::forget_largest() {
  std::rotate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(next_), recent_.end());
  next_ = 0;
  recent_.erase(std::ranges::find(recent_, sorted_.back()));
  sorted_.pop_back();
}

void DurationModel::follow_change(double ratio) {
  if (sorted_.size() > run_of_change) {
    if (above_ + below_ == 0) {  // bounds stay while a run lasts, whose own ratios move them
      low_ = order_statistic(0.1);
      high_ = order_statistic(0.9);
    }
    above_ = ratio > high_ ? above_ + 1 : 0;
    below_ = ratio < low_ ? below_ + 1 : 0;
  }
  remember(ratio);
  if (above_ < run_of_change && below_ < run_of_change) return;
  forget_all_but(surely_after);
  above_ = below_ = 0;
  margin_ = 0;
  ++changes_;
}

void DurationModel::remember(double ratio) {
  if (recent_.size() < options_.window) {
    recent_.push_back(ratio);
  } else {
    sorted_.erase(std::ranges::lower_bound(sorted_, recent_[next_]));
    recent_[next_] = ratio;
    next_ = (next_ + 1) % recent_.size();
  }
  sorted_.insert(std::ranges::lower_bound(sorted_, ratio), ratio);
}

void DurationModel::forget_all_but(size_t last) {
  std::rotate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(next_), recent_.end());
  next_ = 0;
  recent_.erase(recent_.begin(), recent_.end() - static_cast<std::ptrdiff_t>(last));
  sorted_ = recent_;
  std::ranges::sort(sorted_);
}

double DurationModel::order_statistic(double quantile) const {
  const double rank = std::ceil(static_cast<double>(sorted_.size() + 1) * quantile);
  return sorted_[std::clamp<size_t>(static_cast<size_t>(rank), 1, sorted_.size()) - 1];
}

void DurationModel::refresh() {
  typical_ratio_ = order_statistic(0.5);
  upper_ratio_ = order_statistic(options_.quantile) * (1 + margin_);
}

}  // namespace flyball
