#include "answers/figure_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/lower.h"
#include "base/statistics.h"
#include "base/text.h"
#include "base/units.h"

namespace flyball {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

constexpr double rounding = 1e-9;

// Values and limits may be 0 or negative (a loss): then the difference is what counts.
double beyond(double value, double limit, bool at_most) {
  const double over = at_most ? value - limit : limit - value;
  // 1 - 0.01 * 32 is as much as 0.68 to who wrote it.
  if (std::abs(over) <= rounding * std::abs(limit)) return 0;
  const double scale = std::abs(at_most ? limit : value);
  return scale > 0 ? over / scale : over;
}

// In bytes, seconds or joules.
std::optional<double> with_unit(std::string_view text) {
  if (const auto bytes = parse_bytes(text)) return *bytes;
  if (const auto time = parse_seconds(text)) return time->value;
  if (const auto energy = parse_joules(text)) return energy->value;
  return {};
}

bool is_duration(const std::string& figure) {
  constexpr std::array names = {"latency_p50", "latency_p99", "ttft",
                                "ttft_p99",    "tpot",        "tpot_p99"};
  return std::ranges::find(names, figure) != names.end();
}

// Of figures whose unit is known: as every size and duration, with a unit.
Result<double> measured_value(const std::string& figure, std::string_view text) {
  if (!is_duration(figure)) return parse_bytes(text);
  FLYBALL_ASSIGN(const Seconds time, parse_seconds(text));
  return time.value;
}

// "1%" of a figure that is a share by what it is; of an accuracy nobody knows what it would be.
std::optional<double> percentage(std::string_view text) {
  if (!text.ends_with('%')) return {};
  const auto percent = parse_double(trim(text.substr(0, text.size() - 1)));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

}  // namespace

std::string figure_text(const std::string& figure, double value) {
  if (is_duration(figure)) return format_seconds({value});
  if (figure == "failed" || figure == "late") return fmt::format("{} %", number(100 * value));
  return figure == "memory" || figure.ends_with("_bytes") ? format_bytes(value) : number(value, 4);
}

std::string FigureLimit::text() const {
  return fmt::format("{} {} {}", figure, at_most ? "≤" : "≥", figure_text(figure, limit));
}

Result<FigureLimit> parse_figure_limit(const std::string& text, bool at_most) {
  const Error bad{Code::invalid_argument,
                  fmt::format("'{}' is not a limit", text_fault(text).empty() ? text : "?"),
                  "write NAME=VALUE, such as accuracy=0.7, memory=2GB or ttft=500ms"};
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || !text_fault(text).empty()) return bad;
  FigureLimit limit{std::string(trim(text.substr(0, equals))), 0, at_most};
  const std::string_view number = trim(std::string_view(text).substr(equals + 1));
  if (limit.figure == "memory" || is_duration(limit.figure)) {
    FLYBALL_ASSIGN(limit.limit, measured_value(limit.figure, number));
    return limit;
  }
  auto value = parse_double(number);
  if (!value) value = with_unit(number);
  if (!value && limit.figure == "failed") value = percentage(number);
  if (!value && closest(limit.figure, {slowdown_figure}))
    return Error{bad.code, bad.message,
                 fmt::format("did you mean {}={}?", slowdown_figure, number)};
  if (limit.figure.empty() || !value || !std::isfinite(*value)) return bad;
  // Marks hold this many bytes of a name.
  if (limit.figure.size() > 23)
    return Error{Code::invalid_argument,
                 fmt::format("the figure '{}' has a name of more than 23 bytes", limit.figure),
                 "report it under a shorter one"};
  limit.limit = *value;
  return limit;
}

bool limits_slowdown(std::string_view text) {
  return trim(text.substr(0, text.find('='))) == slowdown_figure;
}

Result<double> parse_slowdown(std::string_view percent) {
  const std::string_view text = trim(percent);
  const bool has_sign = text.find('%') + 1 == text.size();
  const auto value = parse_double(trim(text.substr(0, text.find('%'))));
  if (has_sign && value && *value >= 0 && std::isfinite(*value)) return 1 + *value / 100;
  const std::string written = text_fault(std::string(text)).empty() ? std::string(text) : "?";
  if (has_sign && value && *value < 0)
    return Error{Code::invalid_argument, fmt::format("a slowdown of {} is none", written),
                 "write 0% or more; a time budget asks for less time than the default takes"};
  return Error{Code::invalid_argument, fmt::format("'{}' is not a slowdown", written),
               "write how much more time than the default a choice may take, such as slowdown=5%"};
}

Result<double> parse_slowdown_limit(std::string_view text, bool at_most) {
  if (!at_most)
    return Error{Code::invalid_argument, "a slowdown has no lower bound",
                 "write --at-most slowdown=5%"};
  const size_t equals = text.find('=');
  return parse_slowdown(equals == std::string_view::npos ? "" : text.substr(equals + 1));
}

double excess_of(const Figures& figures, std::span<const FigureLimit> limits) {
  if (limits.empty()) return 0;
  double worst = -infinite;
  for (const FigureLimit& limit : limits) {
    const auto found = figures.find(limit.figure);
    worst =
        std::max(worst, found == figures.end() ? infinite
                                               : beyond(found->second, limit.limit, limit.at_most));
  }
  return worst;
}

bool is_worse(const std::string& figure, double value, double than,
              std::span<const FigureLimit> limits) {
  const auto limit = std::ranges::find(limits, figure, &FigureLimit::figure);
  if (limit != limits.end()) return limit->at_most ? value > than : value < than;
  const std::string name = lower(figure);
  const auto named = [&](std::initializer_list<const char*> words) {
    return std::ranges::any_of(
        words, [&](const char* word) { return name.find(word) != std::string::npos; });
  };
  if (named({"loss", "error", "perplexity", "memory", "latency", "ttft", "tpot", "failed"}))
    return value > than;
  if (named({"throughput", "tokens_per_s", "accuracy", "precision", "recall", "f1", "map", "iou",
             "bleu"}))
    return value < than;
  return false;
}

std::string unheld_limits(std::span<const Figures> trials, std::span<const FigureLimit> limits) {
  std::vector<std::string> parts;
  for (const FigureLimit& limit : limits) {
    double nearest = infinite, value = 0;
    for (const Figures& figures : trials) {
      const double excess = excess_of(figures, std::span(&limit, 1));
      if (excess >= nearest) continue;
      nearest = excess;
      value = figures.at(limit.figure);
    }
    if (nearest <= 0) continue;
    parts.push_back(nearest == infinite
                        ? fmt::format("{}: no trial reported it", limit.text())
                        : fmt::format("{}: the nearest of {} trials is {}", limit.text(),
                                      trials.size(), figure_text(limit.figure, value)));
  }
  return join(parts, "; ");
}

NearestToLimits nearest_to_limits(const std::map<size_t, std::vector<Figures>>& trials,
                                  std::span<const FigureLimit> limits) {
  // As a search counts trials that were made again: by the median of their excesses.
  const std::vector<Figures>* nearest = nullptr;
  NearestToLimits found;
  double least = infinite;
  for (const auto& [config, repeats] : trials) {
    std::vector<double> excesses;
    for (const Figures& figures : repeats) excesses.push_back(excess_of(figures, limits));
    if (excesses.empty() || median(excesses) >= least) continue;
    least = median(excesses);
    nearest = &repeats;
    found.config = config;
  }
  if (!nearest || least <= 0) return found;
  std::vector<std::string> parts;
  for (const FigureLimit& limit : limits) {
    std::vector<double> values;
    for (const Figures& figures : *nearest)
      if (const auto value = figures.find(limit.figure); value != figures.end())
        values.push_back(value->second);
    if (values.empty()) continue;
    const double value = median(values);
    if (excess_of({{limit.figure, value}}, {&limit, 1}) <= 0) continue;
    parts.push_back(fmt::format(
        "{}: {}{}", limit.text(), figure_text(limit.figure, value),
        values.size() == 1 ? "" : fmt::format(" in the median of its {} trials", values.size())));
  }
  found.text = join(parts, "; ");
  return found;
}

}  // namespace flyball
