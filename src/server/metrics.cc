#include "server/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "monitor/metrics_text.h"

namespace flyball {
namespace {

void add_state(std::string& text, const LiveState& state) {
  begin_metric(text, "flyball_queue_requests", "gauge", "Requests that wait.");
  for (const ServiceState& s : state.services)
    add_sample(text, "flyball_queue_requests", metric_label("model", s.name), s.waiting);
  begin_metric(text, "flyball_training_minibatches_total", "counter", "Minibatches trained.");
  for (const TrainingState& t : state.trainings)
    add_sample(text, "flyball_training_minibatches_total", metric_label("model", t.name),
               t.minibatches);
  if (std::isfinite(state.power_w)) {
    begin_metric(text, "flyball_power_watts", "gauge", "Power of the board.");
    add_sample(text, "flyball_power_watts", "", state.power_w);
  }
  begin_metric(text, "flyball_mode_info", "gauge", "The power mode that is set.");
  add_sample(text, "flyball_mode_info",
             metric_label("device", state.device) + "," + metric_label("mode", state.mode), 1);
  begin_metric(text, "flyball_replans_total", "counter", "Plans made anew.");
  add_sample(text, "flyball_replans_total", "", state.replans);
  begin_metric(text, "flyball_mode_switches_total", "counter", "Changes of the power mode.");
  add_sample(text, "flyball_mode_switches_total", "", state.switches);
}

}  // namespace

void Histogram::add(double value) {
  const auto bucket = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  ++counts_[static_cast<size_t>(bucket)];
  sum_ += value;
}

void Histogram::write(std::string& text, const std::string& name, const std::string& labels) const {
  uint64_t below = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    below += counts_[i];
    fmt::format_to(std::back_inserter(text), "{}_bucket{{{},le=\"{}\"}} {}\n", name, labels,
                   i < bounds_.size() ? fmt::format("{}", bounds_[i]) : "+Inf", below);
  }
  fmt::format_to(std::back_inserter(text), "{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", name,
                 labels, sum_, below);
}

ServingMetrics::ServingMetrics(const std::vector<ServiceInfo>& services) {
  for (const ServiceInfo& service : services) {
    std::vector<double> latencies, batches;
    for (int power = 0; power < 18; ++power)  // 0.5 ms to 65.536 s
      latencies.push_back(std::ldexp(0.0005, power));
    for (int64_t b = 1; b < service.largest_batch; b *= 2)
      batches.push_back(static_cast<double>(b));
    batches.push_back(static_cast<double>(service.largest_batch));
    services_.push_back({service.name, service.latency_s, 0, 0, 0, 0,
                         Histogram(std::move(latencies)), Histogram(std::move(batches))});
  }
}

void ServingMetrics::answered(size_t service, const InferAnswer& answer) {
  const std::lock_guard lock(mutex_);
  OfService& of = services_.at(service);
  if (answer.refused != RefusalReason::none) {
    ++of.refused;
  } else if (!answer.outputs.ok()) {
    ++of.failed;
  } else {
    ++(answer.latency_s > of.budget_s ? of.late : of.in_time);
    of.latency_s.add(answer.latency_s);
    of.batch_size.add(static_cast<double>(answer.batch));
  }
}

void ServingMetrics::bad_request() {
  const std::lock_guard lock(mutex_);
  ++bad_;
}

void ServingMetrics::no_room() {
  const std::lock_guard lock(mutex_);
  ++no_room_;
}

std::string ServingMetrics::text(const LiveState& state) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  const char* requests = "flyball_requests_total";
  begin_metric(text, requests, "counter", "Requests by what came of them.");
  for (const OfService& s : services_) {
    const std::string model = metric_label("model", s.name);
    const auto told = std::ranges::find(state.services, s.name, &ServiceState::name);
    const bool counted_here = told == state.services.end();
    const auto outcome = [&](const char* name, uint64_t here, uint64_t there) {
      add_sample(text, requests, fmt::format("{},outcome=\"{}\"", model, name),
                 counted_here ? here : there);
    };
    const ServiceState all = counted_here ? ServiceState() : *told;
    outcome("in_time", s.in_time, all.answered - all.late);
    outcome("late", s.late, all.late);
    outcome("refused", s.refused, all.refused);
    outcome("failed", s.failed, all.failed);
  }
  begin_metric(text, "flyball_bad_requests_total", "counter",
               "Requests that were none, or to no model.");
  add_sample(text, "flyball_bad_requests_total", "", bad_);
  begin_metric(text, "flyball_no_room_requests_total", "counter",
               "Requests that there was no memory for, or for their answers (--body-memory).");
  add_sample(text, "flyball_no_room_requests_total", "", no_room_);
  begin_metric(text, "flyball_request_latency_seconds", "histogram",
               "Of requests over HTTP, from acceptance to answer, the queue included.");
  for (const OfService& s : services_)
    s.latency_s.write(text, "flyball_request_latency_seconds", metric_label("model", s.name));
  begin_metric(text, "flyball_batch_size", "histogram",
               "Samples of the minibatch that answered a request over HTTP.");
  for (const OfService& s : services_)
    s.batch_size.write(text, "flyball_batch_size", metric_label("model", s.name));
  add_state(text, state);
  return text;
}

}  // namespace flyball
