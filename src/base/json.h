// What is not known is null in a JSON document, never 0 or an estimate.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/status.h"

namespace flyball {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// A figure that is not known is NaN in the code (infinite where there is no limit).
inline nlohmann::ordered_json or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// A text that says nothing is null.
inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

/// `code`, `message`, `hint`.
inline nlohmann::ordered_json to_json(const Error& error) {
  return {{"code", code_name(error.code)}, {"message", error.message}, {"hint", error.hint}};
}

}  // namespace flyball
