#include "load/load_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace flyball {
namespace {

constexpr double busy_client = 0.7;
constexpr size_t few_for_p99 = 100;

double ms_between(int64_t from_ns, int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-6;
}

double percent(size_t part, size_t whole) {
  return whole == 0 ? not_known : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

struct Times {
  std::vector<double> latency, first, token, sent_late;
  size_t by_usage = 0, by_chunks = 0;
};

void add_answer(const LoadRecord& record, LoadSummary& summary, Times& times) {
  ++summary.answered;
  const double latency = ms_between(record.due_ns, record.done_ns);
  times.latency.push_back(latency);
  if (summary.budget_ms && latency > *summary.budget_ms) ++summary.late;
  if (record.first_ns >= 0) times.first.push_back(ms_between(record.due_ns, record.first_ns));
  if (record.first_ns >= 0 && record.tokens > 1)
    times.token.push_back(ms_between(record.first_ns, record.last_ns) / (record.tokens - 1));
  if (record.tokens < 0) return;
  summary.tokens += record.tokens;
  ++(record.from_usage ? times.by_usage : times.by_chunks);
}

void add(const LoadRecord& record, LoadSummary& summary, Times& times) {
  ++summary.due;
  if (record.sent_ns >= 0) {
    times.sent_late.push_back(ms_between(record.free_ns, record.sent_ns));
    if (record.free_ns > record.due_ns) ++summary.waited;
  }
  if (record.answered())
    add_answer(record, summary, times);
  else
    ++summary.failed[record.outcome];
}

// A request that is never answered is waited for until it times out; what was answered was so
// before.
double window_s(const LoadRun& run) {
  int64_t last_ns = run.until_ns;
  for (const LoadRecord& record : run.records)
    if (record.answered()) last_ns = std::max(last_ns, record.done_ns);
  return static_cast<double>(last_ns - run.from_ns) * 1e-9;
}

void add_energy(const LoadRun& run, LoadSummary& summary) {
  summary.power_gap = run.power_gap;
  if (!run.power) return;
  summary.power_w = run.power->mean_w;
  summary.power_total = run.power->total;
  summary.energy_j = run.power->mean_w * summary.window_s;
  if (summary.answered > 0)
    summary.request_j = *summary.energy_j / static_cast<double>(summary.answered);
  if (summary.tokens > 0) summary.token_j = *summary.energy_j / summary.tokens;
}

void warn_of_client(LoadSummary& summary) {
  auto& warnings = summary.warnings;
  const double late = summary.sent_late_ms.p99.value;
  if (summary.client_cpu > busy_client)
    warnings.push_back(
        fmt::format("the client itself kept {:.0f} % of a core busy: it may be what limits",
                    100 * summary.client_cpu));
  if (is_sent_late(late, summary.latency_ms.p50.value))
    warnings.push_back(fmt::format(
        "the client sent 1 % of the requests {:.3g} ms or more after they were due: this machine "
        "is busy, and that stands in the latencies",
        late));
  const size_t unsent =
      summary.failed.contains(LoadOutcome::unsent) ? summary.failed.at(LoadOutcome::unsent) : 0;
  if (summary.waited + unsent > 0)
    warnings.push_back(fmt::format(
        "{} of {} requests waited since all {} connections were busy (--connections); the wait "
        "stands in their latencies",
        summary.waited + unsent, summary.due, summary.connections));
}

void warn(const LoadRun& run, LoadSummary& summary) {
  warn_of_client(summary);
  auto& warnings = summary.warnings;
  if (run.stopped)
    warnings.push_back(
        fmt::format("stopped early: what was answered until then counts{}",
                    run.left_out == 0 ? ""
                                      : fmt::format(", and not {} that {} waited for", run.left_out,
                                                    run.left_out == 1 ? "was" : "were")));
  if (run.reached_limit) warnings.emplace_back("the load ended early: too many requests to keep");
  if (summary.answered < summary.due && summary.answered > 0)
    warnings.emplace_back("percentiles are of the requests that were answered");
  if (summary.answered > 0 && summary.answered < few_for_p99)
    warnings.push_back(
        fmt::format("{} answers: the 99th percentile is not known from so few", summary.answered));
}

}  // namespace

TimeSpread time_spread(std::span<const double> in_order) {
  TimeSpread spread;
  spread.count = in_order.size();
  spread.mean = mean_interval(in_order);
  spread.p50 = quantile_interval(in_order, 0.5);
  spread.p90 = quantile_interval(in_order, 0.9);
  spread.p95 = quantile_interval(in_order, 0.95);
  spread.p99 = quantile_interval(in_order, 0.99);
  spread.max = in_order.empty() ? not_known : std::ranges::max(in_order);
  return spread;
}

double LoadSummary::in_time_pct() const {
  return budget_ms ? percent(answered - late, due) : not_known;
}

double LoadSummary::late_pct() const {
  return budget_ms ? percent(late, due) : not_known;
}

double LoadSummary::failed_pct() const {
  return percent(due - answered, due);
}

LoadSummary summarise(const LoadRun& run, std::optional<double> budget_ms, size_t connections) {
  LoadSummary summary;
  summary.budget_ms = budget_ms;
  summary.examples = run.examples;
  summary.window_s = window_s(run);
  summary.client_cpu = run.client_cpu;
  summary.connections = connections;
  summary.most_under_way = run.most_under_way;
  summary.reopened = run.reopened;
  Times times;
  for (const LoadRecord& record : run.records)
    if (record.due_ns >= run.from_ns) add(record, summary, times);
  summary.latency_ms = time_spread(times.latency);
  summary.first_token_ms = time_spread(times.first);
  summary.token_ms = time_spread(times.token);
  summary.sent_late_ms = time_spread(times.sent_late);
  if (summary.window_s > 0) {
    summary.requests_per_s = static_cast<double>(summary.answered) / summary.window_s;
    summary.tokens_per_s = summary.tokens / summary.window_s;
  }
  if (times.by_usage > 0) summary.tokens_by = times.by_chunks > 0 ? "usage and chunks" : "usage";
  if (times.by_usage == 0 && times.by_chunks > 0) summary.tokens_by = "chunks";
  add_energy(run, summary);
  warn(run, summary);
  return summary;
}

Figures load_figures(const LoadSummary& summary) {
  Figures figures;
  const auto put = [&](const char* name, double value) {
    if (std::isfinite(value)) figures[name] = value;
  };
  put("latency_p50", summary.latency_ms.p50.value * 1e-3);
  put("latency_p99", summary.latency_ms.p99.value * 1e-3);
  put("ttft", summary.first_token_ms.p50.value * 1e-3);
  put("ttft_p99", summary.first_token_ms.p99.value * 1e-3);
  put("tpot", summary.token_ms.p50.value * 1e-3);
  put("tpot_p99", summary.token_ms.p99.value * 1e-3);
  put("throughput", summary.requests_per_s);
  if (summary.tokens > 0) put("tokens_per_s", summary.tokens_per_s);
  put("failed", summary.failed_pct() / 100);
  put("late", summary.late_pct() / 100);
  if (summary.request_j) put("request_j", *summary.request_j);
  if (summary.token_j) put("token_j", *summary.token_j);
  return figures;
}

}  // namespace flyball
