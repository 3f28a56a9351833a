// Mutated messages against a running endpoint, and a second strict reader of the same bytes,
// written apart from the server's: it works on the whole text and knows no limits but the head's
// size.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace flyball {

/// One message of a connection as the second reader sees it.
struct ReadMessage {
  enum class Kind { whole, malformed, cut } kind = Kind::cut;
  std::string method, body;
  bool sound_head = false;  ///< what is malformed or cut off is its body
  bool asks_close = false;  ///< the connection ends behind it, whatever is answered
};

class SecondReader {
 public:
  explicit SecondReader(std::string_view bytes) : rest_(bytes) {}

  /// All messages up to the first that is not whole.
  std::vector<ReadMessage> messages() {
    std::vector<ReadMessage> all;
    while (!rest_.empty()) {
      all.push_back(message());
      if (all.back().kind != ReadMessage::Kind::whole) break;
    }
    return all;
  }

 private:
  using Kind = ReadMessage::Kind;
  static constexpr std::string_view crlf = "\r\n";

  static std::string lower(std::string_view text) {
    std::string all(text);
    std::ranges::transform(all, all.begin(), [](unsigned char c) { return std::tolower(c); });
    return all;
  }
  static std::string_view stripped(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
  }
  static bool is_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
      return std::isalnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) !=
                                    std::string_view::npos;
    });
  }
  static bool is_printable(std::string_view text) {
    return std::ranges::all_of(
        text, [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
  }

  // The next line without its end. `kind` says why there is none.
  std::string_view line(Kind& kind) {
    const size_t end = rest_.find_first_of(crlf);
    const std::string_view text = rest_.substr(0, end);
    kind = Kind::malformed;
    if (!is_printable(text)) return {};
    if (end == std::string_view::npos || rest_.substr(end) == "\r") {
      kind = Kind::cut;
      return {};
    }
    if (!rest_.substr(end).starts_with(crlf)) return {};
    kind = Kind::whole;
    rest_.remove_prefix(end + 2);
    return text;
  }

  ReadMessage message() {
    ReadMessage read;
    std::vector<std::string_view> lines;
    const size_t size_before = rest_.size();
    do {
      lines.push_back(line(read.kind));
      if (read.kind == Kind::cut && size_before > 16384) read.kind = Kind::malformed;
      if (read.kind != Kind::whole) return read;
    } while (!lines.back().empty() && lines.size() < 2000);
    if (size_before - rest_.size() > 16384) read.kind = Kind::malformed;
    lines.pop_back();
    read.sound_head = !lines.empty() && read.kind == Kind::whole && head(lines, read);
    if (!read.sound_head) read.kind = Kind::malformed;
    if (read.kind == Kind::whole) body(read);
    return read;
  }

  bool head(const std::vector<std::string_view>& lines, ReadMessage& read) {
    const std::string_view first = lines.front();
    const size_t space = first.find(' '), second = first.find(' ', space + 1);
    if (second == std::string_view::npos) return false;
    read.method = first.substr(0, space);
    const std::string_view target = first.substr(space + 1, second - space - 1);
    const std::string_view version = first.substr(second + 1);
    if (!is_word(read.method) || !target.starts_with('/')) return false;
    if (target.find_first_of("\t#") != std::string_view::npos) return false;
    if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
    read.asks_close = version == "HTTP/1.0";
    std::vector<std::string> hosts, lengths, codings, expects, others;
    for (const std::string_view field : std::vector(lines.begin() + 1, lines.end())) {
      const size_t colon = field.find(':');
      if (colon == std::string_view::npos || !is_word(field.substr(0, colon))) return false;
      const std::string name = lower(field.substr(0, colon));
      const std::string value(stripped(field.substr(colon + 1)));
      if (name == "host") hosts.push_back(value);
      if (name == "connection" && lower(value).find("close") != std::string::npos)
        read.asks_close = true;
      if (name == "content-length") lengths.push_back(value);
      if (name == "transfer-encoding") codings.push_back(lower(value));
      if (name == "expect") expects.push_back(lower(value));
      for (const char* once :
           {"origin", "authorization", "content-encoding", "inference-header-content-length"})
        if (name == once) others.push_back(name);
    }
    std::ranges::sort(others);
    if (std::ranges::adjacent_find(others) != others.end() || lines.size() > 101) return false;
    if (hosts.size() != 1 || lengths.size() + codings.size() > 1 || expects.size() > 1)
      return false;
    if (!expects.empty() && expects[0] != "100-continue") return false;
    if (!codings.empty() && (codings[0] != "chunked" || version == "HTTP/1.0")) return false;
    chunked_ = !codings.empty();
    length_ = 0;
    if (lengths.empty()) return true;
    const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    if (lengths[0].empty() || !std::ranges::all_of(lengths[0], digit)) return false;
    if (lengths[0].size() > 9 && lengths[0].find_first_not_of('0') != std::string::npos)
      return false;  // too large in these tests
    length_ =
        std::stoull(lengths[0].substr(lengths[0].size() - std::min<size_t>(9, lengths[0].size())));
    return true;
  }

  void body(ReadMessage& read) {
    if (!chunked_) {
      if (rest_.size() < length_) read.kind = Kind::cut;
      if (length_ > most_body) read.kind = Kind::malformed;
      read.body = rest_.substr(0, length_);
      rest_.remove_prefix(std::min(length_, rest_.size()));
      return;
    }
    while (true) {
      // A line that is cut off in its middle may be malformed already.
      const std::string_view start = rest_.substr(0, rest_.find_first_of("\r\n;"));
      if (start.size() > 15 ||
          start.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos ||
          (start.empty() && !rest_.empty())) {
        read.kind = Kind::malformed;
        return;
      }
      const std::string_view size = line(read.kind);
      if (read.kind != Kind::whole) return;
      const size_t n = std::stoull(std::string(size.substr(0, size.find(';'))), nullptr, 16);
      if (n == 0) return trailers(read);
      if (read.body.size() + n > most_body) {
        read.kind = Kind::malformed;
        return;
      }
      read.body += rest_.substr(0, n);
      rest_.remove_prefix(std::min(n, rest_.size()));
      const std::string_view end = rest_.substr(0, 2);
      if (end != crlf) {
        read.kind = crlf.starts_with(end) ? Kind::cut : Kind::malformed;
        return;
      }
      rest_.remove_prefix(2);
    }
  }

  void trailers(ReadMessage& read) {
    while (true) {
      const std::string_view before = rest_;
      const std::string_view field = line(read.kind);
      const std::string_view text = before.substr(0, before.find_first_of(crlf));
      const std::string_view name = text.substr(0, text.find(':'));
      const bool ends = text.size() == name.size() && before.size() == text.size();
      if (read.kind == Kind::cut && !text.empty() && !is_word(name)) read.kind = Kind::malformed;
      if (read.kind == Kind::cut && !text.empty() && text.size() == name.size() && !ends)
        read.kind = Kind::malformed;
      if (read.kind != Kind::whole) return;
      if (field.empty()) return;
      if (field.find(':') == std::string_view::npos || !is_word(name)) {
        read.kind = Kind::malformed;
        return;
      }
    }
  }

  static constexpr size_t most_body = 1 << 20;
  std::string_view rest_;
  bool chunked_ = false;
  size_t length_ = 0;
};

/// Changes a few things of `text`, some of them such as desynchronise readers.
inline std::string mutated(std::string text, const std::vector<std::string>& others,
                           Random& random) {
  static const std::vector<std::string> bits = {"\r\n",
                                                "\n",
                                                "\r",
                                                " ",
                                                "\t",
                                                ":",
                                                ";",
                                                ",",
                                                "\"",
                                                std::string(1, '\0'),
                                                "0",
                                                "5",
                                                "\r\n ",
                                                "0\r\n\r\n",
                                                "\r\n\r\n",
                                                "\xff",
                                                "x",
                                                "-1",
                                                "+",
                                                "0x",
                                                "Transfer-Encoding: chunked\r\n",
                                                "Transfer-Encoding: xchunked\r\n",
                                                "Content-Length: 5\r\n",
                                                "Host: localhost\r\n",
                                                "Connection: close\r\n",
                                                "chunked, ",
                                                "GET /v2 HTTP/1.1\r\n",
                                                "Expect: 100-continue\r\n",
                                                "HTTP/1.0",
                                                "; a=b"};
  const size_t changes = 1 + random.below(4);
  for (size_t i = 0; i < changes && !text.empty(); ++i) {
    const size_t at = random.below(text.size()), n = 1 + random.below(8);
    switch (random.below(6)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, n);
        break;
      case 2:
        text.insert(at, bits[random.below(bits.size())]);
        break;
      case 3:
        text.insert(at, text.substr(at, n));
        break;
      case 4: {  // at the beginning of a line, where fields stand
        const size_t line = text.find("\r\n", at);
        if (line != std::string::npos) text.insert(line + 2, bits[random.below(bits.size())]);
        break;
      }
      default: {
        const std::string& other = others[random.below(others.size())];
        const size_t from = random.below(other.size());
        text.insert(at, other.substr(from, 1 + random.below(40)));
      }
    }
  }
  return text;
}

}  // namespace flyball
