// TorchScript files as networks: the user's own module, saved from Python.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "workload/network.h"
#include "workload/stepper.h"

namespace flyball {

/// Loads the module that "script:FILE" names, and that of its loss (StepOptions::inputs, loss).
/// Without a loss of its own its forward gives N×classes logits, alone or as the first of a tuple
/// or the only entry of a dict. Errors: no such file, no TorchScript, no parameters to train when
/// it trains, a tensor that the data has not.
Result<std::shared_ptr<Network>> load_script(const std::string& workload,
                                             const StepOptions& options);

/// The parameters of a script by their names in it; none of any other network.
std::vector<NamedTensor> script_weights(const Network& network);

/// While it lives, scripts run operator by operator, as they are written.
class PlainScripts {
 public:
  PlainScripts();
  ~PlainScripts();
  PlainScripts(const PlainScripts&) = delete;
  PlainScripts& operator=(const PlainScripts&) = delete;

 private:
  bool before_;
};

}  // namespace flyball
