// Plans anew while it serves, beside the thread that computes: where the rate of the arrivals has
// changed, where minibatches take longer than was profiled, where more power is drawn than may be.
// Measures modes that nobody has profiled in the gaps, where it is asked to.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "schedule/planning/mode_visit.h"
#include "schedule/planning/replanner.h"

namespace flyball {

/// What a planner looks at and acts on; all of it outlives the planner, and is thread-safe.
struct ServingChoice {
  std::function<JobDurations()> durations{};  ///< what minibatches take at present
  std::function<double()> power_w{};          ///< at present; NaN: not known
  std::function<void(PlanChange)> change{};   ///< hands a new plan over
  /// Sets a mode of the candidates, in the thread that serves; empty: modes stay as they are.
  std::function<Status(size_t mode)> set_mode{};
  /// Is the board still in the mode that was set last? No, where others have put it back, or
  /// another one was tried in vain, until it is set again. Empty: it is.
  std::function<bool()> mode_stands{};
  /// How the run stands, with the energy of each role so far; asked where modes are measured.
  std::function<ServingResult()> stands{};
};

struct ServingPlannerOptions {
  ReplanOptions replan{};
  QueueRules queue{};
  double look_s = 0.1;  ///< how often it looks at arrivals …
  double drift_s = 10;  ///< … and at durations and power
  double drift = 1.2;   ///< a ratio to what the plan expects, up or down, that makes a new one
  double power_slack = 1.03;   ///< power above this times the budget does, too, where it is not
                               ///< what is expected by now
  bool mode_is_set = true;     ///< the board is in the mode of the choice that it begins at
  size_t first_arrivals = 64;  ///< of a service, from which rates that nobody told are known
  double back_off_s = 60;  ///< a mode that could not be set is let be so long, then twice as long
  double gap_s = 30;       ///< a switch to a mode to be measured waits for a gap at most so long
  size_t measure = 0;      ///< modes that nobody profiled and that are measured, at most
  VisitOptions visit{};
  std::optional<int64_t> began_ns{};  ///< of its clock; nothing: now
};

class ServingPlanner {
 public:
  /// `readings` are those of all candidates of the problem (NaN: not profiled). Begins at the
  /// choice that is being executed; `rates_hz` of each service, any 0: not known yet.
  ServingPlanner(Problem problem, Readings readings, std::vector<size_t> choice,
                 std::vector<double> rates_hz, ServingChoice planned,
                 ServingPlannerOptions options = {});
  ~ServingPlanner();
  ServingPlanner(const ServingPlanner&) = delete;
  ServingPlanner& operator=(const ServingPlanner&) = delete;

  /// From any thread, with each arrival, and with each minibatch that has ended.
  void arrived(size_t service, int64_t now_ns);
  void ran(const Decision& what, int64_t begin_ns, int64_t end_ns);
  /// One look; the thread of the planner calls it. Where nothing is started, somebody else.
  void look(int64_t now_ns);
  /// Starts the thread.
  void start();
  /// Ends it, in the middle of a plan as well.
  void stop();

  /// The plan that was handed over last, or the mode that is to be visited.
  const std::vector<size_t>& choice() const { return visit_ ? visit_->promise().choice : choice_; }
  /// Once it is stopped: what was measured, where that was asked for.
  void tell(ServingResult& result) const;

 private:
  struct Arrival {
    size_t service;
    int64_t at_ns;
  };
  struct Ended {
    size_t role;
    int64_t samples, begin_ns, end_ns;
  };
  struct BackOff {
    int64_t until_ns = 0;
    double next_s = 0;
    bool holds = false;
  };
  bool rates_known() const;
  std::vector<Arrival> take_arrivals();
  void watch_arrivals(int64_t now_ns);
  void learn_rates(int64_t now_ns);
  bool drifted(std::string& why);
  bool beyond_budget(std::string& why);
  void watch_drift(int64_t now_ns);
  void plan_again(std::string why);
  void plan_from_board(std::string why);
  void plan_anyway(std::string why);
  void settle_on(const SimulatedChoice& choice, std::string why);
  void hand_over(PlanChange change);
  void stay(std::string why);
  void set_off(PlanChange change, size_t mode, std::vector<size_t> choice);
  Status follow(size_t mode);
  void followed(size_t mode, const std::vector<size_t>& choice);
  /// Of what was handed over: until it is followed, what runs is another plan.
  bool waits() const { return followed_ != handed_over_; }
  void take_failures(int64_t now_ns);
  bool allowed(std::span<const size_t> choice) const;

  void explore(int64_t now_ns);
  bool calm(int64_t now_ns);
  std::optional<ModePromise> promised();
  void begin_visit(ModePromise promise, int64_t now_ns, const std::string& after);
  void look_at_visit(int64_t now_ns);
  void drop_visit();
  void withdraw_visit(const std::string& why);
  MeasuredMode learn_visit(int64_t now_ns, std::string left);
  void end_visit(int64_t now_ns);

  size_t mode_of(std::span<const size_t> choice) const {
    return problem_.candidates->mode_of(0, choice.front());
  }
  bool is_in(size_t mode) const {
    return board_mode_ == static_cast<int64_t>(mode) &&
           (!planned_.mode_stands || planned_.mode_stands());
  }
  std::string in_words(size_t mode) const {
    return describe(problem_.candidates->modes().settings(mode));
  }
  double switch_s() const { return std::max(problem_.switch_ms * 1e-3, longest_switch_s_.load()); }
  ServingProblem live() const { return {&problem_, &readings_, options_.queue}; }

  Problem problem_;
  Readings readings_;
  ServingChoice planned_;
  ServingPlannerOptions options_;
  std::atomic<bool> end_{false};
  Replanner replanner_;
  std::vector<size_t> choice_;
  std::vector<double> rates_hz_;
  std::vector<std::vector<int64_t>> first_;  ///< arrivals while rates are not known
  int64_t began_ns_, next_drift_ns_;
  std::map<size_t, BackOff> back_off_;  ///< by mode

  ModeExplorer explorer_;
  std::optional<ModeVisit> visit_;
  bool explored_ = false;  ///< nothing is promised by what is known
  size_t lost_ = 0;        ///< requests, at the last look
  int64_t lost_ns_ = -1;   ///< when the last ones were; −1: none
  std::vector<MeasuredMode> measured_;
  std::string measuring_gap_;

  std::atomic<int64_t> board_mode_;  ///< that was set last; −1: none
  std::atomic<double> longest_switch_s_{0};
  size_t handed_over_ = 0;           ///< changes, so far
  std::atomic<size_t> followed_{0};  ///< the last of them that was followed
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<Arrival> arrivals_;   ///< since the last look
  std::vector<Ended> ran_;          ///< likewise, while a mode is visited
  std::optional<size_t> observed_;  ///< the mode whose minibatches are kept
  std::vector<size_t> settled_;     ///< the choice that is executed
  std::vector<size_t> failed_;      ///< modes that could not be set since the last look
  std::thread thread_;
};

}  // namespace flyball
