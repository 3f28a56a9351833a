#include "server/request_head.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace flyball {
namespace {

constexpr size_t most_fields = 100;

RequestFault malformed(const std::string& what) {
  return {400, "malformed request: " + what};
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const size_t end = text.find_last_not_of(" \t");
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

// Takes the first line off `text`, without its CRLF.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find("\r\n");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

// The fields that decide something; each may stand in a head once.
struct Fields {
  std::optional<std::string_view> host, origin, authorization, content_length, transfer_encoding,
      content_encoding, expect, inference_header_length;

  std::optional<std::string_view>* named(const std::string& name) {
    if (name == "host") return &host;
    if (name == "origin") return &origin;
    if (name == "authorization") return &authorization;
    if (name == "content-length") return &content_length;
    if (name == "transfer-encoding") return &transfer_encoding;
    if (name == "content-encoding") return &content_encoding;
    if (name == "expect") return &expect;
    if (name == "inference-header-content-length") return &inference_header_length;
    return nullptr;
  }
};

class HeadParser {
 public:
  std::variant<RequestHead, RequestFault> parse(std::string_view text) {
    auto fault = request_line(take_line(text));
    for (size_t count = 0; !fault && text != "\r\n"; ++count) {
      if (count == most_fields) fault = RequestFault{431, "the request has too many header fields"};
      if (!fault) fault = field(take_line(text));
    }
    if (!fault) fault = framing();
    if (!fault) fault = expectation();
    if (fault) return *fault;
    head_.host = *fields_.host;
    head_.has_origin = fields_.origin.has_value();
    head_.origin = fields_.origin.value_or("");
    head_.authorization = fields_.authorization.value_or("");
    head_.content_encoding = lower_case(fields_.content_encoding.value_or(""));
    head_.inference_header_length = fields_.inference_header_length.value_or("");
    head_.keep_alive = !closes_ && (!old_ || keeps_);
    return std::move(head_);
  }

 private:
  using Fault = std::optional<RequestFault>;

  Fault request_line(std::string_view line) {
    const size_t first = line.find(' '), last = line.rfind(' ');
    if (first == std::string_view::npos || first == last)
      return malformed("the first line is not METHOD TARGET VERSION");
    head_.method = line.substr(0, first);
    head_.target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    if (head_.method.empty() || !std::ranges::all_of(head_.method, is_token_char))
      return malformed("the method is not a word");
    if (!head_.target.starts_with('/') || head_.target.find_first_of(" \t#") != std::string::npos)
      return malformed("the target is not a path that begins with /");
    if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.')
      return malformed("the version is not HTTP/1.1");
    if (version != "HTTP/1.1" && version != "HTTP/1.0")
      return RequestFault{505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
    old_ = version == "HTTP/1.0";
    return {};
  }

  Fault field(std::string_view line) {
    const size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() ||
        !std::ranges::all_of(name, is_token_char))
      return malformed("a header line is not NAME: VALUE");
    const std::string key = lower_case(name);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (key == "connection") connection(value);
    std::optional<std::string_view>* place = fields_.named(key);
    if (!place) return {};
    if (place->has_value()) return malformed("the field " + key + " is given twice");
    *place = value;
    return {};
  }

  void connection(std::string_view list) {
    while (true) {
      const size_t comma = std::min(list.find(','), list.size());
      const std::string option = lower_case(trimmed(list.substr(0, comma)));
      closes_ = closes_ || option == "close";
      keeps_ = keeps_ || option == "keep-alive";
      if (comma == list.size()) return;
      list.remove_prefix(comma + 1);
    }
  }

  Fault framing() {
    if (!fields_.host) return malformed("there is no Host");
    if (const auto coding = fields_.transfer_encoding) {
      if (fields_.content_length)
        return malformed("Transfer-Encoding stands beside Content-Length");
      if (old_) return malformed("HTTP/1.0 has no Transfer-Encoding");
      if (lower_case(*coding) != "chunked")
        return malformed("the only Transfer-Encoding taken here is chunked");
      head_.framing = BodyFraming::chunked;
    } else if (const auto length = fields_.content_length) {
      const char* end = length->data() + length->size();
      const auto [stop, error] = std::from_chars(length->data(), end, head_.length);
      if (error == std::errc::result_out_of_range && stop == end)
        return RequestFault{413, "the body is too large"};
      if (error != std::errc() || stop != end)
        return malformed("Content-Length is not a whole number");
      if (head_.length > 0) head_.framing = BodyFraming::length;
    }
    return {};
  }

  Fault expectation() {
    if (!fields_.expect) return {};
    if (lower_case(*fields_.expect) != "100-continue")
      return RequestFault{417, "the only Expect taken here is 100-continue"};
    head_.expects_continue = !old_;
    return {};
  }

  RequestHead head_;
  Fields fields_;
  bool old_ = false, closes_ = false, keeps_ = false;
};

}  // namespace

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return lower;
}

std::variant<size_t, RequestFault> HeadEnd::find(std::string_view bytes, size_t limit) {
  for (; seen_ < std::min(bytes.size(), limit); ++seen_) {
    const char c = bytes[seen_];
    const bool after_cr = seen_ > 0 && bytes[seen_ - 1] == '\r';
    if (after_cr != (c == '\n')) return malformed("a line does not end with CR LF");
    if (c == '\n') {
      if (seen_ - line_ == 1 && line_ > 0) return ++seen_;
      if (seen_ == 1) return malformed("it begins with an empty line");
      line_ = seen_ + 1;
    } else if (is_control(c) && c != '\t' && c != '\r') {
      return malformed("a control character in the header");
    }
  }
  if (seen_ < limit) return size_t{0};
  return RequestFault{431, "the header is too large"};
}

std::variant<RequestHead, RequestFault> parse_head(std::string_view head) {
  return HeadParser().parse(head);
}

}  // namespace flyball
