#include "sql/postgres_text.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace flyball {
namespace {

bool has_no_value(const Value& value) {
  const auto* real = std::get_if<double>(&value.held);
  return std::holds_alternative<std::monostate>(value.held) || (real && std::isnan(*real));
}

// The length of the UTF-8 sequence at the front; 0: there is none.
size_t sequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first == 0 ? 0 : 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : length;
}

std::string hex_of(std::string_view bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 0xf];
  }
  return text;
}

std::string number_text(double value) {
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);  // as many digits as it takes to read the same number
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::string well_formed(std::string_view text) {
  std::string cleaned;
  cleaned.reserve(text.size());
  while (!text.empty()) {
    const size_t length = sequence(text);
    if (length == 0)
      cleaned += "\xef\xbf\xbd";
    else
      cleaned += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return cleaned;
}

std::string postgres_statement(std::string_view sql, std::span<const Value> values) {
  std::string text;
  size_t next = 0;
  bool quoted = false;
  for (size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '\'') quoted = !quoted;
    if (sql[i] != '?' || quoted) {
      text += sql[i];
      continue;
    }
    size_t number = 0;
    while (i + 1 < sql.size() && std::isdigit(static_cast<unsigned char>(sql[i + 1])))
      number = 10 * number + static_cast<size_t>(sql[++i] - '0');
    if (number == 0) number = next + 1;
    next = number;
    const bool null = number > values.size() || has_no_value(values[number - 1]);
    text += null ? "NULL" : fmt::format("${}", number);
  }
  return text;
}

std::string postgres_text(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.held)) return *flag ? "1" : "0";
  if (const auto* integer = std::get_if<int64_t>(&value.held)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value.held)) return number_text(*real);
  if (const auto* text = std::get_if<std::string_view>(&value.held)) return well_formed(*text);
  if (const auto* blob = std::get_if<Value::Blob>(&value.held)) return hex_of(blob->bytes);
  return "";
}

void append_copy_row(std::string& to, std::span<const Value> row) {
  bool first = true;
  for (const Value& value : row) {
    if (!first) to += '\t';
    first = false;
    if (has_no_value(value)) {
      to += "\\N";
      continue;
    }
    for (const char c : postgres_text(value)) switch (c) {
        case '\\':
          to += "\\\\";
          break;
        case '\n':
          to += "\\n";
          break;
        case '\r':
          to += "\\r";
          break;
        case '\t':
          to += "\\t";
          break;
        default:
          to += c;
      }
  }
  to += '\n';
}

std::string bytes_of_hex(std::string_view text) {
  std::string bytes;
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return bytes;
  bytes.reserve(text.size() / 2 - 1);
  for (size_t i = 2; i < text.size(); i += 2) {
    const int high = digit_of(text[i]), low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

}  // namespace flyball
