#include "base/status.h"

namespace flyball {

const char* code_name(Code code) {
  switch (code) {
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::not_found:
      return "not_found";
    case Code::infeasible:
      return "infeasible";
    case Code::unavailable:
      return "unavailable";
    case Code::permission:
      return "permission";
    case Code::io:
      return "io";
    case Code::corrupt:
      return "corrupt";
    case Code::conflict:
      return "conflict";
    case Code::interrupted:
      return "interrupted";
    case Code::internal:
      return "internal";
    case Code::out_of_memory:
      return "out_of_memory";
  }
  return "internal";
}

}  // namespace flyball
