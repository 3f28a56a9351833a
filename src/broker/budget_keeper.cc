#include "broker/budget_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace flyball {
namespace {

constexpr double least_training = 0.05;  // of the time: no training stands still
constexpr double less_for_service = 0.7, more_again = 1.25;
constexpr double enough_less = 0.5;  // of the time: a service late all the same has other reasons
constexpr double lighter = 0.9;      // power by that when a mode broke the budget: tried again
constexpr double used_part = 0.9;    // of its limit, that training must have had for it to matter
constexpr size_t calm_windows = 6;   // before a limit that helped a service is relaxed
constexpr size_t least_late = 2;     // turns: one alone says nothing
constexpr size_t first_let_be = 6, most_let_be = 360;  // windows, of a mode that cannot be set

double late_share(const KeeperWindow& seen) {
  return static_cast<double>(seen.late) / static_cast<double>(std::max<size_t>(1, seen.served));
}

double trained(const KeeperWindow& seen) {
  return std::min(1.0, seen.training_s / seen.seconds);
}

}  // namespace

BudgetKeeper::BudgetKeeper(KeeperOptions options)
    : options_(options), modes_(options.modes), mode_(options.mode), before_(options.mode) {}

std::optional<KeeperStep> BudgetKeeper::look(const KeeperWindow& seen) {
  for (Mode& mode : modes_) mode.let_be -= std::min<size_t>(1, mode.let_be);
  if (seen.turns == 0 || !(seen.seconds > 0)) return std::nullopt;
  const bool beyond = is_beyond(seen.power_w);
  const bool late = is_late(seen);
  beyond_ = beyond ? beyond_ + 1 : 0;
  late_ = late ? late_ + 1 : 0;
  calm_ = beyond || late ? 0 : calm_ + 1;
  if (const auto mode = higher(); mode && !beyond && seen.power_w > 0)
    if (Mode& above = modes_[*mode]; above.broke_w > 0 && !(above.below_w > 0))
      above.below_w = seen.power_w;
  std::optional<KeeperStep> step;
  if (beyond_ >= options_.patience)
    step = draw_less(seen);
  else if (late_ >= options_.patience)
    step = hurry(seen);
  else if (calm_ > 0)
    step = give_back(seen);
  if (step && (step->mode || step->training)) beyond_ = late_ = calm_ = 0;
  return step;
}

bool BudgetKeeper::is_late(const KeeperWindow& seen) const {
  return seen.late >= least_late && late_share(seen) > options_.late_share;
}

std::optional<size_t> BudgetKeeper::lower() const {
  for (size_t mode = mode_ + 1; mode < modes_.size(); ++mode)
    if (modes_[mode].let_be == 0) return mode;
  return std::nullopt;
}

std::optional<size_t> BudgetKeeper::higher() const {
  for (size_t mode = mode_; mode-- > 0;)
    if (modes_[mode].let_be == 0) return mode;
  return std::nullopt;
}

// Nobody knows beforehand what a mode will draw that has not been tried: it is, for a window.
bool BudgetKeeper::may_climb(const KeeperWindow& seen) const {
  const auto mode = higher();
  if (!mode || !(seen.power_w <= options_.budget_w)) return false;
  const Mode& above = modes_[*mode];
  if (!(above.broke_w > 0)) return true;
  return above.below_w > 0 && seen.power_w < lighter * above.below_w &&
         above.broke_w * seen.power_w / above.below_w <= options_.budget_w;
}

std::optional<KeeperStep> BudgetKeeper::set_mode(size_t mode, std::string why) {
  before_ = std::exchange(mode_, mode);
  late_before_.reset();
  told_ = false;
  return KeeperStep{.mode = mode, .why = std::move(why)};
}

std::optional<KeeperStep> BudgetKeeper::tell_once(std::string why) {
  if (std::exchange(told_, true)) return std::nullopt;
  return KeeperStep{.why = std::move(why) + ", and nothing is left to be done: it stays as it is"};
}

// Of the time that trainings have had, where that is less than their limit.
std::optional<KeeperStep> BudgetKeeper::limit_training(const KeeperWindow& seen, double part,
                                                       std::string why) {
  const double had = std::min(training_, trained(seen));
  const double next = std::max(least_training, had * part);
  if (!(had > 0) || !(next < training_)) return tell_once(std::move(why));
  training_ = next;
  told_ = false;
  return KeeperStep{.training = next, .why = std::move(why)};
}

std::optional<KeeperStep> BudgetKeeper::draw_less(const KeeperWindow& seen) {
  std::string why =
      fmt::format("{:.3g} W are drawn, of a budget of {:g} W", seen.power_w, options_.budget_w);
  if (const auto mode = lower()) {
    modes_[mode_].broke_w = seen.power_w;
    modes_[mode_].below_w = 0;
    return set_mode(*mode, std::move(why));
  }
  return limit_training(seen, options_.budget_w / seen.power_w, std::move(why));
}

std::optional<KeeperStep> BudgetKeeper::hurry(const KeeperWindow& seen) {
  std::string why =
      fmt::format("{} of {} turns of {} were late", seen.late, seen.served, seen.service);
  if (may_climb(seen)) return set_mode(*higher(), std::move(why));
  if (vain_) return std::nullopt;
  if (late_before_ && training_ < enough_less && late_share(seen) > 0.9 * *late_before_) {
    vain_ = true;
    late_before_.reset();
    training_ = 1;
    return KeeperStep{.training = 1, .why = why + ", with less training, too"};
  }
  if (!late_before_) late_before_ = late_share(seen);
  return limit_training(seen, less_for_service, std::move(why));
}

std::optional<KeeperStep> BudgetKeeper::give_back(const KeeperWindow& seen) {
  if (!(seen.power_w <= options_.budget_w)) return std::nullopt;
  if (training_ < 1) {
    if (trained(seen) < used_part * training_) return std::nullopt;  // it is not what limits them
    if (late_before_ && calm_ < calm_windows) return std::nullopt;
    const double fits = std::min(more_again, options_.budget_w / seen.power_w);
    const double next = std::min(1.0, training_ * fits);
    if (next < 1.02 * training_ && next < 1) return std::nullopt;
    training_ = next;
    if (next >= 1) late_before_.reset();
    return KeeperStep{.training = next,
                      .why = fmt::format("{:.3g} W are drawn, of a budget of {:g} W, and no "
                                         "service is late",
                                         seen.power_w, options_.budget_w)};
  }
  if (!may_climb(seen)) return std::nullopt;
  return set_mode(*higher(), fmt::format("{:.3g} W are drawn, of a budget of {:g} W: the next "
                                         "higher mode is tried",
                                         seen.power_w, options_.budget_w));
}

void BudgetKeeper::could_not_set() {
  Mode& mode = modes_[mode_];
  mode.back_off = std::clamp(2 * mode.back_off, first_let_be, most_let_be);
  mode.let_be = mode.back_off;
  mode_ = before_;
}

void BudgetKeeper::clients_changed() {
  for (Mode& mode : modes_) mode.broke_w = mode.below_w = 0;
  beyond_ = late_ = calm_ = 0;
  late_before_.reset();
  vain_ = told_ = false;
}

}  // namespace flyball
