// What --axis, --batch-size and --workers say.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace flyball::cli {

/// Axes that are opened or narrowed.
struct AskedAxes {
  std::vector<std::string> texts;  ///< as space/axis_choice.h reads them
  std::set<std::string> of_files;  ///< the axes of those that are a configuration file's defaults
};

}  // namespace flyball::cli
