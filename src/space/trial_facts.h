// What is known of one trial, under one name each: every document and every page says the same of
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "space/measurement.h"

namespace flyball {

/// Cores that others keep busy and that one notices in the times.
inline constexpr double noticeable_load = 0.1;

/// Power that has not settled this long after the warm-up is counted all the same, seconds.
inline constexpr double power_patience_s = 30;
/// `axis`, `unit`, `asked`, `seen_mean`, `seen_min` of each clock that was seen.
Json clocks_json(const Measurement& measurement);

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
/// where nothing says so.
std::string trial_doubts(const Measurement& measurement);

/// Every field but the trial itself, its board and conditions, and what was sampled (minibatches
/// are counted). The keys stand in docs/json.md.
Json trial_facts(const Measurement& measurement);

/// Does it tell how its times spread? What a table answers, and what was imported from one, is
/// taken at its word and tells none.
bool tells_noise(const Measurement& measurement);
/// `noise_pct`, of the time: percent; null where it tells none.
Json noise_pct(const Measurement& measurement);

}  // namespace flyball
