#include "load/load_json.h"

#include "base/json.h"

namespace flyball {
namespace {

Json interval_json(const QuantileInterval& interval) {
  return {{"value", or_null(interval.value)},
          {"low", or_null(interval.low)},
          {"high", or_null(interval.high)}};
}

Json spread_json(const TimeSpread& spread) {
  if (spread.count == 0) return nullptr;
  return {{"count", spread.count},
          {"mean", interval_json(spread.mean)},
          {"p50", interval_json(spread.p50)},
          {"p90", interval_json(spread.p90)},
          {"p95", interval_json(spread.p95)},
          {"p99", interval_json(spread.p99)},
          {"max", or_null(spread.max)}};
}

Json failures_json(const LoadSummary& summary) {
  Json failures = Json::array();
  for (const auto& [kind, count] : summary.failed) {
    const auto example = summary.examples.find(kind);
    failures.push_back(
        {{"kind", outcome_name(kind)},
         {"count", count},
         {"example", text_or_null(example == summary.examples.end() ? "" : example->second)}});
  }
  return failures;
}

Json power_json(const LoadSummary& summary) {
  return {{"mean_w", or_null(summary.power_w)},      {"total", text_or_null(summary.power_total)},
          {"energy_j", or_null(summary.energy_j)},   {"j_per_request", or_null(summary.request_j)},
          {"j_per_token", or_null(summary.token_j)}, {"gap", text_or_null(summary.power_gap)}};
}

Json client_json(const LoadSummary& summary) {
  return {{"cpu_pct", or_null(100 * summary.client_cpu)},
          {"sent_late_ms", spread_json(summary.sent_late_ms)},
          {"connections", summary.connections},
          {"most_under_way", summary.most_under_way},
          {"waited_for_connection", summary.waited},
          {"reopened", summary.reopened}};
}

}  // namespace

Json to_json(const LoadTestRun& run) {
  const LoadSummary& s = run.summary;
  return {{"url", run.target.url()},
          {"protocol", protocol_name(run.target.protocol)},
          {"model", text_or_null(run.request.model)},
          {"input", run.request.input},
          {"streamed", run.request.streamed},
          {"arrivals", run.arrivals},
          {"seed", run.seed},
          {"started_utc", run.started_utc},
          {"duration_s", run.duration_s},
          {"warm_up_s", run.warm_up_s},
          {"timeout_s", run.timeout_s},
          {"window_s", or_null(s.window_s)},
          {"requests",
           {{"due", s.due},
            {"answered", s.answered},
            {"failed", s.due - s.answered},
            {"late", s.budget_ms ? Json(s.late) : Json()},
            {"in_time_pct", or_null(s.in_time_pct())},
            {"failures", failures_json(s)}}},
          {"budget_ms", or_null(s.budget_ms)},
          {"latency_ms", spread_json(s.latency_ms)},
          {"first_token_ms", spread_json(s.first_token_ms)},
          {"token_ms", spread_json(s.token_ms)},
          {"requests_per_s", or_null(s.requests_per_s)},
          {"tokens",
           {{"count", s.tokens_by.empty() ? Json() : Json(s.tokens)},
            {"per_s", s.tokens_by.empty() ? Json() : or_null(s.tokens_per_s)},
            {"counted_by", text_or_null(s.tokens_by)}}},
          {"power", power_json(s)},
          {"client", client_json(s)},
          {"warnings", s.warnings}};
}

}  // namespace flyball
