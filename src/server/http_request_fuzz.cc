// Any bytes on a connection are read in one way, however they arrive: the same messages, bodies and
// refusal byte by byte as all at once, with nothing beyond the limits.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/http_access.h"
#include "server/http_text.h"
#include "server/request_body.h"
#include "server/request_head.h"

namespace flyball {
namespace {

constexpr size_t head_limit = 1024;
constexpr BodyLimits body_limits{2048, 256};

/// What a connection's bytes say, in words.
class Reading {
 public:
  void take(std::string_view bytes) {
    in_ += bytes;
    while (!ended_ && step()) {
    }
  }
  std::string words() const { return words_; }

 private:
  // False: more bytes are needed.
  bool step() {
    if (!body_) return read_head();
    std::string piece;
    const size_t taken = body_->read(in_, [&piece](std::string_view data) {
      piece += data;
      return std::optional<RequestFault>();
    });
    if (taken > in_.size() || piece.size() > taken) std::abort();
    in_.erase(0, taken);
    data_ += piece;
    if (data_.size() > body_limits.body_bytes) std::abort();
    if (body_->fault()) return refuse(*body_->fault());
    if (!body_->done()) return false;
    words_ += "body " + data_ + "\n";
    data_.clear();
    body_.reset();
    return true;
  }

  bool read_head() {
    const auto found = end_.find(in_, head_limit);
    if (const auto* fault = std::get_if<RequestFault>(&found)) return refuse(*fault);
    const size_t size = std::get<size_t>(found);
    if (size == 0) return false;
    if (size > in_.size() || size > head_limit) std::abort();
    const auto parsed = parse_head(std::string_view(in_).substr(0, size));
    if (const auto* fault = std::get_if<RequestFault>(&parsed)) return refuse(*fault);
    const auto& head = std::get<RequestHead>(parsed);
    in_.erase(0, size);
    end_ = {};
    const std::string path = path_of(segments_of(head.target));
    // Whoever has no token gets only to what needs none.
    if (!refuse_access(head, path, "s3cret", true) && path != "/" &&
        !path.starts_with("/v2/health/") && !head.authorization.ends_with("s3cret"))
      std::abort();
    words_ += head.method + " " + head.target + " of " + head.host + "\n";
    body_.emplace(head, body_limits);
    return true;
  }

  bool refuse(const RequestFault& fault) {
    if (fault.status < 400 || fault.message.empty()) std::abort();
    words_ += std::to_string(fault.status) + " " + fault.message + "\n";
    ended_ = true;
    return false;
  }

  std::string in_, data_, words_;
  HeadEnd end_;
  std::optional<BodyReader> body_;
  bool ended_ = false;
};

}  // namespace
}  // namespace flyball

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Reading whole, byte_by_byte, pieces;
  whole.take(bytes);
  for (size_t i = 0; i < size; ++i) byte_by_byte.take(bytes.substr(i, 1));
  for (size_t i = 0; i < size; i += 7) pieces.take(bytes.substr(i, 7));
  if (whole.words() != byte_by_byte.words() || whole.words() != pieces.words()) std::abort();
  return 0;
}
