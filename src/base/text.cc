#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/lower.h"

namespace flyball {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

namespace {

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

// Length of the UTF-8 character in front; 0 when there is none. Overlong forms, surrogates and what
// lies beyond U+10FFFF are none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool beyond = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
  return overlong || beyond ? 0 : length;
}

// Its bytes; empty where the text begins with a control character (of two bytes, too), or with no
// character.
std::string_view printable_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = utf8_length(text);
  const bool control =
      byte(0) < 0x20 || byte(0) == 0x7f || (length == 2 && byte(0) == 0xc2 && byte(1) < 0xa0);
  return control ? std::string_view() : text.substr(0, length);
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

}  // namespace

std::string text_fault(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return "is not UTF-8";
    if (is_control(text[0]))
      return fmt::format("holds the control character 0x{:02x}",
                         static_cast<unsigned char>(text[0]));
    text.remove_prefix(length);
  }
  return {};
}

std::string printable(std::string_view text, size_t most) {
  std::string shown;
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view character = printable_character(text.substr(at));
    const size_t size = std::max<size_t>(1, character.size());
    if (at + size > most) return shown + "…";
    shown += character.empty() ? "?" : character;
    at += size;
  }
  return shown;
}

std::optional<double> parse_double(std::string_view text) {
  const auto number = parse_whole<double>(text);
  return number ? std::optional(*number + 0.0) : number;  // "-0" is 0
}
std::optional<long long> parse_integer(std::string_view text) {
  return parse_whole<long long>(text);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
  std::string joined;
  for (const std::string& piece : pieces) {
    if (&piece != &pieces.front()) joined += separator;
    joined += piece;
  }
  return joined;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::string format_number(double value) {
  return fmt::format("{}", value);
}

// Capitals are none of the difference: nobody means another name by them.
std::optional<std::string> closest(std::string_view wrong, const std::vector<std::string>& names) {
  const std::string small = lower(std::string(wrong));
  size_t best = std::max<size_t>(2, wrong.size() / 3) + 1;
  std::optional<std::string> found;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(small, lower(name));
    if (distance < best && 2 * distance < std::max(wrong.size(), name.size())) {
      best = distance;
      found = name;
    }
  }
  return found;
}

std::string name_hint(std::string_view wrong, const std::vector<std::string>& names,
                      std::string otherwise) {
  if (const auto meant = closest(wrong, names)) return fmt::format("did you mean '{}'?", *meant);
  return otherwise.empty() ? "one of: " + join(names, ", ") : std::move(otherwise);
}

}  // namespace flyball
