// What a scraper asks for, in Prometheus's text format.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "schedule/service.h"
#include "server/live_state.h"

namespace flyball {

/// Counts by upper bounds, as Prometheus's histograms do; the last bound is +Inf.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds)
      : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}
  void add(double value);
  /// Lines NAME_bucket{labels,le="…"}, NAME_sum and NAME_count.
  void write(std::string& text, const std::string& name, const std::string& labels) const;

 private:
  std::vector<double> bounds_;
  std::vector<uint64_t> counts_;
  double sum_ = 0;
};

/// Counts what came of requests over HTTP. Thread-safe.
class ServingMetrics {
 public:
  explicit ServingMetrics(const std::vector<ServiceInfo>& services);
  void answered(size_t service, const InferAnswer& answer);
  /// A request that was none (400) or came to no model (404).
  void bad_request();
  /// One that there was no memory for (503): for its tensors, or for its answer.
  void no_room();
  /// All of it, with what `state` adds. What came of requests is told as `state` has it, wherever
  /// they came from; where it has nothing of a service, as was counted here.
  std::string text(const LiveState& state) const;

 private:
  struct OfService {
    std::string name;
    double budget_s = 0;
    uint64_t in_time = 0, late = 0, refused = 0, failed = 0;
    Histogram latency_s, batch_size;
  };
  mutable std::mutex mutex_;
  std::vector<OfService> services_;
  uint64_t bad_ = 0, no_room_ = 0;
};

}  // namespace flyball
