// A TorchScript file as the user names it, judged without LibTorch.
#pragma once

#include <string>

#include "base/status.h"

namespace flyball {

/// Errors: there is no such file, it cannot be read to its end, or does not begin as one.
Status check_script_file(const std::string& file);

}  // namespace flyball
