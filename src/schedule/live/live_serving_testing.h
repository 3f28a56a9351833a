// What tests of serving with real clocks share: networks and trainings that do as they are told.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "schedule/live/live_serving.h"

namespace flyball {

/// Answers the number that a request brings, doubled; takes so long for each batch.
class Doubler final : public InferenceRunner {
 public:
  explicit Doubler(int64_t takes_ns) : takes_ns_(takes_ns) {
    info_.name = "double";
    info_.largest_batch = 8;
  }
  const ServiceInfo& info() const override { return info_; }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    sleep_until_ns(monotonic_ns() + takes_ns_);
    std::vector<std::vector<StoredTensor>> answers;
    for (const InferRequest& request : requests) {
      StoredTensor answer = request.inputs.front();
      answer.bytes += answer.bytes;
      answers.push_back({answer});
    }
    return answers;
  }
  InferRequest example(int64_t samples) const override {
    InferRequest request;
    request.samples = samples;
    request.inputs.push_back({"text", DType::uint8, {samples}, std::string("x")});
    request.done = [](const InferAnswer&) {};
    return request;
  }

 private:
  int64_t takes_ns_;
  ServiceInfo info_;
};

struct Counts {
  std::atomic<int> steps{0}, saves{0};
};

class Trainer final : public TrainingRunner {
 public:
  explicit Trainer(Counts& counts, int fails_at = 0, bool keeps = true)
      : counts_(counts), fails_at_(fails_at), keeps_(keeps) {}
  Status step() override {
    sleep_until_ns(monotonic_ns() + 2'000'000);
    if (++counts_.steps == fails_at_) return Error{Code::io, "the disk is gone", ""};
    return {};
  }
  Status save() override {
    ++counts_.saves;
    return keeps_ ? Status() : Status(Error{Code::io, "no space left", "make room"});
  }

 private:
  Counts& counts_;
  int fails_at_;
  bool keeps_;
};

inline ServiceRules rules(int64_t latency_ms) {
  ServiceRules made;
  made.name = "double";
  made.latency_ns = latency_ms * 1'000'000;
  return made;
}

/// A change that sets a mode.
inline PlanChange to_mode(const std::string& mode, std::function<Status()> set) {
  PlanChange change;
  change.why.mode = mode;
  change.why.why = "a test";
  change.plan.largest_batch = {4};
  change.plan.trainings_per_s = {50};
  change.set_mode = std::move(set);
  change.switch_s = 0.001;
  return change;
}

inline InferRequest asking(std::vector<InferAnswer>& answers) {
  InferRequest request;
  request.inputs.push_back({"text", DType::uint8, {1}, "x"});
  request.done = [&answers](const InferAnswer& answer) { answers.push_back(answer); };
  return request;
}

}  // namespace flyball
