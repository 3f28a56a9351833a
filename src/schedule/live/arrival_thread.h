// Requests of an arrival source, handed to a service at their times.
#pragma once

#include <atomic>
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

 private:
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace flyball
