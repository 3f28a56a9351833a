// The head of an HTTP/1.1 request, read strictly: what two readers could understand in two ways is
// refused, so no proxy in front of this server can disagree with it about where a message ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace flyball {

/// A request that cannot be read: the status of its answer, after which the connection is closed.
struct RequestFault {
  int status = 400;
  std::string message{};
};

/// How the end of a body is known.
enum class BodyFraming { none, length, chunked };

struct RequestHead {
  std::string method, target;
  std::string host, origin, authorization;  ///< "" where the field is absent
  std::string content_encoding, inference_header_length;
  bool has_origin = false;
  BodyFraming framing = BodyFraming::none;
  uint64_t length = 0;  ///< of the body, with BodyFraming::length
  bool keep_alive = true;
  bool expects_continue = false;
};

/// Finds the empty line that ends a head, in bytes that arrive piece by piece.
class HeadEnd {
 public:
  /// `bytes`: all that arrived since the head began. Returns the head's size with the empty line, 0
  /// while more is needed, or the fault: a bare CR or LF, a control character, more than `limit`
  /// bytes.
  std::variant<size_t, RequestFault> find(std::string_view bytes, size_t limit);

 private:
  size_t seen_ = 0, line_ = 0;  // bytes looked at; where the current line begins
};

/// Reads a head that HeadEnd has found. Refused: a request line that is not METHOD /TARGET
/// HTTP/1.x, more than 100 fields, folded lines, a Host that is missing or given twice, any other
/// field that decides something given twice, Transfer-Encoding other than "chunked" or beside a
/// Content-Length, a Content-Length that is not all digits.
std::variant<RequestHead, RequestFault> parse_head(std::string_view head);

/// A character of a method or of a field's name.
bool is_token_char(char c);
/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

}  // namespace flyball
