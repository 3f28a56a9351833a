// What is not known is null in a JSON document, never 0 or an estimate.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace flyball {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace flyball
