// The seam between what schedules and what brings requests: an HTTP endpoint, an arrival source or
// a test hands requests over, and hears of each exactly once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/batch.h"
#include "workload/checkpoint.h"

namespace flyball {

/// One network that is served, as clients see it.
struct ServiceInfo {
  std::string name;                 ///< the workload's
  std::vector<TensorSpec> inputs;   ///< of one sample; −1: any size
  std::vector<TensorSpec> outputs;  ///< likewise
  int64_t largest_batch = 1;        ///< samples that one request may carry
  double latency_s = 0;             ///< budget, from acceptance to answer
};

/// Why a request got no answer.
enum class RefusalReason : uint8_t {
  none,         ///< it has one, or what it holds was at fault (InferAnswer::outputs)
  overload,     ///< it could not be answered within the latency budget
  queue_full,   ///< as many wait as may
  draining,     ///< the service is about to end
  not_ready,    ///< warm-up has not ended
  unknown_name  ///< no such service
};
const char* refusal_name(RefusalReason reason);  ///< "overload", "queue_full", …

/// What came of a request.
struct InferAnswer {
  Result<std::vector<StoredTensor>> outputs;  ///< one row for each sample of the request
  RefusalReason refused = RefusalReason::none;
  double retry_after_s = 0;  ///< of a refusal: when it may be tried again
  double latency_s = 0;      ///< from acceptance to answer: queue included
  int64_t batch = 0;         ///< samples of the minibatch that it was answered in
};

struct InferRequest {
  std::vector<StoredTensor> inputs;  ///< the first size of each shape is `samples`
  int64_t samples = 1;
  /// Called exactly once, from any thread; must not block, and must not submit.
  std::function<void(InferAnswer)> done;
  /// Whether the client can be told these outputs; what it cannot has failed, with this error. None
  /// takes all. Called from the thread that computes.
  std::function<Status(const std::vector<StoredTensor>&)> can_tell{};
};

/// What serves. Thread-safe.
class Serving {
 public:
  virtual ~Serving() = default;
  /// Fixed once ready() has said yes.
  virtual const std::vector<ServiceInfo>& services() const = 0;
  /// Warm-up has ended and nothing drains.
  virtual bool ready() const = 0;
  /// A request has come while it was not ready(), and is not even read: counts it, and says when
  /// it may come again.
  virtual InferAnswer turn_away(size_t service);
  /// Takes the request or refuses it at once (then `done` is called before this returns).
  virtual void submit(size_t service, InferRequest request) = 0;
};

}  // namespace flyball
