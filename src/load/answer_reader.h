// What one answer of a server is, read as it comes. Nothing in it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "load/load_record.h"
#include "load/load_request.h"
#include "load/stream_reader.h"

namespace flyball {

struct AnswerLimits {
  size_t header_bytes = size_t{64} << 10;
  size_t body_bytes = size_t{64} << 20;
};

/// The head of an answer.
struct AnswerHead {
  int status = 0;
  bool event_stream = false;  ///< Content-Type: text/event-stream
  int64_t json_bytes = -1;    ///< Inference-Header-Content-Length; −1: none
};

class AnswerReader {
 public:
  explicit AnswerReader(const LoadRequest& request) : request_(&request) {}

  void head(const AnswerHead& head) { head_ = head; }
  /// A piece of the body, at a time. False: no more of it is worth reading.
  bool add(std::string_view bytes, int64_t now_ns);
  /// The whole answer has come.
  LoadAnswer finish(int64_t now_ns);
  /// It has not: what there is of it, as so ended.
  LoadAnswer broken(LoadOutcome outcome, const std::string& detail) const;
  bool begun() const { return head_.status != 0; }

 private:
  bool good() const { return head_.status >= 200 && head_.status < 300; }
  bool reads_events() const;
  bool keeps_body() const;
  LoadAnswer finish_good(int64_t now_ns);
  bool has_outputs() const;

  const LoadRequest* request_;
  AnswerHead head_;
  std::string body_;  ///< of an answer in one piece, or the beginning of what a failure says
  EventReader events_;
  TokenReader tokens_;
  bool faulty_ = false;
};

}  // namespace flyball
