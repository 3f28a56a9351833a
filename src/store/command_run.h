// A command's run ends as the command ended.
#pragma once

#include <cstdint>
#include <string>

#include "store/store.h"

namespace flyball {

/// Ends it as done with its answer as JSON, or without one as interrupted or failed.
Status end_run(Store& store, int64_t run, const Status& how, const std::string& answer);

}  // namespace flyball
