#include "boards/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace flyball {

Error TomlReader::at(const toml::source_region& where, const std::string& complaint,
                     const std::string& hint) const {
  return {Code::invalid_argument, fmt::format("{}:{}: {}", file_, where.begin.line, complaint),
          hint};
}

Status TomlReader::only(const toml::table& table, const std::string& where,
                        const std::vector<std::string>& known) const {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto meant = closest(name, known);
    return at(key.source(), fmt::format("unknown key '{}'{}", name, where),
              meant ? fmt::format("did you mean '{}'?", *meant) : "one of: " + join(known, ", "));
  }
  return {};
}

Result<std::string> TomlReader::text(const toml::table& table, const char* key,
                                     const std::string& otherwise) const {
  const toml::node* node = table.get(key);
  if (!node) return otherwise;
  if (const auto value = node->value_exact<std::string>()) return *value;
  return at(*node, fmt::format("{} is no text", key), "write it in quotes");
}

Result<double> TomlReader::number(const toml::table& table, const char* key, double otherwise,
                                  double low, double high) const {
  const toml::node* node = table.get(key);
  if (!node) return otherwise;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (value && *value >= low && *value <= high) return *value;
  return at(*node, fmt::format("{} is out of range or no number", key),
            fmt::format("a number from {} to {}", format_number(low), format_number(high)));
}

Result<const toml::table*> TomlReader::table(const toml::table& parent, const char* key) const {
  const toml::node* node = parent.get(key);
  if (!node) return static_cast<const toml::table*>(nullptr);
  if (const toml::table* found = node->as_table()) return found;
  return at(*node, fmt::format("{} is no table", key), fmt::format("write [{}]", key));
}

}  // namespace flyball
