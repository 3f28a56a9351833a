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

}  // namespace flyball
