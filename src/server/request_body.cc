#include "server/request_body.h"

#include <algorithm>

namespace flyball {
namespace {

constexpr size_t most_digits = 15;  // of a chunk's size: no overflow of 64 bits

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const char low = static_cast<char>(c | 0x20);
  if (low >= 'a' && low <= 'f') return static_cast<unsigned>(low - 'a' + 10);
  return {};
}

bool is_text(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

}  // namespace

BodyReader::BodyReader(const RequestHead& head, const BodyLimits& limits)
    : limits_(limits), chunked_(head.framing == BodyFraming::chunked), left_(head.length) {
  if (chunked_) state_ = State::size;
  if (head.framing == BodyFraming::none) state_ = State::done;
  if (left_ > limits_.body_bytes) refuse({413, "the body is too large"});
}

size_t BodyReader::read(std::string_view bytes, const Sink& sink) {
  size_t taken = 0;
  while (taken < bytes.size() && !fault_ && state_ != State::done) {
    if (state_ == State::data)
      taken += take_data(bytes.substr(taken), sink);
    else
      take(bytes[taken++]);
  }
  return taken;
}

size_t BodyReader::take_data(std::string_view bytes, const Sink& sink) {
  const auto n = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
  if (auto fault = sink(bytes.substr(0, n))) refuse(std::move(*fault));
  left_ -= n;
  if (left_ == 0) state_ = chunked_ ? State::data_cr : State::done;
  return n;
}

void BodyReader::take(char c) {
  switch (state_) {
    case State::data_cr:
      return expect(c, '\r', State::data_lf);
    case State::data_lf:
      return expect(c, '\n', State::size);
    case State::size:
      return take_size(c);
    case State::extension:
      count_framing(400, "the extensions of chunks are too long");
      if (c == '\r')
        state_ = State::size_lf;
      else if (!is_text(c))
        refuse({400, "malformed request: a control character in a chunk's extension"});
      return;
    case State::size_lf:
      expect(c, '\n', State::size);
      return begin_chunk();
    case State::last_lf:
      return expect(c, '\n', State::done);
    default:
      return take_trailer(c);
  }
}

void BodyReader::take_size(char c) {
  if (const auto digit = hex_digit(c); digit && digits_ < most_digits) {
    left_ = left_ * 16 + *digit;
    ++digits_;
  } else if (digits_ > 0 && (c == ';' || c == '\r')) {
    state_ = c == ';' ? State::extension : State::size_lf;
  } else {
    refuse({400, "malformed request: the size of a chunk is not a number"});
  }
}

void BodyReader::begin_chunk() {
  if (fault_) return;
  digits_ = 0;
  sum_ += left_;
  if (left_ > limits_.body_bytes || sum_ > limits_.body_bytes)
    return refuse({413, "the body is too large"});
  state_ = left_ > 0 ? State::data : State::trailer;
}

void BodyReader::take_trailer(char c) {
  count_framing(431, "the trailers are too large");
  switch (state_) {
    case State::trailer:
      if (c == '\r') {
        state_ = State::last_lf;
        return;
      }
      state_ = State::trailer_name;
      if (!is_token_char(c)) refuse({400, "malformed request: a trailer is not NAME: VALUE"});
      return;
    case State::trailer_name:
      if (c == ':')
        state_ = State::trailer_value;
      else if (!is_token_char(c))
        refuse({400, "malformed request: a trailer is not NAME: VALUE"});
      return;
    case State::trailer_value:
      if (c == '\r')
        state_ = State::trailer_lf;
      else if (!is_text(c))
        refuse({400, "malformed request: a control character in a trailer"});
      return;
    default:
      return expect(c, '\n', State::trailer);
  }
}

void BodyReader::expect(char c, char wanted, State next) {
  if (c == wanted)
    state_ = next;
  else
    refuse({400, "malformed request: a line of the body's framing does not end with CR LF"});
}

void BodyReader::count_framing(int status, const char* what) {
  if (++framing_ > limits_.framing_bytes) refuse({status, what});
}

void BodyReader::refuse(RequestFault fault) {
  if (!fault_) fault_ = std::move(fault);
}

}  // namespace flyball
