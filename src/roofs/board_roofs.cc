#include "roofs/board_roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "base/json.h"
#include "base/statistics.h"
#include "space/board_fingerprint.h"
#include "space/trial_facts.h"
#include "tune/board_costs.h"

namespace flyball {
namespace {

Json settings_json(const Settings& values) {
  return values.empty() ? Json::object() : Json(values);
}

Json rate_json(const Rate& rate) {
  return {{"best", rate.best},
          {"median", rate.median},
          {"q1", rate.q1},
          {"q3", rate.q3},
          {"power_w", or_null(rate.power_w)}};
}
double number_or_nan(const Json& value) {
  return number_or_none(value).value_or(std::nan(""));
}
Rate read_rate(const Json& json) {
  return {json.at("best"), json.at("median"), json.at("q1"), json.at("q3"),
          number_or_nan(json.at("power_w"))};
}

Json estimate_json(const Estimate& value) {
  return {{"value", value.value}, {"low", value.low}, {"high", value.high}};
}
Estimate read_estimate(const Json& json) {
  return {json.at("value"), json.at("low"), json.at("high")};
}

Json energy_json(const EnergyConstants& fit) {
  return {{"j_per_flop", estimate_json(fit.eps_flop)},
          {"j_per_byte", estimate_json(fit.eps_mem)},
          {"static_w", estimate_json(fit.pi0)},
          {"samples", fit.samples},
          {"error_pct", fit.error_pct}};
}

// What is 0 is not known.
Json positive_or_null(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

Json mode_json(const ModeRoofs& mode) {
  Json peaks = Json::array(), streams = Json::array(), sweep = Json::array();
  for (const MeasuredPeak& peak : mode.peaks)
    peaks.push_back({{"isa", peak.isa},
                     {"precision", peak.precision},
                     {"bits", peak.bits},
                     {"op_per_s", rate_json(peak.op)}});
  for (const MeasuredStream& stream : mode.streams)
    streams.push_back(
        {{"name", stream.name}, {"bytes", stream.bytes}, {"bytes_per_s", rate_json(stream.byte)}});
  for (const SweepPoint& point : mode.sweep)
    sweep.push_back({{"intensity", point.intensity}, {"flop_per_s", rate_json(point.flop)}});
  return {{"mode", settings_json(mode.mode.values)},
          {"threads", mode.threads},
          {"flop_per_s", positive_or_null(mode.flop_per_s)},
          {"bytes_per_s", positive_or_null(mode.bytes_per_s)},
          {"balance", positive_or_null(mode.balance())},
          {"launch_s", positive_or_null(mode.launch_s)},
          {"peaks", peaks},
          {"streams", streams},
          {"sweep", sweep},
          {"idle", mode.idle ? idle_json(*mode.idle) : Json(nullptr)},
          {"energy", mode.energy ? energy_json(*mode.energy) : Json(nullptr)},
          {"samples", mode.samples},
          {"error_pct", mode.error_pct}};
}

ModeRoofs read_mode(const Json& json) {
  ModeRoofs mode;
  json.at("mode").get_to(mode.mode.values);
  json.at("threads").get_to(mode.threads);
  mode.flop_per_s = number_or_none(json.at("flop_per_s")).value_or(0);
  mode.bytes_per_s = number_or_none(json.at("bytes_per_s")).value_or(0);
  mode.launch_s = number_or_none(json.at("launch_s")).value_or(0);
  for (const Json& peak : json.at("peaks"))
    mode.peaks.push_back(
        {peak.at("isa"), peak.at("precision"), peak.at("bits"), read_rate(peak.at("op_per_s"))});
  for (const Json& stream : json.at("streams"))
    mode.streams.push_back(
        {stream.at("name"), stream.at("bytes"), read_rate(stream.at("bytes_per_s"))});
  for (const Json& point : json.at("sweep"))
    mode.sweep.push_back({point.at("intensity"), read_rate(point.at("flop_per_s"))});
  if (const Json& idle = json.at("idle"); idle.is_object()) mode.idle = read_idle(idle);
  if (const Json& energy = json.at("energy"); energy.is_object())
    mode.energy = EnergyConstants{
        read_estimate(energy.at("j_per_flop")), read_estimate(energy.at("j_per_byte")),
        read_estimate(energy.at("static_w")), energy.at("samples"), energy.at("error_pct")};
  json.at("samples").get_to(mode.samples);
  json.at("error_pct").get_to(mode.error_pct);
  return mode;
}

using Matrix3 = std::array<std::array<double, 3>, 3>;

// The diagonal of the inverse of a symmetric matrix; infinite where it has none.
std::array<double, 3> inverse_diagonal(const Matrix3& m) {
  const auto minor = [&](size_t i) {
    const size_t a = (i + 1) % 3, b = (i + 2) % 3;
    return m[a][a] * m[b][b] - m[a][b] * m[b][a];
  };
  const double det = m[0][0] * minor(0) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                     m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  std::array<double, 3> diagonal{};
  for (size_t i = 0; i < 3; ++i)
    diagonal[i] = det > 0 ? minor(i) / det : std::numeric_limits<double>::infinity();
  return diagonal;
}

Result<BoardRoofs> read_roofs(const Json& json) {
  BoardRoofs roofs;
  json.at("device").get_to(roofs.device);
  json.at("title").get_to(roofs.title);
  json.at("fingerprint").get_to(roofs.fingerprint);
  FLYBALL_ASSIGN(roofs.provenance, parse_provenance(json.at("provenance").get<std::string>()));
  json.at("sources").get_to(roofs.sources);
  roofs.total = text_or_empty(json.at("total"));
  roofs.power_gap = text_or_empty(json.at("power_gap"));
  roofs.other_cores = number_or_none(json.at("other_cores"));
  roofs.disturbed = text_or_empty(json.at("disturbed"));
  json.at("measured_utc").get_to(roofs.measured_utc);
  for (const Json& mode : json.at("modes")) roofs.modes.push_back(read_mode(mode));
  return roofs;
}

}  // namespace

std::string BoardRoofs::how_known() const {
  if (!fitted()) return provenance_name(Provenance::measured);
  return made_up() ? fmt::format("{}: fitted", provenance_name(provenance)) : "fitted";
}

const ModeRoofs* BoardRoofs::of(const Settings& mode) const {
  const auto found =
      std::ranges::find_if(modes, [&](const ModeRoofs& own) { return own.mode.values == mode; });
  return found == modes.end() ? nullptr : &*found;
}

const ModeRoofs* BoardRoofs::highest() const {
  const auto lower = [](const ModeRoofs& a, const ModeRoofs& b) {
    // A board as it was is taken as its highest mode.
    if (a.mode.values.empty() != b.mode.values.empty()) return b.mode.values.empty();
    bool below = false;
    for (const auto& [axis, value] : a.mode.values) {
      const auto other = b.mode.values.find(axis);
      if (other == b.mode.values.end() || value > other->second) return false;
      below = below || value < other->second;
    }
    return below;
  };
  const ModeRoofs* best = nullptr;
  for (const ModeRoofs& mode : modes)
    if (!best || lower(*best, mode)) best = &mode;
  return best;
}

std::optional<EnergyConstants> fit_energy(std::span<const RoofSample> samples) {
  if (samples.size() < 6) return {};
  const EnergyRoof roof = fit_energy_roof(samples);
  // Relative errors, and columns of one length so that the matrix can be inverted.
  std::array<double, 3> length{};
  const auto column = [](const RoofSample& s, size_t i) {
    return (i == 0 ? s.flop : i == 1 ? s.bytes : s.time_s) / s.energy_j;
  };
  for (const RoofSample& s : samples)
    for (size_t i = 0; i < 3; ++i) length[i] += std::pow(column(s, i), 2);
  for (double& one : length) one = std::sqrt(one);
  Matrix3 products{};
  std::vector<double> errors;
  double squares = 0;
  for (const RoofSample& s : samples) {
    const double error = roof.at(s.flop, s.bytes, s.time_s) / s.energy_j - 1;
    errors.push_back(100 * std::abs(error));
    squares += error * error;
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 3; ++j)
        products[i][j] += column(s, i) / length[i] * column(s, j) / length[j];
  }
  const double freedom = static_cast<double>(samples.size()) - 3;
  const std::array<double, 3> spread = inverse_diagonal(products);
  const auto bounded = [&](double value, size_t i) {
    const double half = t90(freedom) * std::sqrt(spread[i] * squares / freedom) / length[i];
    return Estimate{value, std::max(0.0, value - half), value + half};
  };
  for (size_t i = 0; i < 3; ++i)  // samples that cannot tell the constants apart
    if (!std::isfinite(spread[i])) return {};
  return EnergyConstants{bounded(roof.eps_flop, 0), bounded(roof.eps_mem, 1), bounded(roof.pi0, 2),
                         samples.size(), median(errors)};
}

Json roofs_json(const BoardRoofs& roofs) {
  Json modes = Json::array();
  for (const ModeRoofs& mode : roofs.modes) modes.push_back(mode_json(mode));
  return {{"device", roofs.device},
          {"title", roofs.title},
          {"fingerprint", roofs.fingerprint},
          {"provenance", provenance_name(roofs.provenance)},
          {"sources", roofs.sources},
          {"total", text_or_null(roofs.total)},
          {"power_gap", text_or_null(roofs.power_gap)},
          {"other_cores", or_null(roofs.other_cores)},
          {"disturbed", text_or_null(roofs.disturbed)},
          {"measured_utc", roofs.measured_utc},
          {"modes", modes}};
}

Result<int64_t> keep_roofs(Store& store, const BoardRoofs& roofs, const std::string& command) {
  return store.keep_fact({BoardFactKind::roofs, roofs.device, roofs.fingerprint,
                          roofs_json(roofs).dump(), roofs.measured_utc, command});
}

namespace {

// A later measurement of some modes says nothing of the others. Powers of two totals do not
// compare.
void add_other_modes(const BoardRoofs& earlier, BoardRoofs& roofs) {
  if (earlier.fitted() || earlier.total != roofs.total) return;
  for (const ModeRoofs& mode : earlier.modes)
    if (!roofs.of(mode.mode.values)) roofs.modes.push_back(mode);
}

}  // namespace

Result<std::optional<StoredRoofs>> stored_roofs(Store& store, const std::string& device,
                                                const std::string& fingerprint,
                                                const Accepted& accepted) {
  FLYBALL_ASSIGN(const auto facts, store.facts({.kind = BoardFactKind::roofs}));
  std::optional<StoredRoofs> measured_here, of_kind;
  for (const BoardFact& fact : facts) {
    const bool own = !fact.origin && same_board(fingerprint, fact.fingerprint);
    const bool better = !of_kind || of_kind->roofs.provenance != Provenance::table;
    if (!own && (!better || fact.device != device)) continue;
    try {
      auto read = read_roofs(Json::parse(fact.json));
      if (!read && measured_here) continue;  // what is known of this board reads
      if (!read) return read.error();
      BoardRoofs roofs = *std::move(read);
      // Another machine of one name tells nothing, except where a table is all there is of a kind.
      if (!own && !roofs.fitted()) continue;
      if (!accepted(roofs.provenance)) continue;
      if (!own && of_kind && roofs.provenance != Provenance::table) continue;
      StoredRoofs stored{std::move(roofs), fact.id};
      if (own && measured_here) {
        add_other_modes(stored.roofs, measured_here->roofs);
        continue;
      }
      if (own && stored.roofs.fitted()) return std::optional<StoredRoofs>(std::move(stored));
      (own ? measured_here : of_kind) = std::move(stored);
    } catch (const Json::exception& problem) {
      if (measured_here) continue;
      return damaged_fact(fact, problem.what());
    }
  }
  return measured_here ? measured_here : of_kind;
}

}  // namespace flyball
