#include "boards/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace flyball {

Result<toml::table> TomlReader::parse(std::string_view text) const {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    return at(error.source(), std::string(error.description()));
  }
}

Error TomlReader::at(const toml::source_region& where, const std::string& complaint,
                     const std::string& hint) const {
  return {Code::invalid_argument, fmt::format("{}:{}: {}", file_, where.begin.line, complaint),
          hint.empty() ? fmt::format("docs/{} says what stands there", page_) : hint};
}

Status TomlReader::only(const toml::table& table, const std::string& where,
                        const std::vector<std::string>& known) const {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) != known.end()) continue;
    return at(key.source(), fmt::format("unknown key '{}'{}", name, where), name_hint(name, known));
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

Error TomlReader::no_number(const toml::table& table, const char* key, const char* kind, double low,
                            double high) const {
  const toml::node* node = table.get(key);
  return at(node ? *node : table,
            node ? fmt::format("{} is out of range or no {}", key, kind)
                 : fmt::format("{} is missing", key),
            fmt::format("a {} from {} to {}", kind, format_number(low), format_number(high)));
}

Result<const toml::table*> TomlReader::table(const toml::table& parent, const char* key) const {
  const toml::node* node = parent.get(key);
  if (!node) return static_cast<const toml::table*>(nullptr);
  if (const toml::table* found = node->as_table()) return found;
  return at(*node, fmt::format("{} is no table", key), fmt::format("write [{}]", key));
}

}  // namespace flyball
