// The JSON documents of Flyball.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace flyball {

/// Keys stand in the order in which they were written.
using Json = nlohmann::ordered_json;
/// Keys stand in alphabetical order: of texts that are compared byte for byte, and of what others
/// wrote.
using SortedJson = nlohmann::json;

}  // namespace flyball
