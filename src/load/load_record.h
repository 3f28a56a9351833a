// One request of a load test, from when it was due to its end.
#pragma once

#include <cstdint>
#include <string>

namespace flyball {

enum class LoadOutcome : uint8_t {
  answered,
  refused,       ///< 429 or 503: the server says that it is busy
  http_error,    ///< another status than 2xx
  malformed,     ///< an answer that is not what the protocol says, or larger than allowed
  cut,           ///< the connection ended in the middle of an answer
  disconnected,  ///< no connection, or it ended before an answer began
  timed_out,     ///< no whole answer within --timeout of when it was due
  unsent,        ///< waited for a free connection for as long
};
const char* outcome_name(LoadOutcome outcome);

/// Times in ns from the start of the load; −1: did not come to that.
struct LoadRecord {
  int64_t due_ns = 0;
  int64_t free_ns = -1;   ///< due, and a connection was free
  int64_t sent_ns = -1;   ///< given to its connection
  int64_t first_ns = -1;  ///< first content that was not empty: of streams
  int64_t last_ns = -1;   ///< last content: of streams
  int64_t done_ns = -1;   ///< the whole answer is here, or its failure
  LoadOutcome outcome = LoadOutcome::unsent;
  int32_t tokens = -1;      ///< of the answer
  bool from_usage = false;  ///< else content chunks were counted as tokens
  int16_t status = 0;

  bool answered() const { return outcome == LoadOutcome::answered; }
};

/// How a request ended.
struct LoadAnswer {
  LoadOutcome outcome = LoadOutcome::answered;
  int64_t first_ns = -1, last_ns = -1;  ///< monotonic
  int32_t tokens = -1;
  bool from_usage = false;
  int16_t status = 0;
  std::string detail{};  ///< what went wrong, with what the server said of it
};

}  // namespace flyball
