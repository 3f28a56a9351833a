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

// Of documents that others may have written, or an older version: what is missing there, or of
// another type, is empty, never an error.

/// The value under a key; null where there is none.
inline Json value_at(const Json& holder, const char* key) {
  return holder.is_object() && holder.contains(key) ? holder[key] : Json(nullptr);
}

/// "" for what is no text.
inline std::string text_or_empty(const Json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}
inline std::string text_of(const Json& holder, const char* key) {
  return text_or_empty(value_at(holder, key));
}

/// Nothing for what is no number.
inline std::optional<double> number_or_none(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}
inline std::optional<double> number_of(const Json& holder, const char* key) {
  return number_or_none(value_at(holder, key));
}

inline Json list_of(const Json& holder, const char* key) {
  Json value = value_at(holder, key);
  return value.is_array() ? value : Json::array();
}

}  // namespace flyball
