// A document as TOML, read key by key: errors name its file and line.
#pragma once

#include <toml++/toml.h>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace flyball {

/// The first complaint ends the reading. Errors are `invalid_argument`, "FILE:LINE: …".
class TomlReader {
 public:
  explicit TomlReader(std::string file) : file_(std::move(file)) {}

  Error at(const toml::source_region& where, const std::string& complaint,
           const std::string& hint) const;
  Error at(const toml::node& node, const std::string& complaint, const std::string& hint) const {
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
  /// From `low` to `high`.
  Result<double> number(const toml::table& table, const char* key, double otherwise, double low,
                        double high) const;
  /// The sub-table of this name, or null. Error: it is something else.
  Result<const toml::table*> table(const toml::table& parent, const char* key) const;

 private:
  std::string file_;
};

}  // namespace flyball
