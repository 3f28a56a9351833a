// What `flyball doctor` says of a machine, for other commands as well.
#pragma once

#include <filesystem>

#include "base/json_fwd.h"

namespace flyball::cli {

/// The document of `flyball doctor --json --root ROOT`.
Json doctor_document(const std::filesystem::path& root);

}  // namespace flyball::cli
