// Errors as text: one with its remedy in a line, and two of which neither is kept from the reader.
#pragma once

#include <string>

#include "base/status.h"

namespace flyball {

/// Success where both are; the failure of one; or the first one's with the later one's behind it.
Status told_together(const Status& first, const Status& later);

/// "message (hint)", or the message alone where there is no hint.
std::string in_one_line(const Error& error);

}  // namespace flyball
