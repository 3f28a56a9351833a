// TorchScript files as networks: the user's own module, saved from Python.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "workload/classifier.h"

namespace flyball {

/// Loads the module that "script:FILE" names. Its forward takes N×C×H×W floats and gives N×classes
/// logits, alone or as the first of a tuple or the only entry of a dict. Errors: no such file, no
/// TorchScript, no parameters to train when `training`.
Result<std::shared_ptr<Network>> load_script(const std::string& workload, const NetworkShape& shape,
                                             bool training);

}  // namespace flyball
