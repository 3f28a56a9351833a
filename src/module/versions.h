// Versions of the libraries that do the work: part of what makes measurements comparable.
#pragma once

#include <string>

#include "base/status.h"

namespace flyball {

/// "LibTorch 1.13.1", read from the module's file; "no LibTorch" where there is no module.
std::string library_versions();

/// Whether networks can run here: no module or no LibTorch is an error before the first trial.
/// LibTorch is loaded only where its files are not as they were.
Status check_libraries();

}  // namespace flyball
