// The scheduler with real clocks: requests come in from any thread, and the thread that calls run()
// is the only one that computes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "schedule/execution.h"
#include "schedule/shape_keys.h"
#include "telemetry/sampling/trace_export.h"

namespace flyball {

/// What answers the requests of one service.
class InferenceRunner {
 public:
  virtual ~InferenceRunner() = default;
  virtual const ServiceInfo& info() const = 0;
  /// Answers of these requests in their order, one minibatch; an error is that of all of them.
  virtual Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) = 0;
  /// Serves these weights, a checkpoint of the same network, from the next minibatch on.
  virtual Status take_weights(const std::filesystem::path&) {
    return Error{Code::unavailable, info().name + " has no weights", ""};
  }
  /// A request of so many samples, for warm-up.
  virtual InferRequest example(int64_t samples) const = 0;
};

/// What trains in the gaps.
class TrainingRunner {
 public:
  virtual ~TrainingRunner() = default;
  virtual Status step() = 0;
  /// Mean loss of the last minibatches; NaN: not known. Called between steps.
  virtual double loss() const { return std::numeric_limits<double>::quiet_NaN(); }
  /// Keeps the training as it stands on disk.
  virtual Status save() = 0;
};

struct LiveServingOptions {
  DurationOptions durations{};
  Preference preference{};
  double checkpoint_s = 30;  ///< at most so much training is lost when the process is killed
  double warm_up_s = 10;     ///< of each service and training at most
  size_t most_spans = 0;     ///< of the timeline that is kept, some 150 bytes each
  const std::atomic<bool>* stop = nullptr;  ///< drains once it is set; may be null
  HeldMode* held = nullptr;                 ///< is set again where it was put back; may be null
  /// Called with each arrival, in the thread of submit(); must not block.
  std::function<void(size_t service, int64_t now_ns)> arrived{};
  /// Called by run() with each minibatch that has ended; must not block.
  std::function<void(const Decision& what, int64_t begin_ns, int64_t end_ns)> ran{};
  std::function<Status()> saved{};  ///< called by run() when the trainings have been kept
  /// Called when serving begins (by warm_up(), right before ready()), and when all has been
  /// answered (by run(), before the trainings are kept): what costs between them is serving's.
  std::function<void()> begins{}, answered{};
};

class LiveServing final : public Serving, private Executor {
 public:
  explicit LiveServing(LiveServingOptions options);

  /// Before warm_up(). `largest_batch` of the rules 0: chosen by warm-up, the largest power of two
  /// (at most 64, and what the runner takes) that leaves room for a training minibatch within the
  /// latency budget, and at most a third of the budget.
  void add(ServiceRules rules, std::unique_ptr<InferenceRunner> runner);
  void add(TrainingRules rules, std::unique_ptr<TrainingRunner> runner);
  /// Before warm_up(): what the plan lets each training do, in minibatches per second.
  void plan_trainings(std::vector<double> per_s) { trainings_per_s_ = std::move(per_s); }
  /// Runs every job alone until its durations are known; ready() from then on.
  Status warm_up();
  /// Serves and trains until `seconds` have gone by (0: without end) or `stop` is set; then answers
  /// what was accepted and saves the trainings. An error of a training, or of keeping it, ends the
  /// run after a drain, and both are told; one of an inference is the answer of its requests.
  Status run(double seconds);
  /// From any thread: a new plan, followed before the next decision (Execution::change()).
  void change(PlanChange change);
  JobDurations durations() const;
  /// Once warm: what the service takes for a request that comes alone, at most.
  double alone_ms(size_t service) const;
  /// From any thread: mean power of a stretch of time, for the timeline; NaN: not known.
  void told_power(int64_t begin_ns, int64_t end_ns, double watts);
  /// From any thread: no request is taken from now on, run() ends.
  void drain();

  const std::vector<ServiceInfo>& services() const override { return infos_; }
  bool ready() const override { return ready_; }
  InferAnswer turn_away(size_t service) override;
  void submit(size_t service, InferRequest request) override;

  /// How it stands; from any thread.
  ServingResult snapshot() const;
  /// What ran when, for a trace; once run() has ended.
  std::vector<Span> take_spans() { return std::move(spans_); }
  /// The same in windows, with requests; once run() has ended and nobody submits.
  const ServingTimeline& timeline() const { return timeline_; }
  int64_t began_ns() const { return execution_.began_ns(); }

 private:
  // Called by execution_ within run(), with mutex_ held by turn_.
  int64_t now_ns() const override;
  bool look() override;
  void wait() override;
  void run(const Decision& what) override;
  bool switches(const PlanChange& change) const override;
  Status set_mode(const PlanChange& change) override;

  Status warm_up_service(size_t service);
  Status warm_up_training(size_t training);
  int64_t chosen_batch(size_t service) const;
  void answer(const Decision& what);
  Status train(const Decision& what);
  Status save_when_due(bool at_end);
  Status save_all(bool at_end);
  void end_requests();
  bool checkpoint_due(double at_ns) const;
  double saving_ns() const;
  void note(const std::string& track, std::string name, int64_t begin_ns, int64_t end_ns);

  LiveServingOptions options_;
  std::vector<int64_t> asked_batch_;  ///< largest of each service; 0: chosen
  std::vector<std::unique_ptr<InferenceRunner>> runners_;
  std::vector<std::unique_ptr<TrainingRunner>> trainings_;
  std::vector<ServiceInfo> infos_;
  std::vector<double> trainings_per_s_;
  std::atomic<bool> ready_{false};

  mutable std::mutex mutex_;  ///< of all below but what only run() touches
  std::condition_variable arrived_;
  Execution execution_;
  std::unordered_map<uint64_t, InferRequest> accepted_;  ///< that wait, by the scheduler's names
  std::vector<ShapeKeys> shapes_;                        ///< of each service's requests
  ServingTimeline timeline_;
  uint64_t next_id_ = 0;

  std::unique_lock<std::mutex>* turn_ = nullptr;  ///< of run()
  Status failed_;                                 ///< of a training
  std::vector<Span> spans_;
  DurationModel saving_;
  bool unsaved_ = false;
  int64_t saved_ns_ = 0;
};

}  // namespace flyball
