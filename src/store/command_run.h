// The run of one command: gone on with where it was interrupted, and ended as the command ended.
#pragma once

#include <cstdint>
#include <string>

#include "store/store.h"

namespace flyball {

/// Goes on with the latest interrupted run that asks for the same, else begins one; its number.
Result<int64_t> begin_or_resume(Store& store, const RunRequest& request);
/// Ends it as done with its answer as JSON, or without one as interrupted or failed.
Status end_run(Store& store, int64_t run, const Status& how, const std::string& answer);

}  // namespace flyball
