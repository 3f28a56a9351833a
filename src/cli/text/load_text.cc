#include "cli/text/load_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/figure.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

std::string interval_text(const QuantileInterval& interval) {
  if (std::isnan(interval.value)) return "-";
  if (std::isnan(interval.low) && std::isnan(interval.high)) return number(interval.value);
  return fmt::format("{} ({} to {})", number(interval.value),
                     std::isnan(interval.low) ? "?" : number(interval.low),
                     std::isnan(interval.high) ? "?" : number(interval.high));
}

void add_row(TextTable& table, const char* what, const TimeSpread& spread) {
  if (spread.count == 0) return;
  table.add({what, interval_text(spread.mean), interval_text(spread.p50), interval_text(spread.p90),
             interval_text(spread.p99), number(spread.max)});
}

std::string headline(const LoadSummary& s) {
  std::string text = fmt::format("{} of {} requests answered, {}/s", s.answered, s.due,
                                 number(s.requests_per_s, 4));
  if (s.budget_ms && s.due > 0)
    text += fmt::format("; {} % within {} ms, {} late", number(s.in_time_pct(), 4),
                        as_typed(*s.budget_ms), s.late);
  return text + "\n";
}

std::string failures_text(const LoadSummary& s) {
  std::string text;
  for (const auto& [kind, count] : s.failed) {
    const auto example = s.examples.find(kind);
    text += fmt::format("{}: {}{}\n", outcome_name(kind), count,
                        example == s.examples.end() || example->second.empty()
                            ? ""
                            : ", the first: " + example->second);
  }
  return text;
}

std::string energy_text(const LoadSummary& s) {
  if (!s.request_j)
    return fmt::format("no energy: {}\n",
                       s.power_gap.empty() ? "nothing was answered" : s.power_gap);
  std::string text = fmt::format("energy ({}): {} W, {} J per request", s.power_total,
                                 number(s.power_w.value_or(NAN)), number(*s.request_j));
  if (s.token_j) text += fmt::format(", {} J per token", number(*s.token_j));
  return text + "; what else this machine did is in it\n";
}

std::string client_text(const LoadSummary& s) {
  return fmt::format(
      "client: {} % of a core, sent {} ms late in the median, {} at the 99th percentile; {} of "
      "{} connections at a time\n",
      number(100 * s.client_cpu, 2), number(s.sent_late_ms.p50.value, 2),
      number(s.sent_late_ms.p99.value, 2), s.most_under_way, s.connections);
}

}  // namespace

std::string load_text(const LoadTestRun& run) {
  const LoadSummary& s = run.summary;
  std::string text = fmt::format("{} ({}), {}\n{}: {}, {} s after {} s of warm-up\n",
                                 run.target.url(), protocol_name(run.target.protocol), run.arrivals,
                                 run.request.model.empty() ? "sent" : run.request.model,
                                 run.request.input, number(run.duration_s), number(run.warm_up_s));
  text += headline(s);
  TextTable table({"ms from due, 90 % interval", "mean", "p50", "p90", "p99", "max"});
  add_row(table, "whole answer", s.latency_ms);
  add_row(table, "first token", s.first_token_ms);
  add_row(table, "per further token", s.token_ms);
  if (!table.empty()) text += table.str();
  if (!s.tokens_by.empty())
    text += fmt::format("{} tokens/s, counted by {}\n", number(s.tokens_per_s, 4), s.tokens_by);
  text += failures_text(s) + energy_text(s) + client_text(s);
  for (const std::string& warning : s.warnings) text += "note: " + warning + "\n";
  return text;
}

}  // namespace flyball::cli
