// Versions of the libraries that do the work: part of what makes measurements comparable.
#pragma once

#include <string>

namespace flyball {

/// "LibTorch 1.13.1".
std::string library_versions();

}  // namespace flyball
