// A model that answers with what it was sent, at once: what the endpoint itself costs. It is none
// of `flyball workloads`.
#pragma once

#include <memory>

#include "schedule/live/live_serving.h"

namespace flyball {

inline constexpr const char* identity_name = "identity";

class IdentityServing final : public Serving {
 public:
  IdentityServing();
  const std::vector<ServiceInfo>& services() const override { return services_; }
  bool ready() const override { return true; }
  void submit(size_t service, InferRequest request) override;

 private:
  std::vector<ServiceInfo> services_;
};

/// The same as a job of the scheduler.
std::unique_ptr<InferenceRunner> make_identity_runner();

}  // namespace flyball
