// The store, for commands that only look at what is in it.
#pragma once

#include <string>

#include "store/stored_trials.h"

namespace flyball::cli {

/// The store that `--store` names, which must be there, else the default one, which may be new.
Result<Store> open_stored(const std::string& place);

/// "note: 2 disturbed trials are left out" on stderr; nothing where all count.
void tell_left_out(const LeftOutTrials& left_out);

}  // namespace flyball::cli
