// Words of a text by number: its vocabulary, and text as numbers of words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace flyball {

inline constexpr const char* unknown_word = "<unk>";
inline constexpr const char* end_of_line = "<eos>";

/// A vocabulary: number 0 is "<unk>", which stands for all words that are not in it, and 1 is
/// "<eos>", the end of a line.
class Words {
 public:
  /// The most frequent of the counted words, at most `most` with those two; by frequency, equals by
  /// their bytes. Words that are not plain UTF-8 do not enter.
  Words(const std::unordered_map<std::string, int64_t>& counts, int64_t most);
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  /// 0 for a word that is not in it.
  int64_t number(std::string_view word) const {
    const auto found = numbers_.find(word);
    return found == numbers_.end() ? 0 : found->second;
  }
  const std::string& word(int64_t number) const { return words_[static_cast<size_t>(number)]; }

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string_view, int64_t> numbers_;  ///< over words_
};

/// A place in a file, as messages name it: "line 3, byte 120".
struct TextPlace {
  int64_t line = 1;  ///< from 1
  uint64_t byte = 0;
  std::string text() const;
};

/// Calls word(text, begin) for each token of `bytes`: what blanks separate, and "\n" for each line
/// end, where `begin` is its offset.
template <class Word>
void for_each_token(std::string_view bytes, const Word& word) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  for (size_t i = 0; i < bytes.size();) {
    if (is_blank(bytes[i])) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (bytes[i] != '\n')
      while (end < bytes.size() && !is_blank(bytes[end]) && bytes[end] != '\n') ++end;
    word(bytes.substr(i, end - i), i);
    i = end;
  }
}

/// The numbers of the tokens of `bytes`, which begins at `place` of its file, into all of `out`.
/// Errors: a word that is no plain UTF-8, by its place; fewer or more tokens than `out` takes.
Status number_tokens(const Words& words, std::string_view bytes, const TextPlace& place,
                     std::span<int64_t> out);

}  // namespace flyball
