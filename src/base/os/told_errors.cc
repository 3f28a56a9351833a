#include "base/os/told_errors.h"

namespace flyball {

Status told_together(const Status& first, const Status& later) {
  if (first.ok()) return later;
  if (later.ok()) return first;
  Error both = first.error();
  both.message += "; and then: " + later.error().message;
  if (!both.hint.empty() && !later.error().hint.empty() && both.hint != later.error().hint)
    both.hint += "; ";
  if (both.hint != later.error().hint) both.hint += later.error().hint;
  return both;
}

std::string in_one_line(const Error& error) {
  return error.message + (error.hint.empty() ? "" : " (" + error.hint + ")");
}

}  // namespace flyball
