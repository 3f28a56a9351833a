#include "history/history.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"

namespace flyball {

Reading Record::value() const {
  if (readings.size() == 1) return readings.front();
  std::vector<double> times, powers, excesses;
  for (const Reading& reading : readings) {
    times.push_back(reading.minibatch_ms);
    excesses.push_back(reading.excess);
    if (!std::isnan(reading.power_w)) powers.push_back(reading.power_w);
  }
  Reading middle;
  if (!times.empty()) middle.minibatch_ms = median(times);
  if (!powers.empty()) middle.power_w = median(powers);
  if (!excesses.empty()) middle.excess = median(excesses);
  return middle;
}

History::History(const std::shared_ptr<const Problem>& problem)
    : problem_(*problem), records_(problem_.roles.size()), counted_(problem_.roles.size()) {}

void History::record(size_t role, size_t candidate, const Reading& reading,
                     const std::string& failure, Made made) {
  Record& entry = records_[role][candidate];
  const bool again = !entry.readings.empty();
  if (failure.empty() && reading.minibatch_ms > 0) {
    entry.readings.push_back(reading);
    has_power_ = has_power_ || !std::isnan(reading.power_w);
    blind_readings_ += std::isnan(reading.power_w);
  } else if (entry.failed()) {
    entry.failure = failure.empty() ? "the trial gave no time" : failure;
  }
  entry.tried = entry.tried || made != Made::never;
  readings_made_ += made != Made::never;
  if (made == Made::now) {
    ++trials_;
    counted_[role].insert(candidate);
  }
  if (know_usual(candidate, entry) || again)
    choose_again();  // the old value may have been too good
  else
    consider(role, candidate);
}

const Record* History::find(size_t role, size_t candidate) const {
  const auto found = records_[role].find(candidate);
  return found == records_[role].end() ? nullptr : &found->second;
}

std::optional<size_t> History::missing(std::span<const size_t> choice) const {
  size_t missing = 0;
  for (size_t role = 0; role < choice.size(); ++role) {
    const Record* record = find(role, choice[role]);
    if (record && record->failed()) return std::nullopt;
    missing += !record;
  }
  return missing;
}

size_t History::count_profiles(const std::vector<std::set<size_t>>& measured) const {
  const Candidates& all = *problem_.candidates;
  std::map<size_t, size_t> of_mode;  // the larger number of trials that one role needed there
  for (size_t role = 0; role < all.roles(); ++role) {
    std::map<size_t, size_t> own;
    for (size_t candidate : measured[role]) ++own[all.mode_of(role, candidate)];
    for (const auto& [mode, trials] : own) of_mode[mode] = std::max(of_mode[mode], trials);
  }
  size_t count = 0;
  for (const auto& [mode, trials] : of_mode) count += trials;
  return count;
}

size_t History::profiles_with(std::span<const size_t> choice) const {
  auto measured = counted_;
  for (size_t role = 0; role < choice.size(); ++role)
    if (!find(role, choice[role])) measured[role].insert(choice[role]);
  return count_profiles(measured);
}

size_t History::profiles_after(size_t role, size_t candidate) const {
  auto measured = counted_;
  if (!find(role, candidate)) measured[role].insert(candidate);
  return count_profiles(measured);
}

size_t History::profiles() const {
  return count_profiles(counted_);
}

void History::consider(size_t role, size_t candidate) {
  const Candidates& all = *problem_.candidates;
  const auto weigh = [&](std::span<const size_t> choice) {
    std::array<Reading, 2> values;
    for (size_t r = 0; r < choice.size(); ++r) {
      const Record* record = find(r, choice[r]);
      if (!record || record->failed()) return;
      values[r] = record->value();
    }
    const Outcome found = outcome(problem_, {values.data(), choice.size()}, choice);
    if (!best_ || found.better_than(best_->outcome))
      best_ = Choice{{choice.begin(), choice.end()}, found};
  };
  if (all.roles() == 1) return weigh(std::array{candidate});
  const size_t other = 1 - role, mode = all.mode_of(role, candidate);
  const auto weigh_with = [&](size_t partner) {
    weigh(role == 0 ? std::array{candidate, partner} : std::array{partner, candidate});
  };
  if (problem_.separate_modes)
    for (const auto& [partner, record] : records_[other]) weigh_with(partner);
  else
    for (const size_t partner : all.of_mode(other, mode)) weigh_with(partner);
}

// A limit on the slowdown is one against all readings of the default.
bool History::know_usual(size_t candidate, const Record& entry) {
  if (problem_.usual != candidate || problem_.budgets.slowdown == unlimited) return false;
  if (!entry.failed())
    problem_.usual_ms = problem_.compared_ms(entry.value().minibatch_ms, candidate);
  return true;
}

void History::choose_again() {
  best_.reset();
  for (const auto& [candidate, record] : records_[0]) consider(0, candidate);
}

Readings History::readings() const {
  Readings all;
  for (size_t role = 0; role < records_.size(); ++role) {
    all.emplace_back(problem_.candidates->size(role));
    for (const auto& [candidate, record] : records_[role]) all[role][candidate] = record.value();
  }
  return all;
}

}  // namespace flyball
