#include "search/doubt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/distributions.h"
#include "predict/design/design.h"
#include "predict/gp/gp.h"
#include "search/posterior.h"
#include "space/ranked_space.h"

namespace flyball {
namespace {

// Four standard deviations: where the process itself stops believing a row (GpPriors::outlier). A
// nearer reading it takes as noise; one beyond it would leave aside, and a second trial is cheaper.
const double outlier_sd = std::sqrt(GpPriors{}.outlier);
// Above the 5 % by which one board's readings spread within 15 hours at most (POMACS 2022, section
// 5.4), and where suspicious_power() counts a row as faulty: a smaller miss is no fault.
constexpr double least_contradiction = 0.06;
constexpr double disagreement = 0.03;  // of two readings of one trial; then a third decides
// A factor of 1.5: beyond its neighbours a default is doubted only where it is far off.
constexpr double least_contradiction_outside = 0.405;
constexpr size_t least_neighbours = 4;
constexpr double believable_later = 1.5;      // many are judged then: six deviations and 9 %
constexpr size_t least_neighbours_later = 8;  // one of those that came since may be wrong itself
constexpr size_t most_neighbours = 60;        // more say no more of one place, and the fit is cubic
constexpr size_t most_repeats = 2;

/// The other measured configurations nearest to a candidate, with their readings.
WorkloadTable neighbours(const History& history, size_t role, size_t own) {
  const Space& space = history.problem().candidates->space(role);
  const RankedSpace ranks = rank_axes(space);
  std::vector<std::pair<double, size_t>> others;
  for (const auto& [candidate, record] : history.of_role(role))
    if (candidate != own && !record.failed())
      others.emplace_back(ranks.distance(own, candidate), candidate);
  std::ranges::sort(others);
  if (others.size() > most_neighbours) others.resize(most_neighbours);
  WorkloadTable table = empty_table(history.problem().roles[role], space);
  // A reading is doubted for other readings only, not for what is known beforehand.
  table.prior = nullptr;
  table.cost.reset();
  const auto add = [&](size_t candidate, const Reading& reading) {
    table.add(space.row(candidate), reading.minibatch_ms, reading.power_w);
  };
  for (const auto& [far, candidate] : others) {
    const Record& record = *history.find(role, candidate);
    if (record.readings.size() > 2)
      add(candidate, record.value());  // one of them was doubted
    else
      for (const Reading& reading : record.readings) add(candidate, reading);
  }
  return table;
}

bool lies_within(std::span<const double> row, const Space& box) {
  for (size_t d = 0; d < row.size(); ++d) {
    bool below = false, above = false;
    for (size_t other = 0; other < box.size(); ++other) {
      below = below || box.row(other)[d] <= row[d];
      above = above || box.row(other)[d] >= row[d];
    }
    if (!below || !above) return false;
  }
  return true;
}

bool apart(const Reading& a, const Reading& b) {
  return std::abs(std::log(a.minibatch_ms / b.minibatch_ms)) > disagreement ||
         std::abs(std::log(a.power_w / b.power_w)) > disagreement;
}

/// How often the miss that would just be believed; 0 where there is nothing to compare.
double severity_of(double value, const Estimates& expected, double least) {
  if (expected.mean.empty() || !(value > 0)) return 0;
  const double sd = std::log(expected.hi90[0] / expected.lo90[0]) / (2 * z90);
  return std::abs(std::log(value / expected.mean[0])) / std::max(least, outlier_sd * sd);
}

/// "12 ms where its neighbours let expect 20 ms"
std::string against(double value, const char* unit, const Estimates& expected) {
  return fmt::format("it read {:.3g} {} where its neighbours let expect {:.3g} {}", value, unit,
                     expected.mean[0], unit);
}

size_t others_of(const History& history, size_t role) {
  size_t measured = 0;
  for (const auto& [candidate, record] : history.of_role(role)) measured += !record.failed();
  return std::min(most_neighbours, measured - std::min<size_t>(measured, 1));
}

}  // namespace

Doubt::Doubt(const SearchOptions& options)
    : seed_(options.seed),
      default_choice_(options.default_choice),
      references_(options.references) {}

bool Doubt::is_default(const Key& key) const {
  return key.first < default_choice_.size() && default_choice_[key.first] == key.second;
}

Doubt::Contradiction Doubt::contradiction(const History& history, const Key& key,
                                          const Reading& reading) const {
  const auto& [role, candidate] = key;
  const Space& space = history.problem().candidates->space(role);
  const WorkloadTable rows = neighbours(history, role, candidate);
  const bool within = lies_within(space.row(candidate), rows.space);
  if (!within && !is_default(key)) return {};
  std::span<const WorkloadTable> references;
  if (role < references_.size() && references_[role]) references = *references_[role];
  const auto model = references.empty() ? make_gp() : make_transfer_gp();
  if (!model->fit(rows, references, {seed_}).ok()) return {};
  const auto expected = model->predict(space.subset(std::array{candidate}));
  if (!expected.ok()) return {};
  const double least = within ? least_contradiction : least_contradiction_outside;
  const double time = severity_of(reading.minibatch_ms, expected->minibatch_ms, least);
  const double power = severity_of(reading.power_w, expected->power_w, least);
  if (std::max(time, power) <= 1) return {};
  return time > 1 ? Contradiction{time, against(reading.minibatch_ms, "ms", expected->minibatch_ms)}
                  : Contradiction{power, against(reading.power_w, "W", expected->power_w)};
}

std::optional<Ask> Doubt::worst_contradiction(const History& history, const Key& told) {
  Contradiction worst;
  Key where;
  for (size_t role = 0; role < history.problem().roles.size(); ++role) {
    const size_t others = others_of(history, role);
    if (others < least_neighbours) continue;
    for (const auto& [candidate, record] : history.of_role(role)) {
      const Key key(role, candidate);
      if (record.readings.size() != 1 || repeats_[key] == most_repeats) continue;
      if (key != told && others < std::max(least_neighbours_later, 2 * believed_[key])) continue;
      Contradiction found = contradiction(history, key, record.readings[0]);
      const double believable = key == told ? 1 : believable_later;
      if (found.severity <= believable) believed_[key] = others;
      if (found.severity <= std::max(believable, worst.severity)) continue;
      worst = std::move(found);
      where = key;
    }
  }
  if (worst.severity == 0) return {};
  return Ask{where.first, where.second, worst.why, true};
}

std::optional<Ask> Doubt::again(const History& history, const Ask& told) {
  const Record* record = history.find(told.role, told.candidate);
  const Key key(told.role, told.candidate);
  std::optional<Ask> ask;
  if (record && record->readings.size() == 2 && repeats_[key] < most_repeats &&
      apart(record->readings[0], record->readings[1]))
    ask = Ask{told.role, told.candidate, "its two readings disagree", true};
  else
    ask = worst_contradiction(history, key);
  if (ask) ++repeats_[{ask->role, ask->candidate}];
  return ask;
}

}  // namespace flyball
