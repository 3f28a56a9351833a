// The store, for commands that only look at what is in it.
#pragma once

#include <string>

#include "store/store.h"

namespace flyball::cli {

/// The store that `--store` names, which must be there, else the default one, which may be new.
Result<Store> open_stored(const std::string& place);

}  // namespace flyball::cli
