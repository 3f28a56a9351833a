// Serving and training in turns on one accelerator: the one loop that follows new plans, asks the
// Scheduler what runs next, has an Executor run it and counts what came of it. The executor brings
// the clock: real (live/live_serving.h) or simulated (simulation.h).
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "base/clock.h"
#include "schedule/held_mode.h"
#include "schedule/serving_result.h"
#include "schedule/serving_timeline.h"

namespace flyball {

/// How one job runs in one mode.
struct JobTimeline {
  DurationModel minibatch{};  ///< in simulated time the truth: nothing is observed in it
  double power_w = 0;         ///< while it runs; NaN: not known
  /// What the scheduler is told beforehand, where that is not the truth; nothing known: the truth.
  DurationModel expected{};

  const DurationModel& told() const { return expected.known() ? expected : minibatch; }
};

/// All jobs in one mode with one plan.
struct RunningPlan {
  size_t mode = 0;                               ///< two plans of one mode need no switch
  std::string mode_text{};                       ///< the same in words
  std::vector<JobTimeline> services, trainings;  ///< empty: what was learned stays
  std::vector<int64_t> largest_batch;            ///< of each service; empty: it stays
  std::vector<double> trainings_per_s{};         ///< planned, of each training; empty: none planned
  double idle_w = 0;                             ///< NaN: not known
};

/// A new plan for what is being served.
struct PlanChange {
  RunningPlan plan{};
  Replan why{};              ///< when it is followed and whether it switches, the execution adds
  bool only_in_gap = false;  ///< its switch waits for a gap that holds it, however long
  double switch_s = 0;       ///< that setting the mode takes
  std::function<Status()> set_mode{};   ///< called in the thread of the execution
  std::function<bool()> mode_is_set{};  ///< the board is in it already; empty: it is not
  /// Called once it is followed, or its mode could not be set; never for a change that another one
  /// replaces before, or that waits at the end. Must not block.
  std::function<void()> followed{};
};

/// What minibatches take at present: medians in ns, of a service those of its largest batch.
struct JobDurations {
  std::vector<double> services, trainings;
};

/// Where and in which time an execution runs. Its methods are called by Execution::run() alone,
/// but for switches() and now_ns().
class Executor {
 public:
  virtual ~Executor() = default;
  virtual int64_t now_ns() const = 0;
  /// Before each decision: takes in what has come, and drains at the end. False: ends at once.
  virtual bool look() = 0;
  /// Nothing may run now: returns when something may have come.
  virtual void wait() = 0;
  /// Runs the minibatch that was decided on, and calls Execution::ended(). Requests may arrive
  /// meanwhile.
  virtual void run(const Decision& what) = 0;
  /// Is the mode of the change another one than that which is set?
  virtual bool switches(const PlanChange& change) const = 0;
  /// Sets it; requests may arrive meanwhile.
  virtual Status set_mode(const PlanChange& change) = 0;
};

struct ExecutionOptions {
  DurationOptions durations{};
  Preference preference{};
  /// Durations are measured while it runs: those that were learned stay until the mode changes.
  bool measured = false;
};

/// Not thread-safe: an executor with several threads holds a lock whenever it calls this, and while
/// it is called by it, and may give it up within run(), wait() and set_mode().
class Execution {
 public:
  explicit Execution(Executor& executor, ExecutionOptions options = {});

  /// Before begin(); without a timeline, later too.
  void add(ServiceRules rules);
  void add(TrainingRules rules);
  /// Without a timeline: another one takes the place of one that has left, whose time the result
  /// keeps in a sum.
  void replace(size_t service, ServiceRules rules);
  void replace(size_t training, TrainingRules rules);
  /// The plan is in effect from now on. `timeline` (null: nobody looks) gets the tracks of all
  /// jobs, where it has none.
  void begin(RunningPlan plan, int64_t began_ns, ServingTimeline* timeline);
  /// Until everything is answered after a drain, or the executor ends it.
  void run(int64_t until_ns);
  /// Nothing runs from here on: completes the result.
  void end(int64_t at_ns);

  Admission arrive(size_t service, uint64_t id, int64_t samples, int64_t now_ns,
                   uint64_t shape = 0);
  /// What was decided on has ended. `failed`: requests of a whole batch, in its order, of which
  /// nothing came; none where it is empty.
  void ended(const Decision& what, int64_t begin_ns, int64_t end_ns, Ending ending = Ending::whole,
             std::vector<bool> failed = {});
  /// A request that the scheduler does not see.
  void refuse(size_t service, int64_t now_ns) { count_arrival(service, now_ns, true); }
  /// Is followed before the next decision, its switch in a gap that holds it (switch_waits()).
  /// Replaces one that still waits.
  void change(PlanChange change, int64_t now_ns);
  /// The board has left its mode, as still_set() said: it is set again at once. Told as a new plan,
  /// where it cannot be set, too, once.
  void set_again(HeldMode& held, const Status& lost);
  /// The same where it is time to look, while nothing drains; without the lock while the helper is
  /// asked. `held` may be null.
  template <class Lock>
  void hold_mode(HeldMode* held, Lock& lock) {
    if (!held || scheduler_.draining() || !held->due(monotonic_ns())) return;
    lock.unlock();
    const Status stands = held->still_set();
    lock.lock();
    if (!stands.ok()) set_again(*held, stands);
  }
  /// What runs is followed by something that takes so long, whatever waits, until the next
  /// decision.
  void pause_follows(double ns) { pause_ns_ = ns; }

  Scheduler& scheduler() { return scheduler_; }
  const Scheduler& scheduler() const { return scheduler_; }
  ServingResult& result() { return result_; }
  const ServingResult& result() const { return result_; }
  const RunningPlan& plan() const { return plan_; }
  JobDurations durations() const;
  int64_t began_ns() const { return began_ns_; }
  int64_t until_ns() const { return until_ns_; }
  int64_t ended_ns() const { return ended_ns_; }  ///< 0: it has not

 private:
  void count_arrival(size_t service, int64_t now_ns, bool refused);
  Decision decide();
  void count_batch(const Decision& what, int64_t begin_ns, int64_t end_ns,
                   const std::vector<bool>& failed);
  void follow_change();
  Replan standing() const;
  Status switch_mode(const PlanChange& change, int64_t begin_ns);
  void take_plan(bool durations);
  void count_planned(int64_t now_ns);
  double coming_pause_ns(int64_t now_ns) const;
  std::string blocked(size_t training, size_t service) const;

  Executor& executor_;
  ExecutionOptions options_;
  Scheduler scheduler_;
  ServingResult result_;
  ServingTimeline* timeline_ = nullptr;
  RunningPlan plan_;
  std::optional<PlanChange> change_;
  int64_t began_ns_ = 0, until_ns_ = std::numeric_limits<int64_t>::max(), ended_ns_ = 0;
  int64_t change_since_ns_ = 0, plan_since_ns_ = 0;
  double pause_ns_ = 0;
  bool mode_is_lost_ = false;  ///< and could not be set again
};

}  // namespace flyball
