#include "schedule/serving_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/units.h"
#include "problem/problem.h"

namespace flyball {
namespace {

Json service_json(const ServiceResult& service, double energy_j_per_request) {
  const LatencyHistogram& latency = service.latency;
  const auto mean_of = [](double sum, size_t count) {
    return or_null(count == 0 ? not_measured : sum / static_cast<double>(count));
  };
  return {{"name", service.name},
          {"latency_ms",
           {{"budget", or_null(service.budget_ms)},
            {"p50", or_null(latency.quantile_ms(0.5))},
            {"p95", or_null(latency.quantile_ms(0.95))},
            {"p99", or_null(latency.quantile_ms(0.99))},
            {"max", or_null(latency.count() == 0 ? not_measured : latency.max_ms())}}},
          {"requests",
           {{"arrived", service.arrived},
            {"answered", service.answered},
            {"late", service.late},
            {"refused", service.refused},
            {"failed", service.failed}}},
          {"batches",
           {{"run", service.batches},
            {"mean", mean_of(static_cast<double>(service.samples), service.batches)},
            {"largest", service.largest_batch},
            {"planned", service.planned_batch}}},
          {"largest_queue", service.largest_queue},
          {"busy_s", or_null(service.busy_s)},
          {"energy_j_per_request", or_null(energy_j_per_request)}};
}

Json replan_json(const Replan& replan) {
  return {{"at_s", or_null(replan.at_s)}, {"why", replan.why},
          {"mode", replan.mode},          {"rate_hz", or_null(replan.rate_hz)},
          {"batch", replan.batch},        {"switched", replan.switched}};
}

// Where the network ran all of them, nobody reads of it.
std::string failed_words(const ServiceResult& service) {
  return service.failed == 0 ? "" : fmt::format(", {} failed", service.failed);
}

Json measured_json(const ServingResult& result) {
  if (!result.measure_most) return {};
  Json modes = Json::array();
  for (const MeasuredMode& one : result.measured) {
    Json observed = Json::array();
    for (const ObservedBatch& batch : one.observed)
      observed.push_back({{"workload", batch.workload},
                          {"batch_size", or_null(batch.batch)},
                          {"minibatch_ms", or_null(batch.minibatch_ms)}});
    modes.push_back({{"at_s", or_null(one.at_s)},
                     {"seconds", or_null(one.seconds)},
                     {"mode", one.mode},
                     {"batches", one.batches},
                     {"minibatches", one.minibatches},
                     {"observed", observed},
                     {"power_w", or_null(one.power_w)},
                     {"left", one.left.empty() ? Json() : Json(one.left)}});
  }
  return {{"most", *result.measure_most},
          {"modes", modes},
          {"gap", result.measuring_gap.empty() ? Json() : Json(result.measuring_gap)}};
}

double percent_of_plan(const TrainingResult& training) {
  return 100 * static_cast<double>(training.minibatches) / *training.planned;
}

}  // namespace

bool ServiceResult::answer(int64_t latency_ns) {
  latency.add(latency_ns);
  ++answered;
  const bool late_one = is_late(static_cast<double>(latency_ns) * 1e-6);
  if (late_one) ++late;
  return late_one;
}

bool ServiceResult::is_late(double ms) const {
  constexpr double microsecond_ms = 1e-3;  // below this, times are equal
  return ms > budget_ms + microsecond_ms;
}

double ServiceResult::late_share() const {
  return arrived == 0 ? 0
                      : static_cast<double>(late + refused + failed) / static_cast<double>(arrived);
}

double ServingResult::busy_s() const {
  double sum = switching_s + left_busy_s;
  for (const ServiceResult& service : services) sum += service.busy_s;
  for (const TrainingResult& training : trainings) sum += training.busy_s;
  return sum;
}

void ServingResult::planned_anew(Replan why) {
  ++replan_count;
  if (replans.size() == most_replans) {
    const auto half = replans.begin() + most_replans / 2;
    const auto stayed =
        std::find_if(replans.begin(), half, [](const Replan& r) { return !r.switched; });
    replans.erase(stayed == half ? replans.begin() : stayed);
  }
  replans.push_back(std::move(why));
}

Json to_json(const ServingResult& result) {
  Json services = Json::array(), trainings = Json::array(), replans = Json::array();
  for (const ServiceResult& service : result.services)
    services.push_back(service_json(
        service, service.answered == 0 ? not_measured
                                       : service.energy_j / static_cast<double>(service.answered)));
  for (const TrainingResult& training : result.trainings)
    trainings.push_back(
        {{"name", training.name},
         {"minibatches", training.minibatches},
         {"planned", or_null(training.planned.value_or(not_measured))},
         {"busy_s", or_null(training.busy_s)},
         {"energy_j_per_minibatch",
          or_null(training.minibatches == 0
                      ? not_measured
                      : training.energy_j / static_cast<double>(training.minibatches))}});
  for (const Replan& replan : result.replans) replans.push_back(replan_json(replan));
  return {{"seconds", or_null(result.seconds)},
          {"services", services},
          {"training", trainings},
          {"training_blocked",
           result.training_blocked.empty() ? Json() : Json(result.training_blocked)},
          {"power_w", or_null(result.power_w())},
          {"energy_j", or_null(result.energy_j)},
          {"idle_s", or_null(std::max(0.0, result.seconds - result.busy_s()))},
          {"switches", result.switches},
          {"switching_s", or_null(result.switching_s)},
          {"replans", replans},
          {"replan_count", result.replan_count},
          {"measured", measured_json(result)},
          {"decisions", result.decisions}};
}

std::string live_verdict(const ServingResult& result) {
  std::string text;
  for (const ServiceResult& s : result.services) {
    if (!text.empty()) text += "; ";
    if (s.arrived == 0) {
      text += fmt::format("nobody asked {}", s.name);
      continue;
    }
    text += fmt::format("{} answered {} of {} requests within {} ms", s.name, s.answered - s.late,
                        s.arrived, as_typed(s.budget_ms));
    if (s.late + s.refused + s.failed == 0) continue;
    text += fmt::format(" ({} late, {} refused{}: {} %)", s.late, s.refused, failed_words(s),
                        number(100 * s.late_share()));
  }
  for (const TrainingResult& t : result.trainings) {
    text += fmt::format("; {} trained {} minibatches in the gaps", t.name, t.minibatches);
    if (t.planned && *t.planned > 0)
      text += fmt::format(", {:.1f} % of the plan", percent_of_plan(t));
  }
  return text + ".";
}

std::string format_live(const ServingResult& result) {
  std::string text = live_verdict(result) + "\n";
  for (const ServiceResult& s : result.services) {
    const double rate = static_cast<double>(s.arrived) / result.seconds;
    text += fmt::format("{}: {} requests in {} ({}/s), {} answered, {} late, {} refused{}\n",
                        s.name, s.arrived, format_seconds({result.seconds}), number(rate),
                        s.answered, s.late, s.refused, failed_words(s));
    if (s.answered == 0) continue;
    const double longest_ms = s.latency.max_ms();
    text += fmt::format(
        "  latency ms  p50 {}  p95 {}  p99 {}  max {}  of a budget of {}\n",
        number(s.latency.quantile_ms(0.5)), number(s.latency.quantile_ms(0.95)),
        number(s.latency.quantile_ms(0.99)),
        upper_figure(s.is_late(longest_ms) ? longest_ms : std::min(longest_ms, s.budget_ms), 3,
                     s.budget_ms),
        as_typed(s.budget_ms));
    text += fmt::format(
        "  batches     {} of {} on average, {} at most (planned {}); queue {} at most\n", s.batches,
        number(static_cast<double>(s.samples) / static_cast<double>(s.batches)), s.largest_batch,
        s.planned_batch, s.largest_queue);
  }
  for (const TrainingResult& t : result.trainings) {
    text += fmt::format("{}: {} training minibatches in the gaps ({}/s)", t.name, t.minibatches,
                        number(static_cast<double>(t.minibatches) / result.seconds));
    if (t.planned && *t.planned > 0)
      text += fmt::format(", planned {:.0f} ({:.1f} %)", *t.planned, percent_of_plan(t));
    text += "\n";
  }
  if (!result.training_blocked.empty()) text += result.training_blocked + "\n";
  if (std::isfinite(result.energy_j))
    text += fmt::format("power {} W, energy {}\n", number(result.power_w()),
                        format_joules(result.energy_j));
  if (result.measure_most)
    text += fmt::format("measured while it served: {} of at most {} modes\n",
                        result.measured.size(), *result.measure_most);
  if (!result.measuring_gap.empty())
    text += "no more were measured: " + result.measuring_gap + "\n";
  if (result.replan_count > result.replans.size())
    text += fmt::format("{} new plans; these {} are the last, and changes of mode before:\n",
                        result.replan_count, result.replans.size());
  for (const Replan& r : result.replans)
    text += fmt::format("at {}: {}{}: {}\n", format_seconds({r.at_s}),
                        r.rate_hz > 0 ? fmt::format("new plan for {} requests/s, batch {}",
                                                    number(r.rate_hz), r.batch)
                                      : "the plan stays",
                        r.switched ? ", mode " + r.mode : "", r.why);
  return text;
}

}  // namespace flyball
