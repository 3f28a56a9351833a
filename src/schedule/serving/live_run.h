// A run of `flyball serve` of networks on this board, from the plan to the result.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "schedule/live/live_power.h"
#include "schedule/live/network_jobs.h"
#include "schedule/planning/preference_front.h"
#include "schedule/serving/serving_profiles.h"

namespace flyball {

/// What is told beside the results while it serves; thread-safe, once the first five are set.
class LiveFacts {
 public:
  std::string device;
  std::string prefer;                          ///< `--prefer`, as it is in effect
  std::vector<double> margins_ms;              ///< of each service, kept for the client's side
  std::vector<bool> kept;                      ///< of each training: on disk, when serving ends
  std::vector<PreferencePoint> planned_front;  ///< of the plan that it begins with; empty: none
  /// Of the plan that is followed; empty: there is none, or it is a later one.
  std::vector<PreferencePoint> front(const ServingResult& stands) const {
    return stands.replan_count == 0 ? planned_front : std::vector<PreferencePoint>();
  }
  std::atomic<const LivePower*> power{nullptr};
  void set_mode(std::string mode) {
    const std::lock_guard lock(mutex_);
    mode_ = std::move(mode);
  }
  std::string mode() const {
    const std::lock_guard lock(mutex_);
    return mode_;
  }

 private:
  mutable std::mutex mutex_;
  std::string mode_;  ///< "" where nobody knows it
};

/// What brings requests from outside.
class RequestDoor {
 public:
  virtual ~RequestDoor() = default;
  /// `serving` has its services, is about to warm up, and outlives this.
  virtual void attach(LiveServing& serving) = 0;
  /// Takes no more requests, and sends the answers that are owed.
  virtual void drain() = 0;
};

/// Where networks run, and with how many threads.
struct JobPlace {
  std::string compute;
  int threads = 0;  ///< 0: all there are
};

/// Makes what answers and trains.
struct LiveJobs {
  template <class Made>
  using Make = std::function<Result<Made>(const std::string& workload, const JobPlace& place,
                                          const ServeRequest& request)>;
  Make<std::unique_ptr<InferenceRunner>> service{};
  Make<StartedTraining> training{};
};

/// Networks with their data of the folder that is named for each.
LiveJobs network_jobs(
    std::function<Result<std::filesystem::path>(const std::string& workload)> folder);

/// What a run needs of the world around it; the board outlives it.
struct LiveSetup {
  const Board& board;
  std::unique_ptr<Device> knobs{};  ///< null: no mode can be set
  BoardInfo computing{};            ///< the board as networks compute on it
  double hold_look_s = 10;          ///< how often is asked whether the mode is still set
  ProfileSource profiles{};
  LiveJobs jobs{};
  /// Opens the door, once there is a plan and all networks are made; empty: requests come from
  /// arrivals only.
  std::function<Result<std::unique_ptr<RequestDoor>>(const LiveFacts& facts)> open_door{};
};

/// Errors: those of planning and warming up; a training that fails.
Result<ServedRun> serve_live(ServeRequest request, LiveSetup setup);

}  // namespace flyball
