// Where one thing has failed and then another: neither is kept from the reader.
#pragma once

#include "base/status.h"

namespace flyball {

/// Success where both are; the failure of one; or the first one's with the later one's behind it.
Status told_together(const Status& first, const Status& later);

}  // namespace flyball
