#include "base/json_line.h"

#include <nlohmann/json.hpp>

namespace flyball {

std::string json_line(const nlohmann::ordered_json& document) {
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string json_line(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace flyball
