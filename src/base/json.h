// What is not known is null in a JSON document, never 0 or an estimate.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"

namespace flyball {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A figure that is not known is NaN in the code (infinite where there is no limit).
inline Json or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// A text that says nothing is null.
inline Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

/// `code`, `message`, `hint`.
inline Json to_json(const Error& error) {
  return {{"code", code_name(error.code)}, {"message", error.message}, {"hint", error.hint}};
}

}  // namespace flyball
