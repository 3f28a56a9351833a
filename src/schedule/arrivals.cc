#include "schedule/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/text.h"
#include "base/units.h"

namespace flyball {
namespace {

constexpr double fastest_hz = 1e7;  // of a source; beyond that, times of requests run together
constexpr const char* sources_there_are =
    "one of: http, constant:60, poisson:60, trace:FILE, windows:30:10min,60:10min";

Error no_source(const std::string& complaint) {
  return {Code::invalid_argument, complaint, sources_there_are};
}

constexpr double longest_s = longest_arrivals_s;

// Whole ns; later than for ever is never.
std::optional<int64_t> rounded_ns(double at_ns) {
  if (!(at_ns <= longest_s * 1e9)) return std::nullopt;
  return static_cast<int64_t>(std::round(at_ns));
}

class Constant final : public ArrivalSource {
 public:
  explicit Constant(double rate_hz) : gap_ns_(1e9 / rate_hz) {}
  std::optional<int64_t> next_ns() override {
    return rounded_ns(gap_ns_ * static_cast<double>(++count_));
  }

 private:
  double gap_ns_;
  uint64_t count_ = 0;
};

/// A Poisson process whose rate changes from stretch to stretch; the last one has no end.
class RandomArrivals final : public ArrivalSource {
 public:
  RandomArrivals(std::vector<RateWindow> windows, uint64_t seed)
      : windows_(std::move(windows)), random_(seed) {}

  // What is left of a unit of expected arrivals is spent on the stretches one after the other.
  std::optional<int64_t> next_ns() override {
    double wanted = random_.exponential();
    while (at_ < windows_.size()) {
      const RateWindow& window = windows_[at_];
      const double left = (begin_s_ + window.seconds - now_s_) * window.rate_hz;
      if (window.rate_hz > 0 && !(left < wanted)) {
        now_s_ += wanted / window.rate_hz;
        return rounded_ns(now_s_ * 1e9);
      }
      wanted -= std::max(0.0, left);
      begin_s_ += window.seconds;
      now_s_ = begin_s_;
      ++at_;
    }
    return std::nullopt;
  }

 private:
  std::vector<RateWindow> windows_;
  Random random_;
  double begin_s_ = 0, now_s_ = 0;
  size_t at_ = 0;
};

class Stamps final : public ArrivalSource {
 public:
  explicit Stamps(std::vector<double> times_s) : times_s_(std::move(times_s)) {}
  std::optional<int64_t> next_ns() override {
    if (at_ == times_s_.size()) return std::nullopt;
    return rounded_ns(times_s_[at_++] * 1e9);
  }

 private:
  std::vector<double> times_s_;
  size_t at_ = 0;
};

void set_mean_rate(ArrivalSpec& spec) {
  double requests = 0, seconds = 0;
  for (const RateWindow& window : spec.windows) {
    requests += window.rate_hz * window.seconds;
    seconds += window.seconds;
  }
  if (seconds > 0) spec.rate_hz = requests / seconds;
}

Result<ArrivalSpec> parse_stamps(const Csv& csv, size_t column) {
  ArrivalSpec spec{ArrivalKind::trace, csv.name, 0, {}, {}};
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    FLYBALL_ASSIGN(const double time, csv.number(row, column));
    if (!spec.times_s.empty() && time < spec.times_s.back())
      return csv.at(row, column, "a request comes before the one above it",
                    "sort the file by time");
    spec.times_s.push_back(time);
  }
  const double first = spec.times_s.front(), last = spec.times_s.back();
  const bool from_zero = first >= 0 && first <= std::max(60.0, last - first);
  if (!from_zero)
    for (double& time : spec.times_s) time -= first;
  if (!(spec.times_s.back() <= longest_s))
    return Error{Code::corrupt, fmt::format("{} lasts longer than thirty years", csv.name),
                 "time_s is in seconds"};
  if (spec.times_s.back() > 0)
    spec.rate_hz = static_cast<double>(spec.times_s.size()) / spec.times_s.back();
  return spec;
}

Result<ArrivalSpec> parse_rates(const Csv& csv, size_t rate_column, size_t seconds_column) {
  ArrivalSpec spec{ArrivalKind::trace, csv.name, 0, {}, {}};
  double total_s = 0;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    FLYBALL_ASSIGN(const double rate, csv.number(row, rate_column));
    FLYBALL_ASSIGN(const double seconds, csv.number(row, seconds_column));
    if (!(rate >= 0) || rate > fastest_hz)
      return csv.at(row, rate_column, "a rate is from 0 to 10,000,000 requests/s", "");
    if (!(seconds > 0) || !((total_s += seconds) <= longest_s))
      return csv.at(row, seconds_column,
                    "a stretch lasts longer than 0 s, all thirty years at most", "");
    spec.windows.push_back({rate, seconds});
  }
  set_mean_rate(spec);
  if (!(spec.rate_hz > 0))
    return Error{Code::corrupt, fmt::format("{} holds no requests: all rates are 0", csv.name), ""};
  return spec;
}

Result<double> parse_rate(const std::string& kind, const std::string& text) {
  const auto rate = parse_double(text);
  if (!rate || !(*rate > 0) || !(*rate <= fastest_hz))
    return no_source(
        fmt::format("'{}' is not a rate of '{}': requests per second, above 0 and at "
                    "most 10,000,000",
                    text, kind));
  return *rate;
}

}  // namespace

std::optional<double> ArrivalSpec::seconds() const {
  // Just behind the last request, so that it comes before the end. One moment is no length.
  if (!times_s.empty()) return times_s.back() > 0 ? times_s.back() + 1e-6 : 0;
  if (windows.empty()) return std::nullopt;
  double all = 0;
  for (const RateWindow& window : windows) all += window.seconds;
  return all;
}

Result<std::vector<RateWindow>> parse_rate_windows(const std::string& text) {
  constexpr const char* example = "write RATE:DURATION, such as 30:10min,60:5min";
  std::vector<RateWindow> windows;
  double total_s = 0;
  for (const std::string& piece : split(text, ',')) {
    const size_t colon = piece.find(':');
    const auto rate = parse_double(piece.substr(0, colon));
    if (!rate || colon == std::string::npos)
      return Error{Code::invalid_argument, fmt::format("'{}' is not a rate window", piece),
                   example};
    const auto length = parse_seconds(piece.substr(colon + 1));
    if (!length) return length.error();
    if (!(*rate > 0) || !std::isfinite(*rate) || !(length->value > 0))
      return Error{Code::invalid_argument,
                   fmt::format("'{}' is not a rate window: both must be above zero", piece),
                   example};
    if (*rate > fastest_hz || !((total_s += length->value) <= longest_s))
      return Error{Code::invalid_argument,
                   fmt::format("'{}' goes beyond 10,000,000 requests/s or thirty years", piece),
                   example};
    windows.push_back({*rate, length->value});
  }
  return windows;
}

Result<ArrivalSpec> parse_trace(const Csv& csv) {
  if (csv.rows.empty())
    return Error{Code::corrupt, fmt::format("{} holds no requests", csv.name),
                 "write a CSV with a column time_s, or with rate_hz and seconds"};
  if (const auto time = csv.column("time_s")) return parse_stamps(csv, *time);
  const auto rate = csv.column("rate_hz"), seconds = csv.column("seconds");
  if (rate && seconds) return parse_rates(csv, *rate, *seconds);
  return csv.missing(
      {Code::corrupt,
       fmt::format("{} has neither a column time_s nor both rate_hz and seconds", csv.name),
       "time_s: when each request comes; rate_hz, seconds: how many come for how "
       "long"});
}

ArrivalSpec poisson_arrivals(double rate_hz) {
  return {ArrivalKind::poisson, fmt::format("poisson:{:.12g}", rate_hz), rate_hz, {}, {}};
}

ArrivalSpec constant_arrivals(double rate_hz) {
  return {ArrivalKind::constant, fmt::format("constant:{:.12g}", rate_hz), rate_hz, {}, {}};
}

std::optional<ArrivalSpec> at_rate(const ArrivalSpec& spec, double rate_hz) {
  const bool one_rate = spec.kind == ArrivalKind::constant || spec.kind == ArrivalKind::poisson;
  if (!one_rate || spec.stands_in) return {};
  ArrivalSpec other =
      spec.kind == ArrivalKind::constant ? constant_arrivals(rate_hz) : poisson_arrivals(rate_hz);
  other.by_rate = spec.by_rate;
  return other;
}

Result<ArrivalSpec> parse_arrivals(const std::string& text) {
  if (text == "http") return ArrivalSpec{};
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  ArrivalSpec spec;
  if (kind == "constant" || kind == "poisson") {
    spec.kind = kind == "constant" ? ArrivalKind::constant : ArrivalKind::poisson;
    FLYBALL_ASSIGN(spec.rate_hz, parse_rate(kind, rest));
  } else if (kind == "trace") {
    if (rest.empty()) return no_source("'trace' names no file");
    FLYBALL_ASSIGN(const Csv csv, read_csv(rest));
    FLYBALL_ASSIGN(spec, parse_trace(csv));
  } else if (kind == "windows") {
    const auto windows = parse_rate_windows(rest);
    if (!windows.ok()) return windows.error().within("--arrivals " + text);
    spec.kind = ArrivalKind::windows;
    spec.windows = *windows;
    set_mean_rate(spec);
  } else {
    Error error = no_source(fmt::format("'{}' is not a source of requests", text));
    if (const auto meant = closest(kind, {"http", "constant", "poisson", "trace", "windows"}))
      error.hint = fmt::format("did you mean {}{}?", *meant,
                               colon == std::string::npos ? "" : text.substr(colon));
    return error;
  }
  spec.text = text;
  return spec;
}

std::unique_ptr<ArrivalSource> make_arrivals(const ArrivalSpec& spec, uint64_t seed) {
  if (spec.kind == ArrivalKind::constant) return std::make_unique<Constant>(spec.rate_hz);
  if (!spec.times_s.empty()) return std::make_unique<Stamps>(spec.times_s);
  std::vector<RateWindow> windows = spec.windows;
  if (windows.empty()) windows.push_back({spec.rate_hz, unlimited});
  return std::make_unique<RandomArrivals>(std::move(windows), mix_seed(seed));
}

}  // namespace flyball
