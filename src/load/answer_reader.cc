#include "load/answer_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr size_t shown_bytes = 512;  // of a failure's body

}  // namespace

bool AnswerReader::reads_events() const {
  return good() && request_->streamed && head_.event_stream;
}

bool AnswerReader::keeps_body() const {
  return good() && !reads_events() && request_->protocol != LoadProtocol::http;
}

bool AnswerReader::add(std::string_view bytes, int64_t now_ns) {
  if (reads_events()) {
    faulty_ =
        !events_.add(bytes, [&](std::string_view data) { return tokens_.add_event(data, now_ns); });
    return !faulty_;
  }
  // Of tensors behind the JSON nothing is read.
  const size_t kept = !keeps_body()           ? shown_bytes
                      : head_.json_bytes >= 0 ? static_cast<size_t>(head_.json_bytes)
                                              : std::string::npos;
  body_ += bytes.substr(0, kept - std::min(kept, body_.size()));
  return true;
}

bool AnswerReader::has_outputs() const {
  const auto json_bytes = static_cast<size_t>(
      head_.json_bytes < 0 ? static_cast<int64_t>(body_.size()) : head_.json_bytes);
  if (json_bytes > body_.size()) return false;
  const auto document =
      SortedJson::parse(std::string_view(body_).substr(0, json_bytes), nullptr, false);
  if (!document.is_object()) return false;
  const auto outputs = document.find("outputs");
  return outputs != document.end() && outputs->is_array();
}

LoadAnswer AnswerReader::broken(LoadOutcome outcome, const std::string& detail) const {
  LoadAnswer answer;
  answer.outcome = outcome;
  answer.status = static_cast<int16_t>(std::clamp(head_.status, 0, 999));
  answer.first_ns = tokens_.first_ns();
  answer.last_ns = tokens_.last_ns();
  answer.detail = detail;
  return answer;
}

LoadAnswer AnswerReader::finish_good(int64_t now_ns) {
  if (faulty_)
    return broken(LoadOutcome::malformed, tokens_.fault().empty()
                                              ? "an event of the stream is too large"
                                              : tokens_.fault());
  if (request_->protocol == LoadProtocol::oip && !has_outputs())
    return broken(LoadOutcome::malformed, "an answer without outputs: " + printable(body_));
  if (!answers_in_tokens(request_->protocol)) return broken(LoadOutcome::answered, "");
  if (!reads_events() && !tokens_.add_whole(body_, now_ns))
    return broken(LoadOutcome::malformed, tokens_.fault());
  if (reads_events() && (!tokens_.ended() || events_.inside()))
    return broken(LoadOutcome::cut, "the stream ended before [DONE] or a finish_reason");
  LoadAnswer answer = broken(LoadOutcome::answered, "");
  answer.tokens = tokens_.tokens();
  answer.from_usage = tokens_.from_usage();
  if (!reads_events()) answer.first_ns = answer.last_ns = -1;  // nobody saw the first token come
  return answer;
}

LoadAnswer AnswerReader::finish(int64_t now_ns) {
  if (good()) return finish_good(now_ns);
  const bool busy = head_.status == 429 || head_.status == 503;
  return broken(busy ? LoadOutcome::refused : LoadOutcome::http_error,
                fmt::format("status {}: {}", head_.status, printable(body_)));
}

}  // namespace flyball
