// How a power budget is kept where nobody profiled what runs: window by window, by what was seen.
// Modes form a ladder, the fastest first, of which one is set; trainings may be kept to a part of
// the time. Pure decisions: what was seen comes in with each call.
//
// - Beyond the budget the next lower mode is set. Below the lowest, trainings have less of the
//   time, as far as the power lies beyond the budget.
// - Where a service is late and power is left, the next higher mode is set; where none may be, the
//   trainings have less of the time, and have it back if that makes no service sooner.
// - Where both hold, trainings get their time back, and then the next higher mode is tried. One
//   that has broken the budget is tried again once what runs draws noticeably less than then, or
//   other clients run.
// - A mode that could not be set is passed over for some windows, then for twice as many.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace flyball {

struct KeeperOptions {
  double budget_w = 0;
  double slack = 1.03;       ///< power above this times the budget is beyond it
  double late_share = 0.01;  ///< of a service's turns that may be late
  size_t modes = 1;          ///< of the ladder
  size_t mode = 0;           ///< that is set; 0: the fastest
  size_t patience = 1;       ///< windows in a row before something is done about them
};

/// What was seen in one mode with one limit on trainings.
struct KeeperWindow {
  double seconds = 0;
  double power_w = std::numeric_limits<double>::quiet_NaN();  ///< mean; NaN: not known
  double training_s = 0;        ///< that trainings had the accelerator for
  size_t turns = 0;             ///< that ended; without any nothing is decided
  size_t served = 0, late = 0;  ///< of them, of the service that was late most often
  std::string service{};        ///< its name
};

/// What changes, and why.
struct KeeperStep {
  std::optional<size_t> mode{};
  std::optional<double> training{};  ///< part of the time that trainings may have; 1: all
  std::string why{};                 ///< neither: nothing can be done, which is told once

  bool operator==(const KeeperStep&) const = default;
};

class BudgetKeeper {
 public:
  explicit BudgetKeeper(KeeperOptions options);

  /// A window has ended. Nothing: all stays as it is.
  std::optional<KeeperStep> look(const KeeperWindow& seen);
  /// The mode of the last step could not be set: that before stays, and it is let be for a while.
  void could_not_set();
  /// Other clients run from now on: what was seen says little of them.
  void clients_changed();

  /// Is so much power too much? Not known (NaN) is not.
  bool is_beyond(double power_w) const { return power_w > options_.budget_w * options_.slack; }
  size_t mode() const { return mode_; }
  double training() const { return training_; }

 private:
  struct Mode {
    double broke_w = 0;   ///< the power with which it broke the budget; 0: it has not
    double below_w = 0;   ///< what the next lower mode drew then; 0: not known yet
    size_t let_be = 0;    ///< windows, since it could not be set
    size_t back_off = 0;  ///< how many those were at first
  };
  std::optional<KeeperStep> draw_less(const KeeperWindow& seen);
  std::optional<KeeperStep> hurry(const KeeperWindow& seen);
  std::optional<KeeperStep> give_back(const KeeperWindow& seen);
  std::optional<KeeperStep> limit_training(const KeeperWindow& seen, double part, std::string why);
  std::optional<KeeperStep> set_mode(size_t mode, std::string why);
  std::optional<KeeperStep> tell_once(std::string why);
  bool is_late(const KeeperWindow& seen) const;
  std::optional<size_t> lower() const;
  std::optional<size_t> higher() const;
  bool may_climb(const KeeperWindow& seen) const;

  KeeperOptions options_;
  std::vector<Mode> modes_;
  size_t mode_, before_;
  double training_ = 1;
  size_t beyond_ = 0, late_ = 0, calm_ = 0;  ///< windows in a row
  std::optional<double> late_before_;  ///< share, when trainings were limited for a late service
  bool vain_ = false;                  ///< less training has made no service sooner
  bool told_ = false;
};

}  // namespace flyball
