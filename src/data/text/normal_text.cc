#include "data/text/normal_text.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>

namespace flyball {
namespace {

enum class Kind : uint8_t { letter, space, dropped, alone };

// The blocks that the tokenizer calls Chinese characters: Han of every plane, without kana and
// hangul, which are written with spaces or as words.
bool is_chinese(UChar32 c) {
  constexpr std::array<std::array<UChar32, 2>, 8> blocks = {{{0x4E00, 0x9FFF},
                                                             {0x3400, 0x4DBF},
                                                             {0x20000, 0x2A6DF},
                                                             {0x2A700, 0x2B73F},
                                                             {0x2B740, 0x2B81F},
                                                             {0x2B820, 0x2CEAF},
                                                             {0xF900, 0xFAFF},
                                                             {0x2F800, 0x2FA1F}}};
  return std::ranges::any_of(blocks, [c](const auto& b) { return c >= b[0] && c <= b[1]; });
}

bool is_space(UChar32 c) {
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return true;
  // Blanks become spaces; line and paragraph separators part words as any white space does.
  const int8_t type = u_charType(c);
  return type == U_SPACE_SEPARATOR || type == U_LINE_SEPARATOR || type == U_PARAGRAPH_SEPARATOR;
}

bool is_dropped(UChar32 c) {
  if (c <= 0 || c == 0xFFFD) return true;  // below zero: not UTF-8
  const int8_t type = u_charType(c);
  return type == U_CONTROL_CHAR || type == U_FORMAT_CHAR;
}

Kind kind_of(UChar32 c) {
  static const std::array<Kind, 128> ascii = [] {
    std::array<Kind, 128> kinds{};
    for (UChar32 i = 0; i < 128; ++i)
      kinds[static_cast<size_t>(i)] = is_space(i)     ? Kind::space
                                      : is_dropped(i) ? Kind::dropped
                                                      : Kind::letter;
    return kinds;
  }();
  if (c >= 0 && c < 128) return ascii[static_cast<size_t>(c)];
  if (is_dropped(c)) return Kind::dropped;
  if (is_space(c)) return Kind::space;
  return is_chinese(c) ? Kind::alone : Kind::letter;
}

// In ASCII also what Unicode calls symbols: $, +, <, =, >, ^, `, |, ~.
bool is_punctuation(char32_t c) {
  if (c < 128)
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126);
  return u_ispunct(static_cast<UChar32>(c));
}

bool has(const NormalChar& c, UProperty property) {
  return u_hasBinaryProperty(static_cast<UChar32>(c.value), property);
}

// A capital sigma that ends its word (The Unicode Standard, table 3-17): what can be skipped aside,
// a letter that has case before it and none behind.
bool ends_word(std::span<const NormalChar> word, size_t at) {
  const auto cased = [](const NormalChar& c) { return has(c, UCHAR_CASED); };
  const auto counts = [](const NormalChar& c) { return !has(c, UCHAR_CASE_IGNORABLE); };
  const auto before = std::ranges::find_if(word.first(at).rbegin(), word.first(at).rend(), counts);
  if (before == word.first(at).rend() || !cased(*before)) return false;
  const auto behind = word.subspan(at + 1);
  const auto next = std::ranges::find_if(behind, counts);
  return next == behind.end() || !cased(*next);
}

// In small letters. Two capitals have no single one: sigma, by its place, and the dotted I, whose
// dot is an accent that is dropped afterwards.
char32_t lower(std::span<const NormalChar> word, size_t at) {
  const char32_t c = word[at].value;
  if (c == 0x3A3) return ends_word(word, at) ? 0x3C2 : 0x3C3;
  if (c == 0x130) return 'i';
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
}

const UNormalizer2* canonical_decomposition() {
  UErrorCode problem = U_ZERO_ERROR;  // the data stand inside of the library
  static const UNormalizer2* const instance = unorm2_getNFDInstance(&problem);
  return instance;
}

}  // namespace

// NFD, and no accents (non-spacing marks).
void WordSplitter::decompose() {
  normal_.clear();
  std::array<UChar, 32> units{};  // the longest decomposition has 4 characters
  for (size_t i = 0; i < chunk_.size(); ++i) {
    const auto c = static_cast<UChar32>(lower(chunk_, i));
    const auto put = [&](UChar32 value) {
      normal_.push_back({static_cast<char32_t>(value), chunk_[i].begin, chunk_[i].end});
    };
    UErrorCode problem = U_ZERO_ERROR;
    const int32_t length =
        unorm2_getDecomposition(canonical_decomposition(), c, units.data(), units.size(), &problem);
    if (length < 0 || U_FAILURE(problem)) {
      put(c);
      continue;
    }
    for (int32_t u = 0; u < length;) {
      UChar32 part = 0;
      U16_NEXT(units.data(), u, length, part);
      put(part);
    }
  }
  // Marks behind one letter stand in the order of their classes, equal ones as they came.
  const auto rank = [](const NormalChar& c) {
    return u_getCombiningClass(static_cast<UChar32>(c.value));
  };
  for (auto begin = normal_.begin(); begin != normal_.end();) {
    if (rank(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end =
        std::find_if(begin, normal_.end(), [&](const NormalChar& c) { return rank(c) == 0; });
    std::stable_sort(begin, end,
                     [&](const NormalChar& a, const NormalChar& b) { return rank(a) < rank(b); });
    begin = end;
  }
  std::erase_if(normal_, [](const NormalChar& c) {
    return u_charType(static_cast<UChar32>(c.value)) == U_NON_SPACING_MARK;
  });
}

void WordSplitter::end_chunk(const Words& word) {
  if (plain_) {
    for (NormalChar& c : chunk_)
      if (c.value >= 'A' && c.value <= 'Z') c.value += 'a' - 'A';
    normal_.swap(chunk_);
  } else {
    decompose();
  }
  const std::span<const NormalChar> all = normal_;
  size_t begin = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_punctuation(all[i].value)) continue;
    if (begin < i) word(all.subspan(begin, i - begin));
    word(all.subspan(i, 1));
    begin = i + 1;
  }
  if (begin < all.size()) word(all.subspan(begin));
  chunk_.clear();
  plain_ = true;
}

void WordSplitter::split(std::string_view text, const Words& word) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const size_t size = text.size();
  chunk_.clear();
  plain_ = true;
  for (size_t i = 0; i < size;) {
    const size_t begin = i;
    UChar32 c = bytes[i];
    if (c < 128)
      ++i;
    else
      U8_NEXT(bytes, i, size, c);
    const Kind kind = kind_of(c);
    if (kind == Kind::dropped) continue;
    if (kind != Kind::letter) end_chunk(word);
    if (kind == Kind::space) continue;
    chunk_.push_back(
        {static_cast<char32_t>(c), static_cast<uint32_t>(begin), static_cast<uint32_t>(i)});
    plain_ = plain_ && c < 128;
    if (kind == Kind::alone) end_chunk(word);
  }
  end_chunk(word);
}

}  // namespace flyball
