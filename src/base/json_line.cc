#include "base/json_line.h"

#include "base/json.h"

namespace flyball {

std::string json_line(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_line(const SortedJson& document) {
  return document.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
}

}  // namespace flyball
