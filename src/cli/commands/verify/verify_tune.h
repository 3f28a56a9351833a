// One short tune, to see that modes are set, measured and put back by the whole of Flyball.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/doctor/verification.h"

namespace flyball::cli {

struct ShortTune {
  std::filesystem::path root = "/";
  std::vector<std::string> axes{};  ///< as --axis takes them: the only values that are set
  double trial_s = 10;
  size_t trials = 3;
};

/// Of lenet5 on a few drawn digits where LibTorch is, else of a shell's loop. Nothing is kept in a
/// store. Error: `interrupted`; all else is a step that failed.
Result<CheckedStep> short_tune(const ShortTune& request);

}  // namespace flyball::cli
