// A document as TOML, read key by key: errors name its file and line.
#pragma once

#include <toml++/toml.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status.h"

namespace flyball {

/// The first complaint ends the reading. Errors are `invalid_argument`, "FILE:LINE: …".
class TomlReader {
 public:
  /// `page`: of docs/, which says what stands there: the hint of errors that have no other.
  TomlReader(std::string file, const char* page) : file_(std::move(file)), page_(page) {}

  Result<toml::table> parse(std::string_view text) const;

  Error at(const toml::source_region& where, const std::string& complaint,
           const std::string& hint = "") const;
  Error at(const toml::node& node, const std::string& complaint,
           const std::string& hint = "") const {
    return at(node.source(), complaint, hint);
  }
  Error at(const toml::node& node, const Error& error) const {
    return at(node, error.message, error.hint);
  }

  /// Error: the table has a key that is not known; `where`: " in [fixed]".
  Status only(const toml::table& table, const std::string& where,
              const std::vector<std::string>& known) const;
  Result<std::string> text(const toml::table& table, const char* key,
                           const std::string& otherwise = "") const;
  /// From `low` to `high`; whole where T is. Error: it is missing, and there is no `otherwise`.
  template <class T = double>
  Result<T> number(const toml::table& table, const char* key,
                   std::type_identity_t<std::optional<T>> otherwise, std::type_identity_t<T> low,
                   std::type_identity_t<T> high) const {
    const toml::node* node = table.get(key);
    if (!node && otherwise) return *otherwise;
    const auto value = node && node->is_number() ? node->value<T>() : std::nullopt;
    if (value && *value >= low && *value <= high) return *value;
    return no_number(table, key, std::is_integral_v<T> ? "whole number" : "number",
                     static_cast<double>(low), static_cast<double>(high));
  }
  /// The sub-table of this name, or null. Error: it is something else.
  Result<const toml::table*> table(const toml::table& parent, const char* key) const;

 private:
  Error no_number(const toml::table& table, const char* key, const char* kind, double low,
                  double high) const;

  std::string file_;
  const char* page_;
};

}  // namespace flyball
