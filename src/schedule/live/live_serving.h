// The scheduler with real clocks: requests come in from any thread, and the thread that calls run()
// is the only one that computes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "schedule/live_result.h"
#include "schedule/live_timeline.h"
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
  /// Keeps the training as it stands on disk.
  virtual Status save() = 0;
};

/// A new plan for what is being served.
struct LiveChange {
  Replan why{};                           ///< with the mode in words; when is told by who follows
  std::vector<int64_t> largest_batch{};   ///< of each service
  std::vector<double> trainings_per_s{};  ///< planned, of each training; empty: none planned
  std::function<Status()> set_mode{};     ///< called in the thread of run(); empty: the mode stays
  std::function<bool()> mode_is_set{};    ///< the board is in it: no switch; empty: it is not
  bool only_in_gap = false;  ///< the switch waits for a gap that holds it, however long
  double switch_s = 0;       ///< that setting the mode takes
  /// Called by run() once it has been followed, or its mode could not be set; must not block.
  std::function<void()> followed{};
  std::vector<DurationModel> services{};   ///< expected in the new mode; empty: what was learned
  std::vector<DurationModel> trainings{};  ///< stays
};

/// What minibatches take at present: medians in ns, of a service those of its largest batch.
struct LiveDurations {
  std::vector<double> services, trainings;
};

struct LiveServingOptions {
  DurationOptions durations{};
  double checkpoint_s = 30;  ///< at most so much training is lost when the process is killed
  double warm_up_s = 10;     ///< of each service and training at most
  size_t most_spans = 0;     ///< of the timeline that is kept, some 150 bytes each
  const std::atomic<bool>* stop = nullptr;  ///< drains once it is set; may be null
  /// Called with each arrival, in the thread of submit(); must not block.
  std::function<void(size_t service, int64_t now_ns)> arrived{};
  /// Called by run() with each minibatch that has ended; must not block.
  std::function<void(const Decision& what, int64_t begin_ns, int64_t end_ns)> ran{};
  std::function<Status()> saved{};  ///< called by run() when the trainings have been kept
  /// Called when serving begins (by warm_up(), right before ready()), and when all has been
  /// answered (by run(), before the trainings are kept): what costs between them is serving's.
  std::function<void()> begins{}, answered{};
};

class LiveServing final : public Serving {
 public:
  explicit LiveServing(LiveServingOptions options) : options_(options) {}

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
  /// From any thread: a new plan, followed before the next decision; its mode is set in a gap that
  /// holds the switch (switch_waits()). One that still waits is replaced.
  void change(LiveChange change);
  LiveDurations durations() const;
  /// From any thread: mean power of a stretch of time, for the timeline; NaN: not known.
  void told_power(int64_t begin_ns, int64_t end_ns, double watts);
  /// From any thread: no request is taken from now on, run() ends.
  void drain();

  const std::vector<ServiceInfo>& services() const override { return infos_; }
  bool ready() const override { return ready_; }
  InferAnswer turn_away(size_t service) override;
  void submit(size_t service, InferRequest request) override;

  /// How it stands; from any thread.
  LiveResult snapshot() const;
  /// What ran when, for a timeline; once run() has ended.
  const std::vector<Span>& spans() const { return spans_; }
  /// The same in windows, with requests; once run() has ended and nobody submits.
  const LiveTimeline& timeline() const { return timeline_; }
  int64_t began_ns() const { return began_ns_; }
  /// Time that decisions took themselves, seconds in all and the longest.
  double deciding_s() const { return deciding_s_; }
  double longest_decision_s() const { return longest_decision_s_; }

 private:
  Status warm_up_service(size_t service);
  Status warm_up_training(size_t training);
  int64_t chosen_batch(size_t service) const;
  Decision next(std::unique_lock<std::mutex>& lock, int64_t until_ns);
  bool change_switches() const;
  double coming_pause_ns(int64_t now_ns) const;
  void follow_change(std::unique_lock<std::mutex>& lock);
  void count_planned(int64_t now_ns);
  void answer(const Decision& decision, std::vector<InferRequest> requests,
              const std::vector<Waiting>& waited);
  Status train(size_t training);
  Status save_when_due(bool at_end);
  Status save_all(bool at_end);
  void end_result();
  void count_arrival(size_t service, int64_t now_ns, bool refused);
  bool checkpoint_due(double at_ns) const;
  double saving_ns() const;
  void note(const std::string& track, std::string name, int64_t begin_ns, int64_t end_ns);

  LiveServingOptions options_;
  std::vector<ServiceRules> service_rules_;
  std::vector<TrainingRules> training_rules_;
  std::vector<std::unique_ptr<InferenceRunner>> runners_;
  std::vector<std::unique_ptr<TrainingRunner>> trainings_;
  std::vector<ServiceInfo> infos_;
  std::atomic<bool> ready_{false};

  mutable std::mutex mutex_;  ///< of all below but what only run() touches
  std::condition_variable arrived_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unordered_map<uint64_t, InferRequest> accepted_;  ///< that wait, by the scheduler's names
  std::vector<ShapeKeys> shapes_;                        ///< of each service's requests
  LiveResult result_;
  LiveTimeline timeline_;
  uint64_t next_id_ = 0;
  int64_t began_ns_ = 0, ended_ns_ = 0;
  std::optional<LiveChange> change_;
  int64_t change_since_ns_ = 0, plan_since_ns_ = 0;
  std::vector<double> trainings_per_s_;
  double checkpoint_follows_ns_ = 0;  ///< what runs: how long it takes; 0: none does

  std::vector<Span> spans_;
  DurationModel saving_;
  bool unsaved_ = false;
  int64_t saved_ns_ = 0;
  double deciding_s_ = 0, longest_decision_s_ = 0;
};

}  // namespace flyball
