// What is known of one trial, under one name each: every document and every page says the same of
// it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "space/measurement.h"

namespace flyball {

/// Cores that others keep busy and that one notices in the times.
inline constexpr double noticeable_load = 0.1;
/// The condition (conditions.h) of a trial beside which another process measured: who. With it the
/// trial never stands for one that was measured alone.
inline constexpr const char* disturbed_condition = "disturbed by";
/// `stop_reason` of what a table answers (repeats come to one there), of a row of a table that was
/// imported, and of a trial that a program measured itself (a study).
inline constexpr const char* read_from_table = "read from the table";
inline constexpr const char* imported_reason = "read from a table";
inline constexpr const char* told_reason = "told by the program";

/// Power that has not settled this long after the warm-up is counted all the same, seconds.
inline constexpr double power_patience_s = 30;
/// What was seen of an axis while a trial was counted stands among its figures: "gpu_mhz seen"
/// (mean) and "gpu_mhz seen least".
inline constexpr const char* seen_suffix = " seen";
inline constexpr const char* seen_least_suffix = " seen least";

/// An axis of a trial's mode: what was asked, and what it read while the trial was counted.
struct SeenClock {
  std::string axis, unit;
  double asked = 0, mean = 0, least = 0;  ///< in the unit
};
/// Empty where the board does not tell its clocks.
std::vector<SeenClock> seen_clocks(const Measurement& measurement);
/// The same as `axis`, `unit`, `asked`, `seen_mean`, `seen_min` of each.
nlohmann::ordered_json clocks_json(const Measurement& measurement);
/// The figures of a measurement without those that seen_clocks() reads.
Figures own_figures(const Measurement& measurement);

/// Who measured on this machine at the same time; "" nobody.
std::string disturbed_by(const Measurement& measurement);

/// Does it say how its minibatches divide into stall and compute? A program that tells does not.
bool splits_time(const Measurement& measurement);

/// "process 12, process 15" of who measured at the same time, without their commands and since
/// when.
std::string short_names(const std::string& disturbed_by);

/// Is it what a table answers, or a row that was imported from one?
bool from_table(const Measurement& measurement);
/// Was it measured by us, so that it should say how busy the machine was?
bool measured_here(const Measurement& measurement);

/// Had its power settled when counting began? Nothing without power, and for whole runs.
std::optional<bool> power_settled(const Measurement& measurement);

/// "throttled; others kept 0.8 cores busy; beside process 12": why its figures deserve doubt; ""
/// where nothing says so. The second takes trial_facts() that were kept.
std::string trial_doubts(const Measurement& measurement);
std::string trial_doubts(const nlohmann::ordered_json& facts);

/// Every field but the trial itself, its board and conditions, and what was sampled (minibatches
/// are counted). The keys stand in docs/json.md.
nlohmann::ordered_json trial_facts(const Measurement& measurement);

/// Does it tell how its times spread? What a table answers, and what was imported from one, is
/// taken at its word and tells none.
bool tells_noise(const Measurement& measurement);
/// `noise_pct`, of the time: percent; null where it tells none.
nlohmann::ordered_json noise_pct(const Measurement& measurement);

}  // namespace flyball
