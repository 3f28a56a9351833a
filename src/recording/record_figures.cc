#include "recording/record_figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "recording/summary.h"

namespace flyball {
namespace {

using Summaries = std::vector<std::vector<RecordSummary>>;

double length_s(int64_t ticks) {
  return static_cast<double>(ticks) / ticks_per_s;
}

double gap_of(double seconds, double covered_s) {
  const double gap = seconds - covered_s;
  return gap < 1e-3 ? 0 : gap;
}

// The square of the standard error that a stretch adds. No values of a given range have a greater
// standard deviation than half of it.
double variance_j2(const RecordChannel& channel, const RecordSummary& one) {
  const double update_s = std::max(channel.period_s, channel.info.period_s);
  const double updates = update_s > 0 ? std::max(1.0, one.covered_s / update_s) : 1;
  return std::pow((one.most - one.least) / 2 * one.covered_s, 2) / updates;
}

// A counter is off by what it had not counted yet, at both ends.
double steps_j(const RecordChannel& channel, double first_w, double last_w) {
  return std::max(channel.period_s, channel.info.period_s) * std::hypot(first_w, last_w);
}

// Of one channel, a summary after the other.
class FiguresSum {
 public:
  explicit FiguresSum(const RecordChannel& channel) : channel_(channel) {}
  void add(const RecordSummary& one) {
    figures_.least = figures_.known ? std::min(figures_.least, one.least) : one.least;
    figures_.most = figures_.known ? std::max(figures_.most, one.most) : one.most;
    if (!figures_.known) first_w_ = one.mean;
    last_w_ = one.mean;
    figures_.known = true;
    figures_.energy_j += one.mean * one.covered_s;
    figures_.covered_s += one.covered_s;
    variance_j2_ += variance_j2(channel_, one);
  }
  RecordFigures figures(double seconds) const {
    RecordFigures figures = figures_;
    figures.mean = figures.covered_s > 0 ? figures.energy_j / figures.covered_s : 0;
    figures.error_j = channel_.info.kind == SensorKind::energy_counter
                          ? steps_j(channel_, first_w_, last_w_)
                          : std::sqrt(variance_j2_);
    figures.gap_s = gap_of(seconds, figures.covered_s);
    return figures;
  }

 private:
  const RecordChannel& channel_;
  RecordFigures figures_;
  double variance_j2_ = 0, first_w_ = 0, last_w_ = 0;
};

// Of the channels of one total. Values by second and by minute are compared by minute.
class TotalSum {
 public:
  TotalSum(std::string name, std::vector<size_t> channels, bool by_minute)
      : name_(std::move(name)), channels_(std::move(channels)), by_minute_(by_minute) {}

  void add(const Summaries& values) {
    Summaries parts;
    for (const size_t channel : channels_)
      parts.push_back(by_minute_ ? merged(values[channel], minute_ticks) : values[channel]);
    for (const RecordSummary& first : parts.front()) add_at(parts, first);
  }
  RecordTotal total(const std::vector<RecordFigures>& channels, double seconds) const {
    RecordTotal total{name_, channels_, {}};
    RecordFigures& figures = total.figures;
    figures.known = covered_s_ > 0;
    figures.energy_j = energy_j_;
    figures.covered_s = covered_s_;
    figures.mean = figures.known ? energy_j_ / covered_s_ : 0;
    for (const size_t channel : channels_)
      figures.error_j = std::hypot(figures.error_j, channels[channel].error_j);
    figures.gap_s = gap_of(seconds, covered_s_);
    return total;
  }

 private:
  void add_at(const Summaries& parts, const RecordSummary& first) {
    double watts = 0, covered_s = first.covered_s;
    for (const auto& part : parts) {
      const auto same = std::ranges::lower_bound(part, first.begin, {}, &RecordSummary::begin);
      if (same == part.end() || same->begin != first.begin) return;
      watts += same->mean;
      covered_s = std::min(covered_s, same->covered_s);
    }
    energy_j_ += watts * covered_s;
    covered_s_ += covered_s;
  }

  std::string name_;
  std::vector<size_t> channels_;
  bool by_minute_;
  double energy_j_ = 0, covered_s_ = 0;
};

std::vector<TotalSum> totals_in(const RecordReader& reader) {
  std::vector<std::pair<std::string, std::vector<size_t>>> totals;
  for (size_t i = 0; i < reader.channels().size(); ++i) {
    const RecordChannel& channel = reader.channels()[i];
    const std::string& name = channel.info.total;
    if (!channel.tells_power() || name.empty()) continue;
    auto total = std::ranges::find(totals, name, [](const auto& one) { return one.first; });
    if (total == totals.end()) total = totals.insert(totals.end(), {name, {}});
    total->second.push_back(i);
  }
  std::vector<TotalSum> sums;
  for (auto& [name, channels] : totals) {
    const auto slow = std::ranges::count_if(
        channels, [&](size_t channel) { return reader.channels()[channel].slow(); });
    const bool alike = slow == 0 || slow == static_cast<ptrdiff_t>(channels.size());
    sums.emplace_back(name, channels, !alike);
  }
  return sums;
}

}  // namespace

Result<AllRecordFigures> record_figures(RecordReader& reader, int64_t begin, int64_t end) {
  std::vector<FiguresSum> sums(reader.channels().begin(), reader.channels().end());
  std::vector<TotalSum> totals = totals_in(reader);
  const auto add = [&](const Summaries& values) {
    for (size_t i = 0; i < sums.size(); ++i)
      for (const RecordSummary& one : values[i]) sums[i].add(one);
    for (TotalSum& total : totals) total.add(values);
  };
  // Of the first and last second only what is asked for, from samples where they are kept.
  const int64_t first = std::min(end, -floor_to(-begin, second_ticks));
  const int64_t last = std::max(first, floor_to(end, second_ticks));
  FLYBALL_ASSIGN(const auto head, reader.summaries(begin, first, second_ticks / 2));
  add(head);
  constexpr int64_t stretch = 60 * minute_ticks;  // at a time, so that memory stays bounded
  for (int64_t at = first, until = 0; at < last; at = until) {
    until = std::min(at + stretch, last);
    FLYBALL_ASSIGN(const auto values, reader.summaries(at, until, second_ticks));
    if (std::ranges::all_of(values, &std::vector<RecordSummary>::empty)) {
      FLYBALL_ASSIGN(const int64_t next, reader.next_begin(until));
      until = std::max(until, floor_to(std::min(next, last), second_ticks));
    }
    add(values);
  }
  FLYBALL_ASSIGN(const auto tail, reader.summaries(last, end, second_ticks / 2));
  add(tail);
  AllRecordFigures all;
  const double seconds = length_s(end - begin);
  for (const FiguresSum& sum : sums) all.channels.push_back(sum.figures(seconds));
  for (const TotalSum& total : totals) all.totals.push_back(total.total(all.channels, seconds));
  return all;
}

}  // namespace flyball
