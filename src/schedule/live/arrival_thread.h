// Requests of an arrival source, handed to a service at their times.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "schedule/arrivals.h"
#include "schedule/live/live_serving.h"

namespace flyball {

/// Submits examples of the runner from construction on until the source or this object ends.
class ArrivalThread {
 public:
  ArrivalThread(LiveServing& serving, size_t service, const InferenceRunner& runner,
                std::unique_ptr<ArrivalSource> source);
  ~ArrivalThread();
  ArrivalThread(const ArrivalThread&) = delete;
  ArrivalThread& operator=(const ArrivalThread&) = delete;

  void end();
  /// Once it has ended: how many requests came later than they were due, where that is another load
  /// than was asked for, since a request's latency begins when it comes; else "".
  std::string late_note(const ServiceResult& served) const;

 private:
  void submit_all(LiveServing& serving, size_t service, const InferenceRunner& runner,
                  ArrivalSource& source);

  std::atomic<bool> ended_{false};
  LatencyHistogram late_;  ///< from when they were due
  std::thread thread_;
};

}  // namespace flyball
