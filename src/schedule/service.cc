#include "schedule/service.h"

namespace flyball {

const char* refusal_name(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::overload:
      return "overload";
    case RefusalReason::queue_full:
      return "queue_full";
    case RefusalReason::draining:
      return "draining";
    case RefusalReason::not_ready:
      return "not_ready";
    case RefusalReason::unknown_name:
      return "unknown_name";
    case RefusalReason::none:
      break;
  }
  return "none";
}

InferAnswer Serving::turn_away(size_t) {
  InferAnswer answer{
      Error{Code::unavailable, "it warms up, or is about to end", "try again later"}};
  answer.refused = RefusalReason::not_ready;
  answer.retry_after_s = 1;
  return answer;
}

}  // namespace flyball
