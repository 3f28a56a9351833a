#include "schedule/serving_timeline.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "problem/problem.h"
#include "schedule/serving_result.h"

namespace flyball {
namespace {

// Digits that nobody reads make a page large.
Json rounded(double value, double per_unit) {
  return or_null(std::round(value * per_unit) / per_unit);
}
Json share(int64_t part_ns, double whole_ns) {
  return whole_ns > 0 ? rounded(static_cast<double>(part_ns) / whole_ns, 1e4) : Json(0);
}
Json milliseconds(double ms) {
  return rounded(ms, 1e3);
}

// What of a window lies within the run, in ns.
double covered_ns(const ServingTimeline& timeline, size_t window, double seconds) {
  const auto length = static_cast<double>(timeline.window_ns());
  return std::clamp(seconds * 1e9 - static_cast<double>(window) * length, 0.0, length);
}

Json service_columns(const ServingTimeline& timeline, size_t s, const ServingResult& result) {
  Json columns = {{"name", timeline.tracks()[s]}};
  for (const char* column : {"arrived", "answered", "late", "refused", "failed", "p50_ms", "p99_ms",
                             "max_ms", "largest_queue", "batches", "mean_batch", "busy"})
    columns[column] = Json::array();
  for (size_t i = 0; i < timeline.windows().size(); ++i) {
    const ServiceWindow& w = timeline.windows()[i].services[s];
    columns["arrived"].push_back(w.arrived);
    columns["answered"].push_back(w.answered);
    columns["late"].push_back(w.late);
    columns["refused"].push_back(w.refused);
    columns["failed"].push_back(w.failed);
    columns["p50_ms"].push_back(milliseconds(w.latency.quantile_ms(0.5)));
    columns["p99_ms"].push_back(milliseconds(w.latency.quantile_ms(0.99)));
    columns["max_ms"].push_back(
        milliseconds(w.latency.count() == 0 ? not_measured : w.latency.max_ms()));
    columns["largest_queue"].push_back(w.largest_queue);
    columns["batches"].push_back(w.batches);
    columns["mean_batch"].push_back(
        w.batches == 0
            ? Json()
            : rounded(static_cast<double>(w.samples) / static_cast<double>(w.batches), 1e3));
    columns["busy"].push_back(share(w.busy_ns, covered_ns(timeline, i, result.seconds)));
  }
  return columns;
}

Json training_columns(const ServingTimeline& timeline, size_t t, const ServingResult& result) {
  Json columns = {{"name", timeline.tracks()[timeline.services() + t]},
                  {"minibatches", Json::array()},
                  {"busy", Json::array()}};
  for (size_t i = 0; i < timeline.windows().size(); ++i) {
    const TrainingWindow& w = timeline.windows()[i].trainings[t];
    columns["minibatches"].push_back(w.minibatches);
    columns["busy"].push_back(share(w.busy_ns, covered_ns(timeline, i, result.seconds)));
  }
  return columns;
}

double power_of(const TimelineWindow& window, double covered) {
  const auto known_ns = static_cast<double>(window.powered_ns);
  return covered > 0 && known_ns >= known_power_share * covered
             ? window.energy_j / (known_ns * 1e-9)
             : not_measured;
}

Json modes_of(const ServingResult& result) {
  Json modes = Json::array();
  if (!result.mode.empty()) modes.push_back({{"at_s", 0.0}, {"mode", result.mode}});
  for (const Replan& replan : result.replans)
    if (replan.switched) modes.push_back({{"at_s", or_null(replan.at_s)}, {"mode", replan.mode}});
  return modes;
}

}  // namespace

void TimelineWindow::merge(const TimelineWindow& other) {
  for (size_t s = 0; s < services.size(); ++s) {
    ServiceWindow& mine = services[s];
    const ServiceWindow& more = other.services[s];
    mine.arrived += more.arrived;
    mine.answered += more.answered;
    mine.late += more.late;
    mine.refused += more.refused;
    mine.failed += more.failed;
    mine.batches += more.batches;
    mine.samples += more.samples;
    mine.largest_queue = std::max(mine.largest_queue, more.largest_queue);
    mine.busy_ns += more.busy_ns;
    mine.latency.merge(more.latency);
  }
  for (size_t t = 0; t < trainings.size(); ++t) {
    trainings[t].minibatches += other.trainings[t].minibatches;
    trainings[t].busy_ns += other.trainings[t].busy_ns;
  }
  switching_ns += other.switching_ns;
  saving_ns += other.saving_ns;
  powered_ns += other.powered_ns;
  energy_j += other.energy_j;
}

ServingTimeline::ServingTimeline(std::vector<std::string> services,
                                 std::vector<std::string> trainings, TimelineOptions options)
    : options_(options),
      services_(services.size()),
      trainings_(trainings.size()),
      tracks_(std::move(services)),
      window_ns_(options.least_window_ns) {
  tracks_.insert(tracks_.end(), trainings.begin(), trainings.end());
  tracks_.insert(tracks_.end(), {"checkpoint", "switch of mode"});
}

void ServingTimeline::merge_pairs() {
  for (size_t i = 0; i < windows_.size(); i += 2) {
    if (i + 1 < windows_.size()) windows_[i].merge(windows_[i + 1]);
    if (i > 0) windows_[i / 2] = std::move(windows_[i]);
  }
  windows_.resize((windows_.size() + 1) / 2);
  window_ns_ *= 2;
}

TimelineWindow& ServingTimeline::at(int64_t at_ns) {
  const int64_t since_ns = std::max<int64_t>(0, at_ns - began_ns_);
  while (static_cast<size_t>(since_ns / window_ns_) >= options_.most_windows) merge_pairs();
  const auto window = static_cast<size_t>(since_ns / window_ns_);
  while (windows_.size() <= window)
    windows_.push_back({.services = std::vector<ServiceWindow>(services_),
                        .trainings = std::vector<TrainingWindow>(trainings_)});
  return windows_[window];
}

// Gives each window the part of the stretch that lies in it.
template <class Take>
void ServingTimeline::spread(int64_t begin_ns, int64_t end_ns, Take take) {
  begin_ns = std::max(begin_ns, began_ns_);
  if (end_ns <= begin_ns) return;
  at(end_ns - 1);  // windows are as long as they will be
  while (begin_ns < end_ns) {
    const int64_t edge_ns = began_ns_ + ((begin_ns - began_ns_) / window_ns_ + 1) * window_ns_;
    const int64_t until_ns = std::min(end_ns, edge_ns);
    take(at(begin_ns), until_ns - begin_ns);
    begin_ns = until_ns;
  }
}

void ServingTimeline::keep(TimelineSpan span) {
  if (options_.most_spans == 0) return;
  if (spans_.size() == options_.most_spans) spans_.pop_front();
  span.begin_ns -= began_ns_;
  span.end_ns -= began_ns_;
  spans_.push_back(span);
}

void ServingTimeline::arrived(size_t s, int64_t at_ns, bool refused, size_t waiting) {
  ServiceWindow& window = at(at_ns).services[s];
  ++window.arrived;
  if (refused) ++window.refused;
  window.largest_queue = std::max(window.largest_queue, waiting);
}

void ServingTimeline::answered(size_t s, int64_t at_ns, int64_t latency_ns, bool late) {
  ServiceWindow& window = at(at_ns).services[s];
  ++window.answered;
  if (late) ++window.late;
  window.latency.add(latency_ns);
}

void ServingTimeline::failed(size_t s, int64_t at_ns, size_t requests) {
  at(at_ns).services[s].failed += requests;
}

void ServingTimeline::served(size_t s, int64_t begin_ns, int64_t end_ns, int64_t samples,
                             int64_t longest_ns) {
  spread(begin_ns, end_ns, [s](TimelineWindow& w, int64_t ns) { w.services[s].busy_ns += ns; });
  ServiceWindow& window = at(end_ns).services[s];
  ++window.batches;
  window.samples += static_cast<size_t>(samples);
  keep({s, begin_ns, end_ns, samples, longest_ns});
}

void ServingTimeline::trained(size_t t, int64_t begin_ns, int64_t end_ns) {
  spread(begin_ns, end_ns, [t](TimelineWindow& w, int64_t ns) { w.trainings[t].busy_ns += ns; });
  ++at(end_ns).trainings[t].minibatches;
  keep({services_ + t, begin_ns, end_ns});
}

void ServingTimeline::switched(int64_t begin_ns, int64_t end_ns) {
  spread(begin_ns, end_ns, [](TimelineWindow& w, int64_t ns) { w.switching_ns += ns; });
  keep({services_ + trainings_ + 1, begin_ns, end_ns});
}

void ServingTimeline::saved(int64_t begin_ns, int64_t end_ns) {
  spread(begin_ns, end_ns, [](TimelineWindow& w, int64_t ns) { w.saving_ns += ns; });
  keep({services_ + trainings_, begin_ns, end_ns});
}

void ServingTimeline::power(int64_t begin_ns, int64_t end_ns, double watts) {
  if (!std::isfinite(watts)) return;
  spread(begin_ns, end_ns, [watts](TimelineWindow& w, int64_t ns) {
    w.powered_ns += ns;
    w.energy_j += watts * static_cast<double>(ns) * 1e-9;
  });
}

void ServingTimeline::end(int64_t at_ns) {
  if (at_ns > began_ns_) at(at_ns - 1);
}

Json timeline_json(const ServingTimeline& timeline, const ServingResult& result) {
  Json services = Json::array(), trainings = Json::array();
  for (size_t s = 0; s < timeline.services(); ++s)
    services.push_back(service_columns(timeline, s, result));
  for (size_t t = 0; t < timeline.trainings(); ++t)
    trainings.push_back(training_columns(timeline, t, result));
  Json switching = Json::array(), saving = Json::array(), power = Json::array();
  for (size_t i = 0; i < timeline.windows().size(); ++i) {
    const TimelineWindow& window = timeline.windows()[i];
    const double covered = covered_ns(timeline, i, result.seconds);
    switching.push_back(share(window.switching_ns, covered));
    saving.push_back(share(window.saving_ns, covered));
    power.push_back(rounded(power_of(window, covered), 1e3));
  }
  return {{"window_s", static_cast<double>(timeline.window_ns()) / 1e9},
          {"windows", timeline.windows().size()},
          {"services", services},
          {"training", trainings},
          {"switching", switching},
          {"saving", saving},
          {"power_w", power},
          {"modes", modes_of(result)}};
}

Json spans_json(const ServingTimeline& timeline) {
  Json track = Json::array(), begin = Json::array(), length = Json::array(),
       samples = Json::array(), longest = Json::array();
  const auto microseconds = [](int64_t ns) { return std::llround(static_cast<double>(ns) * 1e-3); };
  for (const TimelineSpan& span : timeline.spans()) {
    track.push_back(span.track);
    begin.push_back(microseconds(span.begin_ns));
    length.push_back(microseconds(span.end_ns - span.begin_ns));
    samples.push_back(span.samples);
    longest.push_back(microseconds(span.longest_ns));
  }
  return {{"tracks", timeline.tracks()}, {"track", track},     {"begin_us", begin},
          {"length_us", length},         {"samples", samples}, {"longest_us", longest}};
}

}  // namespace flyball
