// Own cost of the scheduler: of a decision with a queue that is full, and of a simulated request.
#include <fmt/format.h>

#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/statistics.h"
#include "schedule/schedule_testing.h"

namespace {

using namespace flyball;

/// Microseconds of decide(), each with `waiting` requests at each of two services.
std::vector<double> decisions_us(uint64_t waiting) {
  Scheduler scheduler({{"a", 100'000 * ms, 16}, {"b", 200'000 * ms, 16}}, {{"x", 2}, {"y", 1}});
  for (size_t i = 0; i < 2; ++i) {
    scheduler.inference_time(i) = batch_curve(5, 0.5, 64);
    scheduler.training_time(i) = minibatch_of(20);
  }
  for (uint64_t i = 0; i < waiting; ++i)
    for (size_t s = 0; s < 2; ++s) scheduler.arrive(s, i, 1, static_cast<int64_t>(i));
  std::vector<double> took;
  int64_t now = static_cast<int64_t>(waiting);
  for (int i = 0; i < 2000; ++i) {
    const Stopwatch watch;
    const Decision decision = scheduler.decide(now);
    took.push_back(watch.seconds() * 1e6);
    scheduler.ended(now += 5 * ms);
    for (const Waiting& request :
         std::vector<Waiting>(scheduler.batch().begin(), scheduler.batch().end()))
      scheduler.arrive(decision.who, request.id, 1, now);
  }
  return took;
}

}  // namespace

int main() {
  Json figures;
  for (const uint64_t waiting : {0, 16, 256, 4000}) {
    const auto us = decisions_us(waiting);
    figures[fmt::format("decision_us_2x{}_waiting", waiting)] = quantile(us, 0.5);
    figures[fmt::format("decision_p99_us_2x{}_waiting", waiting)] = quantile(us, 0.99);
  }
  Simulation day = one_and_one(400, 16, 6, 0.5, 40);
  day.seconds = 86400;
  const auto source = make_arrivals(*parse_arrivals("poisson:60"), 1);
  day.arrivals = {source.get()};
  const Stopwatch watch;
  const ServingResult result = simulate(std::move(day));
  figures["simulated_day_s"] = watch.seconds();
  figures["simulated_requests_per_s"] =
      static_cast<double>(result.services[0].arrived) / watch.seconds();
  fmt::print("{}\n", Json{{"benchmark", "schedule"}, {"figures", figures}}.dump());
  return 0;
}
