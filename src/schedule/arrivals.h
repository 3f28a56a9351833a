// Where requests come from when nobody sends them: clockwork, chance, a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/status.h"
#include "problem/dynamic.h"

namespace flyball {

enum class ArrivalKind : uint8_t {
  http,      ///< real requests
  constant,  ///< one every 1/rate
  poisson,   ///< at random, so many per second on average
  trace,     ///< at the times of a file
  windows,   ///< at random, at a rate for each stretch of time
};

/// What `--arrivals` says.
struct ArrivalSpec {
  ArrivalKind kind = ArrivalKind::http;
  std::string text = "http";        ///< as it was written
  double rate_hz = 0;               ///< constant, poisson; of the others the mean; 0: not known
  std::vector<double> times_s;      ///< trace: ascending, from the start on
  std::vector<RateWindow> windows;  ///< windows, one after the other; a rate may be 0 in files
  bool by_rate = false;             ///< its rate was given by itself, with --rate
  bool stands_in = false;  ///< for arrivals of other kinds: nobody may ask for another rate of it

  /// How long it lasts, its last request included; nothing where it has no end.
  std::optional<double> seconds() const;
  /// The rate that it begins with, requests/s; 0 where nobody knows it.
  double first_rate_hz() const { return windows.empty() ? rate_hz : windows.front().rate_hz; }
};

/// "http", "constant:60", "poisson:60", "trace:FILE", "windows:30:10min,60:10min". Errors are one
/// line and name what is wrong; those of a file name file and line.
Result<ArrivalSpec> parse_arrivals(const std::string& text);
/// At random, so many per second.
ArrivalSpec poisson_arrivals(double rate_hz);
/// One every 1/rate.
ArrivalSpec constant_arrivals(double rate_hz);
/// The same at another rate; nothing of those that have more than one, and of what stands in.
std::optional<ArrivalSpec> at_rate(const ArrivalSpec& spec, double rate_hz);
/// "30:10min,60:5min": RATE:DURATION, both above zero.
Result<std::vector<RateWindow>> parse_rate_windows(const std::string& text);
/// A trace: column `time_s` with the time stamps of requests in seconds, ascending (the first one
/// may be any time, it is taken as the start where it is not near 0), or columns `rate_hz` and
/// `seconds` with a rate for each stretch of time, in which requests come at random.
Result<ArrivalSpec> parse_trace(const Csv& csv);

/// Thirty years: later than that no request comes.
inline constexpr double longest_arrivals_s = 1e9;

/// Do times from when requests were due to when they were really sent, this one at their 99th
/// percentile, tell of another load than was asked for?
constexpr bool is_sent_late(double late_ms, double median_latency_ms) {
  return late_ms > 1 && late_ms > 0.05 * median_latency_ms;
}

/// Times of requests.
class ArrivalSource {
 public:
  virtual ~ArrivalSource() = default;
  /// The next one, ns from the start, not before the last; nothing when no more come.
  virtual std::optional<int64_t> next_ns() = 0;
};

/// The same seed gives the same times. The spec is none of http.
std::unique_ptr<ArrivalSource> make_arrivals(const ArrivalSpec& spec, uint64_t seed);

}  // namespace flyball
