#include "boards/board_file.h"

#include <fmt/format.h>

namespace flyball {

Result<BoardFile> BoardFile::parse(const std::string& text, const std::string& name,
                                   const char* page) {
  BoardFile file(name, page);
  try {
    file.document_ = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return file.at(error.source(), std::string(error.description()));
  }
  return file;
}

Error BoardFile::at(const toml::source_region& where, const std::string& complaint) const {
  return {Code::corrupt, fmt::format("{}:{}: {}", name_, where.begin.line, complaint),
          fmt::format("docs/{} says what stands there", page_)};
}

Status BoardFile::only(const toml::table& table, const std::set<std::string>& known) const {
  for (const auto& [key, node] : table)
    if (!known.contains(std::string(key.str())))
      return at(node.source(), fmt::format("unknown key '{}'", key.str()));
  return {};
}

}  // namespace flyball
