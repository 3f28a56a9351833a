#include "schedule/planning/mode_visit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics.h"

namespace flyball {
namespace {

constexpr size_t least_runs = 3;      // of a role: fewer are no reading
constexpr double least_busy_s = 0.2;  // of a role: its power is not known from less
constexpr double most_ratio = 2;      // of the largest batch that ran to one that is inferred
constexpr double look_power_s = 1;    // after power has settled
constexpr double look_busy_s = 2;     // serving is looked at over
constexpr double all_the_time = 0.95;

/// Medians by batch size, joined by straight lines.
double between(const std::map<int64_t, double>& points, double batch) {
  const auto above = points.lower_bound(static_cast<int64_t>(std::ceil(batch)));
  if (above == points.begin() || static_cast<double>(above->first) == batch) return above->second;
  const auto below = std::prev(above);
  const double part = (batch - static_cast<double>(below->first)) /
                      static_cast<double>(above->first - below->first);
  return below->second + part * (above->second - below->second);
}

}  // namespace

std::vector<RoleSums> sums_of(const Problem& problem, const ServingResult& result) {
  std::vector<RoleSums> sums;
  size_t service = 0, training = 0;
  for (const Role& role : problem.roles)
    if (role.serves()) {
      const ServiceResult& one = result.services[service++];
      sums.push_back({one.busy_s, one.energy_j});
    } else {
      const TrainingResult& one = result.trainings[training++];
      sums.push_back({one.busy_s, one.energy_j});
    }
  return sums;
}

size_t lost_of(const ServingResult& result) {
  size_t lost = 0;
  for (const ServiceResult& service : result.services) lost += service.late + service.refused;
  return lost;
}

ModeVisit::ModeVisit(const Problem& problem, ModePromise promise, const ServingResult& before,
                     int64_t now_ns, VisitOptions options)
    : problem_(problem),
      promise_(std::move(promise)),
      options_(options),
      lost_before_(lost_of(before)),
      asked_ns_(now_ns),
      runs_(problem.roles.size()) {}

void ModeVisit::ran(size_t role, int64_t samples, int64_t begin_ns, int64_t end_ns) {
  runs_[role].push_back({samples, static_cast<double>(end_ns - begin_ns) * 1e-6});
}

double ModeVisit::power_of_role(size_t role, const ServingResult& now) const {
  if (settled_.empty()) return not_measured;
  const std::vector<RoleSums> sums = sums_of(problem_, now);
  double busy_s = sums[role].busy_s - settled_[role].busy_s;
  double energy_j = sums[role].energy_j - settled_[role].energy_j;
  if (busy_s < least_busy_s) {  // too little to tell: as all of them together
    busy_s = energy_j = 0;
    for (size_t other = 0; other < sums.size(); ++other) {
      busy_s += sums[other].busy_s - settled_[other].busy_s;
      energy_j += sums[other].energy_j - settled_[other].energy_j;
    }
  }
  return busy_s >= least_busy_s ? energy_j / busy_s : not_measured;
}

double ModeVisit::peak_power_w(const ServingResult& now) const {
  double most_w = not_measured;
  for (size_t role = 0; role < runs_.size(); ++role)
    most_w = std::fmax(most_w, power_of_role(role, now));
  return most_w;
}

std::string ModeVisit::danger(const ServingResult& now, int64_t now_ns) {
  if (const size_t lost = lost_of(now) - lost_before_; lost > 0)
    return fmt::format("{} request{} late or refused", lost, lost == 1 ? " was" : "s were");
  const double stayed_s = seconds(now_ns);
  if (stayed_s >= options_.settle_s && settled_.empty()) settled_ = sums_of(problem_, now);
  const double budget_w = problem_.budgets.power_w;
  if (const double drawn_w = peak_power_w(now);
      stayed_s >= options_.settle_s + look_power_s && drawn_w > budget_w * options_.power_slack)
    return fmt::format("{:.3g} W are drawn, of a budget of {:g} W", drawn_w, budget_w);
  if (stayed_s < look_busy_s) return "";
  double served_ms = 0;
  for (size_t role = 0; role < runs_.size(); ++role)
    if (problem_.roles[role].serves())
      for (const Run& run : runs_[role]) served_ms += run.took_ms;
  return served_ms * 1e-3 > all_the_time * stayed_s ? "serving takes all the time" : "";
}

bool ModeVisit::complete(int64_t now_ns) const {
  const double stayed_s = seconds(now_ns);
  if (stayed_s < options_.stretch_s) return false;
  return stayed_s >= options_.most_s ||
         std::ranges::all_of(runs_, [&](const auto& runs) { return runs.size() >= options_.runs; });
}

// Sizes between those that ran lie on a straight line between them. The next larger one takes at
// most as long in proportion, where that is not far; where no listed size lies between, the next
// smaller one lasts at most as long as the smallest that ran. Of others nothing is known.
void ModeVisit::learn_service(size_t role, double power_w, Readings& readings) const {
  const Candidates& all = *problem_.candidates;
  std::map<int64_t, std::vector<double>> took_ms;
  for (const Run& run : runs_[role]) took_ms[run.samples].push_back(run.took_ms);
  std::map<int64_t, double> medians;
  for (auto& [samples, times] : took_ms) medians[samples] = median(std::move(times));
  const auto smallest = static_cast<double>(medians.begin()->first);
  const auto largest = static_cast<double>(medians.rbegin()->first);
  std::optional<size_t> below;
  bool found = false, larger = false;
  for (const size_t c : all.of_mode(role, promise_.mode)) {
    const double batch = all.batch(role, c);
    if (batch < smallest) below = c;
    if (batch > largest && batch <= most_ratio * largest && !larger) {
      readings[role][c] = {medians.rbegin()->second * batch / largest, power_w};
      larger = found = true;
    }
    if (batch < smallest || batch > largest) continue;
    readings[role][c] = {between(medians, batch), power_w};
    found = true;
  }
  if (!found && below) readings[role][*below] = {medians.begin()->second, power_w};
}

// Did batches run that are no larger, and some that are no smaller?
bool ModeVisit::ran_between(const std::vector<Run>& runs, double batch) {
  const auto [least, most] = std::ranges::minmax(runs, {}, &Run::samples);
  return static_cast<double>(least.samples) <= batch && batch <= static_cast<double>(most.samples);
}

MeasuredMode ModeVisit::learn(Readings& readings, const ServingResult& now, int64_t now_ns) const {
  MeasuredMode measured;
  measured.seconds = seconds(now_ns);
  measured.mode = describe(problem_.candidates->modes().settings(promise_.mode));
  measured.power_w = peak_power_w(now);
  const bool enough =
      std::ranges::all_of(runs_, [](const auto& runs) { return runs.size() >= least_runs; });
  for (size_t role = 0; role < runs_.size(); ++role) {
    const bool serves = problem_.roles[role].serves();
    (serves ? measured.batches : measured.minibatches) += runs_[role].size();
    if (!enough) continue;
    const double power_w = power_of_role(role, now);
    if (serves) {
      learn_service(role, power_w, readings);
    } else {
      std::vector<double> took_ms;
      for (const Run& run : runs_[role]) took_ms.push_back(run.took_ms);
      readings[role][promise_.choice[role]] = {median(std::move(took_ms)), power_w};
    }
    for (const size_t c : problem_.candidates->of_mode(role, promise_.mode)) {
      const double batch = problem_.candidates->batch(role, c),
                   took_ms = readings[role][c].minibatch_ms;
      if (took_ms > 0 && (!serves || ran_between(runs_[role], batch)))
        measured.observed.push_back({problem_.roles[role].workload, batch, took_ms});
    }
  }
  return measured;
}

}  // namespace flyball
