#include "schedule/batching.h"

#include <algorithm>

namespace flyball {
namespace {

constexpr double ns_of_ms = 1e6;
// Below this share of the time, what is left to train in hangs on a per cent of what requests take,
// which nobody foresees so well.
constexpr double least_trained = 0.1;

/// What a service comes to where its batches wait for so many requests.
struct Gathering {
  int64_t batch = 1;     ///< that is waited for
  double load = 0;       ///< share of the time
  double median_ns = 0;  ///< of latency
};

// A request finds half of a training minibatch still running, on average.
double first_wait_ns(double training_ns) {
  return training_ns / 2;
}

// Requests in a batch whose first one has waited so long.
double gathered_within(const BatchedService& service, double wait_ns) {
  return std::min(static_cast<double>(service.largest_batch), 1 + service.rate_hz * wait_ns * 1e-9);
}

double batch_ns(const BatchedService& service, double batch) {
  const auto below = static_cast<int64_t>(batch);
  const double part = batch - static_cast<double>(below);
  const double ns = service.batch_ns(below);
  return part > 0 ? ns + part * (service.batch_ns(below + 1) - ns) : ns;
}

Gathering gathering(const BatchedService& service, double training_ns, int64_t batch) {
  const double at_least = gathered_within(service, first_wait_ns(training_ns));
  const double size = std::max(static_cast<double>(batch), at_least);
  const double ns = batch_ns(service, size);
  const double wait_ns = service.rate_hz > 0 ? (size - at_least) / service.rate_hz * 1e9 / 2 : 0;
  return {.batch = batch,
          .load = service.rate_hz * ns * 1e-9 / size,
          .median_ns = first_wait_ns(training_ns) + wait_ns + ns};
}

// The largest batch that gathers until the latest safe time.
int64_t latest_batch(const BatchedService& service, double training_ns) {
  double batch = 1;
  for (int step = 0; step < 8; ++step)  // a longer batch leaves less time to gather
    batch = gathered_within(
        service, std::max(0.0, service.budget_ns - training_ns / 2 - batch_ns(service, batch)));
  return std::max<int64_t>(1, static_cast<int64_t>(batch));
}

// 1, 2, …, 8, 10, 12, 15, 18, …, the last one included.
std::vector<int64_t> batches_to(int64_t last) {
  std::vector<int64_t> batches;
  for (int64_t batch = 1; batch < last; batch = std::max(batch + 1, batch * 5 / 4))
    batches.push_back(batch);
  batches.push_back(last);
  return batches;
}

int64_t soonest_that_keeps(const std::vector<Gathering>& choices, double lost_load) {
  const double load = choices.back().load + lost_load;
  for (const Gathering& one : choices)
    if (one.load <= load) return one.batch;
  return choices.back().batch;
}

int64_t cheapest(const std::vector<Gathering>& choices, double trained, double ms_of_percent) {
  const auto cost = [&](const Gathering& one) {
    const double lost_pct = 100 * (one.load - choices.back().load) / trained;
    return one.median_ns / ns_of_ms + ms_of_percent * lost_pct;
  };
  return std::ranges::min_element(choices, {}, cost)->batch;
}

}  // namespace

std::vector<int64_t> worth_gathering(const std::vector<BatchedService>& services,
                                     double training_ns, const Preference& preference) {
  std::vector<std::vector<Gathering>> choices;
  double trained = 1;
  for (const BatchedService& service : services) {
    choices.emplace_back();
    for (const int64_t batch : batches_to(latest_batch(service, training_ns)))
      choices.back().push_back(gathering(service, training_ns, batch));
    trained -= choices.back().back().load;
  }
  std::vector<int64_t> gathers;
  for (const std::vector<Gathering>& of_service : choices) {
    if (preference.kind == Preference::Kind::training || !(trained >= least_trained))
      gathers.push_back(until_deadlines);
    else if (preference.kind == Preference::Kind::exchange)
      gathers.push_back(cheapest(of_service, trained, preference.ms_of_percent));
    else
      gathers.push_back(soonest_that_keeps(
          of_service, (1 - kept_training) * trained / static_cast<double>(services.size())));
  }
  return gathers;
}

}  // namespace flyball
