#include "answers/notes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {
namespace {

constexpr size_t most_notes = 8;

}  // namespace

std::string notes_text(const std::vector<std::string>& notes, bool verbose) {
  std::string text;
  const size_t shown = verbose ? notes.size() : std::min(notes.size(), most_notes);
  for (size_t i = 0; i < shown; ++i) text += fmt::format("note: {}\n", notes[i]);
  if (shown < notes.size())
    text += fmt::format("note: {} more (--verbose shows all)\n", notes.size() - shown);
  return text;
}

}  // namespace flyball
