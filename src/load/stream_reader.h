// Answers of language models as they come: server-sent events, tokens, usage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace flyball {

/// Bytes of an event stream as the data of its events (WHATWG HTML, 9.2). What comes is not
/// trusted: a line or an event beyond `most_event_bytes` ends it.
class EventReader {
 public:
  static constexpr size_t most_event_bytes = size_t{1} << 20;
  using Listener = std::function<bool(std::string_view data)>;

  /// Calls with the data of each event that is complete. False: an event is too large, or the
  /// listener said so.
  bool add(std::string_view bytes, const Listener& listener);
  /// Is there part of an event that has not ended?
  bool inside() const { return has_data_ || !line_.empty(); }

 private:
  bool end_line(const Listener& listener);

  std::string line_, data_;
  bool has_data_ = false, after_return_ = false;
};

/// What one streamed answer, or one in a single piece, has said so far.
class TokenReader {
 public:
  /// The data of an event, at a time. False: it is not JSON, or tells of an error (fault()).
  bool add_event(std::string_view data, int64_t now_ns);
  /// A whole answer that was not streamed.
  bool add_whole(std::string_view body, int64_t now_ns);

  bool ended() const { return ended_; }           ///< said [DONE], or why it stopped
  int64_t first_ns() const { return first_ns_; }  ///< of content that is not empty; −1: none
  int64_t last_ns() const { return last_ns_; }
  /// By `usage`, else content chunks; −1: neither.
  int32_t tokens() const;
  bool from_usage() const { return usage_ >= 0; }
  const std::string& fault() const { return fault_; }

 private:
  bool read(std::string_view text, int64_t now_ns, bool whole);

  int64_t first_ns_ = -1, last_ns_ = -1;
  int32_t usage_ = -1, chunks_ = 0;
  bool ended_ = false;
  std::string fault_;
};

}  // namespace flyball
