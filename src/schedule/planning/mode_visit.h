// A stay in a power mode that nobody has profiled: what is observed there, and when it has to end.
#pragma once

#include "schedule/planning/mode_explorer.h"
#include "schedule/serving_result.h"

namespace flyball {

struct VisitOptions {
  double stretch_s = 10;  ///< that is served in the mode, at least …
  size_t runs = 20;       ///< … and until each role has run so many minibatches …
  double most_s = 60;     ///< … but not longer
  double settle_s = 1;    ///< after the switch, from which on power counts
  double power_slack = 1.03;
};

/// Sums over the runs of one role since the beginning.
struct RoleSums {
  double busy_s = 0, energy_j = 0;
};
std::vector<RoleSums> sums_of(const Problem& problem, const ServingResult& result);
/// Requests that were late or refused.
size_t lost_of(const ServingResult& result);

class ModeVisit {
 public:
  /// Asked for now; `before`: how the run stands.
  ModeVisit(const Problem& problem, ModePromise promise, const ServingResult& before,
            int64_t now_ns, VisitOptions options = {});

  size_t mode() const { return promise_.mode; }
  const ModePromise& promise() const { return promise_; }
  int64_t asked_ns() const { return asked_ns_; }
  bool begun() const { return begun_ns_ >= 0; }
  /// The switch has not begun; how the run stands.
  void waits(const ServingResult& now) { lost_before_ = lost_of(now); }
  /// The board is in the mode.
  void begin(int64_t now_ns) { begun_ns_ = now_ns; }
  /// A minibatch of a role has ended there.
  void ran(size_t role, int64_t samples, int64_t begin_ns, int64_t end_ns);
  /// Why the latency or the power budget is in danger; "": they are not.
  std::string danger(const ServingResult& now, int64_t now_ns);
  bool complete(int64_t now_ns) const;
  /// Enters what was observed as readings of the mode; says what that was.
  MeasuredMode learn(Readings& readings, const ServingResult& now, int64_t now_ns) const;

 private:
  struct Run {
    int64_t samples;
    double took_ms;
  };
  double seconds(int64_t now_ns) const {
    return begun() ? static_cast<double>(now_ns - begun_ns_) * 1e-9 : 0;
  }
  static bool ran_between(const std::vector<Run>& runs, double batch);
  double power_of_role(size_t role, const ServingResult& now) const;
  double peak_power_w(const ServingResult& now) const;
  void learn_service(size_t role, double power_w, Readings& readings) const;

  const Problem& problem_;
  ModePromise promise_;
  VisitOptions options_;
  size_t lost_before_;
  int64_t asked_ns_, begun_ns_ = -1;
  std::vector<std::vector<Run>> runs_;  ///< by role
  std::vector<RoleSums> settled_{};     ///< when power began to count; empty: it does not yet
};

}  // namespace flyball
