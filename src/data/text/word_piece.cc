#include "data/text/word_piece.h"

#include <unicode/utf8.h>

#include <algorithm>

namespace flyball {
namespace {

constexpr size_t kLongestWord = 100;  // characters

Token token_of(int64_t id, std::span<const NormalChar> chars) {
  Token token{id, chars.front().begin, chars.front().end};
  for (const NormalChar& c : chars) {
    token.begin = std::min(token.begin, c.begin);
    token.end = std::max(token.end, c.end);
  }
  return token;
}

void append_utf8(std::string& text, char32_t value) {
  uint8_t bytes[U8_MAX_LENGTH];
  size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, static_cast<UChar32>(value));
  text.append(reinterpret_cast<const char*>(bytes), length);
}

}  // namespace

void WordPiece::cut_word(std::span<const NormalChar> word, WordPieceScratch& scratch,
                         std::vector<Token>& tokens) const {
  if (word.size() > kLongestWord) {
    tokens.push_back(token_of(vocabulary_.unknown(), word));
    return;
  }
  std::string& text = scratch.word;
  std::vector<size_t>& bounds = scratch.bounds;
  text.clear();
  bounds.clear();
  for (const NormalChar& c : word) {
    bounds.push_back(text.size());
    append_utf8(text, c.value);
  }
  bounds.push_back(text.size());
  const size_t before = tokens.size();
  for (size_t begin = 0; begin < word.size();) {
    size_t end = word.size();
    int64_t id = -1;
    for (; end > begin; --end) {
      if (bounds[end] - bounds[begin] > vocabulary_.longest()) continue;
      const auto piece = std::string_view(text).substr(bounds[begin], bounds[end] - bounds[begin]);
      id = begin == 0 ? vocabulary_.begins(piece) : vocabulary_.goes_on(piece);
      if (id >= 0) break;
    }
    if (id < 0) {
      tokens.resize(before);
      tokens.push_back(token_of(vocabulary_.unknown(), word));
      return;
    }
    tokens.push_back(token_of(id, word.subspan(begin, end - begin)));
    begin = end;
  }
}

void WordPiece::cut(std::string_view text, WordPieceScratch& scratch,
                    std::vector<Token>& tokens) const {
  tokens.clear();
  scratch.splitter.split(
      text, [&](std::span<const NormalChar> word) { cut_word(word, scratch, tokens); });
}

}  // namespace flyball
