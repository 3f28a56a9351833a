#include "search/doubt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "predict/design.h"
#include "predict/gp.h"
#include "predict/interval.h"
#include "search/belief.h"

namespace flyball {
namespace {

// Four standard deviations: where the process itself stops believing a row (GpPriors::outlier). A
// nearer reading it takes as noise; one beyond it would leave aside, and a second trial is cheaper.
const double outlier_sd = std::sqrt(GpPriors{}.outlier);
// Above the 5 % by which one board's readings spread within 15 hours at most (POMACS 2022, section
// 5.4), and where suspicious_power() counts a row as faulty: a smaller miss is no fault.
constexpr double least_contradiction = 0.06;
constexpr double disagreement = 0.03;  // of two readings of one trial; then a third decides
constexpr size_t least_neighbours = 4;
constexpr size_t most_neighbours = 60;  // more say no more of one place, and the fit is cubic
constexpr size_t most_repeats = 2;

/// The other measured configurations nearest to a candidate, with all their readings.
WorkloadTable neighbours(const Ledger& ledger, const Ask& asked) {
  const Space& space = ledger.problem().candidates->space(asked.role);
  const RankedSpace ranks = rank_axes(space);
  std::vector<std::pair<double, size_t>> others;
  for (const auto& [candidate, record] : ledger.of_role(asked.role))
    if (candidate != asked.candidate && !record.failed())
      others.emplace_back(ranks.distance(asked.candidate, candidate), candidate);
  std::ranges::sort(others);
  if (others.size() > most_neighbours) others.resize(most_neighbours);
  WorkloadTable table = empty_table(ledger.problem().roles[asked.role], space);
  if (others.size() < least_neighbours) return table;
  for (const auto& [far, candidate] : others)
    for (const Reading& reading : ledger.find(asked.role, candidate)->readings)
      table.add(space.row(candidate), reading.minibatch_ms, reading.power_w);
  return table;
}

bool apart(const Reading& a, const Reading& b) {
  return std::abs(std::log(a.minibatch_ms / b.minibatch_ms)) > disagreement ||
         std::abs(std::log(a.power_w / b.power_w)) > disagreement;
}

/// "12 ms where its neighbours let expect 20 ms", or "".
std::string beyond(double value, const char* unit, const Estimates& expected) {
  if (expected.mean.empty() || !(value > 0)) return "";
  const double sd = std::log(expected.hi90[0] / expected.lo90[0]) / (2 * z90);
  const double miss = std::abs(std::log(value / expected.mean[0]));
  if (miss <= least_contradiction || miss <= outlier_sd * sd) return "";
  return fmt::format("{:.3g} {} where its neighbours let expect {:.3g} {}", value, unit,
                     expected.mean[0], unit);
}

}  // namespace

Doubt::Doubt(const SearchOptions& options) : seed_(options.seed), references_(options.references) {}

std::string Doubt::contradiction(const Ledger& ledger, const Ask& asked,
                                 const Reading& reading) const {
  const WorkloadTable rows = neighbours(ledger, asked);
  const Space& space = ledger.problem().candidates->space(asked.role);
  if (rows.size() == 0) return "";
  std::span<const WorkloadTable> references;
  if (asked.role < references_.size() && references_[asked.role])
    references = *references_[asked.role];
  const auto model = references.empty() ? make_gp() : make_transfer_gp();
  if (!model->fit(rows, references, {seed_}).ok()) return "";
  const auto expected = model->predict(space.subset(std::array{asked.candidate}));
  if (!expected.ok() || expected->extrapolated[0]) return "";
  const std::string time = beyond(reading.minibatch_ms, "ms", expected->minibatch_ms);
  return time.empty() ? beyond(reading.power_w, "W", expected->power_w) : time;
}

std::optional<Ask> Doubt::again(const Ledger& ledger, const Ask& asked) {
  const Record* record = ledger.find(asked.role, asked.candidate);
  size_t& repeats = repeats_[{asked.role, asked.candidate}];
  if (!record || record->failed() || repeats == most_repeats) return {};
  const auto& readings = record->readings;
  std::string why;
  if (readings.size() == 1) {
    why = contradiction(ledger, asked, readings[0]);
    if (!why.empty()) why = "it read " + why;
  } else if (readings.size() == 2 && repeats > 0 && apart(readings[0], readings[1])) {
    why = "its two readings disagree";
  }
  if (why.empty()) return {};
  ++repeats;
  return Ask{asked.role, asked.candidate, why, true};
}

}  // namespace flyball
