// What happened when while something was served and trained: a day at any rate in little memory.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "schedule/latency_histogram.h"

namespace flyball {

struct ServingResult;

struct ServiceWindow {
  size_t arrived = 0, answered = 0, late = 0, refused = 0, failed = 0;
  size_t batches = 0, samples = 0;
  size_t largest_queue = 0;  ///< seen when a request arrived
  int64_t busy_ns = 0;       ///< in its minibatches
  LatencyHistogram latency;  ///< of those answered
};

struct TrainingWindow {
  size_t minibatches = 0;
  int64_t busy_ns = 0;
};

/// One stretch of time. What runs across an edge counts where it ends; its time, where it passes.
struct TimelineWindow {
  std::vector<ServiceWindow> services;
  std::vector<TrainingWindow> trainings;
  int64_t switching_ns = 0, saving_ns = 0;
  int64_t powered_ns = 0;  ///< while power was known
  double energy_j = 0;     ///< in that time

  void merge(const TimelineWindow& other);
};

/// Something that ran, with its begin and end since the run began.
struct TimelineSpan {
  size_t track = 0;  ///< position in ServingTimeline::tracks()
  int64_t begin_ns = 0, end_ns = 0;
  int64_t samples = 0;     ///< of a minibatch that served
  int64_t longest_ns = 0;  ///< latency among its requests
};

struct TimelineOptions {
  size_t most_windows = 2000;
  int64_t least_window_ns = 100'000'000;
  size_t most_spans = 20'000;
};

/// Windows of equal length from the beginning on. Where there are too many, each two become one.
/// Times are those of the run's clock; events may come in any order.
class ServingTimeline {
 public:
  ServingTimeline() = default;
  ServingTimeline(std::vector<std::string> services, std::vector<std::string> trainings,
                  TimelineOptions options = {});

  /// The clock's time at which the run begins, 0 unless told; before anything else.
  void begin(int64_t began_ns) { began_ns_ = began_ns; }
  void arrived(size_t service, int64_t at_ns, bool refused, size_t waiting);
  void answered(size_t service, int64_t at_ns, int64_t latency_ns, bool late);
  void failed(size_t service, int64_t at_ns, size_t requests);
  void served(size_t service, int64_t begin_ns, int64_t end_ns, int64_t samples,
              int64_t longest_ns);
  void trained(size_t training, int64_t begin_ns, int64_t end_ns);
  void switched(int64_t begin_ns, int64_t end_ns);
  void saved(int64_t begin_ns, int64_t end_ns);
  /// Power in a stretch of time; what is told of no stretch, or as NaN, is a gap.
  void power(int64_t begin_ns, int64_t end_ns, double watts);
  /// The run has ended: windows reach to here, whatever happened in them.
  void end(int64_t at_ns);

  const std::vector<TimelineWindow>& windows() const { return windows_; }
  int64_t window_ns() const { return window_ns_; }
  /// The last ones, in the order in which they ended.
  const std::deque<TimelineSpan>& spans() const { return spans_; }
  /// Services, trainings, "checkpoint", "switch of mode".
  const std::vector<std::string>& tracks() const { return tracks_; }
  size_t services() const { return services_; }
  size_t trainings() const { return trainings_; }

 private:
  TimelineWindow& at(int64_t at_ns);
  void merge_pairs();
  template <class Take>
  void spread(int64_t begin_ns, int64_t end_ns, Take take);
  void keep(TimelineSpan span);

  TimelineOptions options_;
  size_t services_ = 0, trainings_ = 0;
  std::vector<std::string> tracks_;
  std::vector<TimelineWindow> windows_;
  std::deque<TimelineSpan> spans_;
  int64_t window_ns_ = 100'000'000, began_ns_ = 0;
};

/// docs/json.md, `timeline` of `serve`: a column for each figure. `result` tells how long the run
/// was, and its modes.
Json timeline_json(const ServingTimeline& timeline, const ServingResult& result);
/// The spans as columns, for the report page.
Json spans_json(const ServingTimeline& timeline);

}  // namespace flyball
