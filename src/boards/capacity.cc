#include "boards/capacity.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/amounts.h"
#include "base/text.h"
#include "boards/spec.h"
#include "boards/toml_reader.h"

namespace flyball {
namespace {

constexpr double least_gib = 1e-3, most_gib = 4096;

}  // namespace

Result<BoardCapacity> parse_board_capacity(const std::string& text, const std::string& file) {
  const TomlReader reader(file, "boards.md");
  FLYBALL_ASSIGN(const toml::table document, reader.parse(text));
  FLYBALL_ASSIGN(const toml::table* table, reader.table(document, "capacity"));
  if (!table) return reader.at(document, "[capacity] is missing");
  BoardCapacity capacity;
  for (const auto& [key, into] : {std::pair{"memory_gib", &capacity.memory_bytes},
                                  {"system_gib", &capacity.system_bytes},
                                  {"libtorch_gib", &capacity.libtorch_bytes}}) {
    FLYBALL_ASSIGN(const double value,
                   reader.number(*table, key, std::nullopt, least_gib, most_gib));
    *into = value * gibibyte;
  }
  if (capacity.left_bytes() <= 0) return reader.at(*table, "more is taken than there is");
  if (const toml::array* sources = (*table)["sources"].as_array())
    for (const toml::node& source : *sources)
      capacity.sources.push_back(source.value_or(std::string()));
  if (capacity.sources.empty()) return reader.at(*table, "sources are missing");
  return capacity;
}

std::vector<std::string> boards_with_capacity() {
  std::vector<std::string> names;
  for (const BoardText& board : board_texts()) {
    const std::string_view file = board.file;
    names.emplace_back(file.substr(0, file.find('.')));
  }
  std::ranges::sort(names);
  return names;
}

Result<BoardCapacity> board_capacity(std::string_view id) {
  for (const BoardText& board : board_texts()) {
    const std::string file = board.file;
    if (file.substr(0, file.find('.')) == id) return parse_board_capacity(board.text, file);
  }
  const auto meant = closest(id, boards_with_capacity());
  return Error{Code::not_found, fmt::format("how much memory '{}' has is not known", id),
               meant ? fmt::format("did you mean '{}'? Else say it with --memory 4GB", *meant)
                     : fmt::format("one of: {}; or say it with --memory 4GB",
                                   fmt::join(boards_with_capacity(), ", "))};
}

}  // namespace flyball
