// What came of a load: percentiles with intervals, what failed and how, energy, the client's part.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/load_run.h"
#include "load/quantile_interval.h"
#include "space/measurement.h"

namespace flyball {

/// Times in ms; NaN where there are none.
struct TimeSpread {
  size_t count = 0;
  QuantileInterval mean, p50, p90, p95, p99;
  double max = 0;
};
TimeSpread time_spread(std::span<const double> in_order);

struct LoadSummary {
  size_t due = 0, answered = 0;
  std::map<LoadOutcome, size_t> failed;  ///< by kind; those that did not happen are left out
  std::map<LoadOutcome, std::string> examples;
  std::optional<double> budget_ms;
  size_t late = 0;            ///< answered after the budget
  TimeSpread latency_ms;      ///< from when it was due to the whole answer, of those answered
  TimeSpread first_token_ms;  ///< from when it was due to its first content
  TimeSpread token_ms;        ///< between one token and the next, mean of each answer
  double window_s = 0;        ///< to the last answer, or the end of the load
  double requests_per_s = 0, tokens_per_s = 0;
  double tokens = 0;
  std::string tokens_by;  ///< "usage", "chunks", "usage and chunks"; "" where none were counted
  /// Of the window.
  std::optional<double> energy_j, request_j, token_j;
  std::optional<double> power_w;
  std::string power_total, power_gap;
  double client_cpu = 0;
  TimeSpread sent_late_ms;  ///< due and a connection free, to sent
  size_t connections = 0, most_under_way = 0, waited = 0, reopened = 0;
  std::vector<std::string> warnings;

  /// Share of those due that were answered within the budget, %; NaN without one.
  double in_time_pct() const;
  double late_pct() const;
  double failed_pct() const;
};

LoadSummary summarise(const LoadRun& run, std::optional<double> budget_ms, size_t connections);

/// As a trial's figures: latency_p50, latency_p99, ttft, tpot (medians; ttft_p99, tpot_p99), in
/// seconds, throughput, tokens_per_s, failed and late as shares, request_j, token_j. Those that are
/// not known are left out.
Figures load_figures(const LoadSummary& summary);

}  // namespace flyball
