#include "data/text/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace flyball {

Words::Words(const std::unordered_map<std::string, int64_t>& counts, int64_t most) {
  std::vector<const std::pair<const std::string, int64_t>*> known;
  known.reserve(counts.size());
  for (const auto& entry : counts)
    if (entry.first != unknown_word && entry.first != end_of_line &&
        text_fault(entry.first).empty())
      known.push_back(&entry);
  std::ranges::sort(known, [](const auto* a, const auto* b) {
    return a->second != b->second ? a->second > b->second : a->first < b->first;
  });
  const auto room = static_cast<size_t>(std::max<int64_t>(most - 2, 0));
  if (known.size() > room) known.resize(room);
  words_ = {unknown_word, end_of_line};
  words_.reserve(known.size() + 2);
  for (const auto* entry : known) words_.push_back(entry->first);
  numbers_.reserve(words_.size());
  for (const std::string& word : words_)
    numbers_.emplace(word, static_cast<int64_t>(numbers_.size()));
}

std::string TextPlace::text() const {
  return fmt::format("line {}, byte {}", line, byte);
}

Status number_tokens(const Words& words, std::string_view bytes, const TextPlace& place,
                     std::span<int64_t> out) {
  size_t count = 0;
  int64_t line = place.line;
  std::optional<Error> error;
  for_each_token(bytes, [&](std::string_view token, size_t begin) {
    if (error) return;
    const size_t at = count++;
    if (token == "\n") ++line;
    if (const std::string fault = token == "\n" ? "" : text_fault(token); !fault.empty())
      error = Error{Code::corrupt,
                    fmt::format("{}: a word {}", TextPlace{line, place.byte + begin}.text(), fault),
                    "mend the file, or leave such samples out with --on-bad skip"};
    else if (at < out.size())
      out[at] = token == "\n" ? 1 : words.number(token);
  });
  if (error) return *error;
  if (count != out.size())
    return Error{Code::corrupt,
                 fmt::format("{}: {} words where {} were", place.text(), count, out.size()),
                 "the file has changed since it was opened: begin again"};
  return {};
}

}  // namespace flyball
