// Where a request's body ends, and what of the bytes belongs to it. Nothing is kept here: data is
// handed on as it arrives, and what surrounds it (sizes of chunks, extensions, trailers) is counted
// and forgotten.
#pragma once

#include <functional>

#include "server/request_head.h"

namespace flyball {

struct BodyLimits {
  uint64_t body_bytes = 64 << 20;
  size_t framing_bytes = 16 << 10;  ///< of extensions, and of trailers, of a whole message
};

class BodyReader {
 public:
  /// Takes a piece of the body; a fault says why not.
  using Sink = std::function<std::optional<RequestFault>(std::string_view)>;

  BodyReader(const RequestHead& head, const BodyLimits& limits);
  /// Reads on; returns how many bytes were taken: all of them, unless the body has ended or there
  /// is a fault.
  size_t read(std::string_view bytes, const Sink& sink);
  bool done() const { return state_ == State::done; }
  const std::optional<RequestFault>& fault() const { return fault_; }

 private:
  enum class State {
    data,     // of a whole body, or of a chunk
    data_cr,  // behind a chunk
    data_lf,
    size,  // of the next chunk
    extension,
    size_lf,
    trailer,  // at the beginning of a line
    trailer_name,
    trailer_value,
    trailer_lf,
    last_lf,
    done
  };
  size_t take_data(std::string_view bytes, const Sink& sink);
  void take(char c);
  void take_size(char c);
  void take_trailer(char c);
  void expect(char c, char wanted, State next);
  void count_framing(int status, const char* what);
  void begin_chunk();
  void refuse(RequestFault fault);

  BodyLimits limits_;
  bool chunked_ = false;
  State state_ = State::data;
  uint64_t left_ = 0;  // of the body or the chunk
  uint64_t sum_ = 0;   // of all chunks
  size_t digits_ = 0, framing_ = 0;
  std::optional<RequestFault> fault_;
};

}  // namespace flyball
