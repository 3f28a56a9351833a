#include "load/load_record.h"

namespace flyball {

const char* outcome_name(LoadOutcome outcome) {
  switch (outcome) {
    case LoadOutcome::answered:
      return "answered";
    case LoadOutcome::refused:
      return "refused";
    case LoadOutcome::http_error:
      return "http_error";
    case LoadOutcome::malformed:
      return "malformed";
    case LoadOutcome::cut:
      return "cut";
    case LoadOutcome::disconnected:
      return "disconnected";
    case LoadOutcome::timed_out:
      return "timed_out";
    case LoadOutcome::unsent:
      return "unsent";
  }
  return "?";
}

}  // namespace flyball
