// One JSON document as one line of text.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace flyball {

/// Without blanks; what is no UTF-8 is replaced, which JSON does not bear.
std::string json_line(const Json& document);
std::string json_line(const SortedJson& document);

}  // namespace flyball
