// One JSON document as one line of text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace flyball {

/// Without blanks; what is no UTF-8 is replaced, which JSON does not bear.
std::string json_line(const nlohmann::ordered_json& document);
std::string json_line(const nlohmann::json& document);

}  // namespace flyball
