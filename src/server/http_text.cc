#include "server/http_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <optional>

#include "base/json.h"
#include "base/json_line.h"

namespace flyball {
namespace {

std::optional<int> hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  if (low >= 'a' && low <= 'f') return low - 'a' + 10;
  return {};
}

// Ends its stream with itself.
class Inflater {
 public:
  explicit Inflater(int window) { ok_ = inflateInit2(&stream_, window) == Z_OK; }
  ~Inflater() {
    if (ok_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<std::string> all_of(std::string& body, size_t limit,
                             const std::function<bool(size_t)>& may_hold) {
    const Error broken{Code::corrupt, "", ""};
    if (!ok_) return broken;
    stream_.next_in = reinterpret_cast<Bytef*>(body.data());
    stream_.avail_in = static_cast<uInt>(body.size());
    std::string text;
    std::array<char, 16384> piece{};
    for (int state = Z_OK; state != Z_STREAM_END;) {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      state = inflate(&stream_, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END) return broken;
      const size_t more = piece.size() - stream_.avail_out;
      if (text.size() + more > limit) return broken;
      if (text.size() + more > text.capacity()) {
        const size_t grown = std::min(limit, 2 * (text.size() + more));
        if (!may_hold(body.size() + grown))
          return Error{Code::unavailable, "too many large requests at once", ""};
        text.reserve(grown);
      }
      text.append(piece.data(), more);
    }
    if (stream_.avail_in > 0) return broken;  // who else read the rest would read another message
    return text;
  }

 private:
  z_stream stream_{};
  bool ok_ = false;
};

}  // namespace

HttpResponse error_response(int status, const std::string& message) {
  return {status, "application/json", json_line(SortedJson{{"error", message}})};
}

HttpResponse try_again(const std::string& message) {
  HttpResponse response = error_response(503, message);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::vector<std::string> segments_of(const std::string& target) {
  if (target.empty() || target.front() != '/') return {};
  std::vector<std::string> segments;
  for (size_t i = 0; i < target.size() && target[i] != '?'; ++i) {
    if (target[i] == '/') {
      segments.emplace_back();
      continue;
    }
    if (target[i] != '%') {
      segments.back() += target[i];
      continue;
    }
    const auto high = i + 1 < target.size() ? hex(target[i + 1]) : std::nullopt;
    const auto low = i + 2 < target.size() ? hex(target[i + 2]) : std::nullopt;
    if (!high || !low) return {};
    segments.back() += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return segments;
}

std::string path_of(const std::vector<std::string>& segments) {
  std::string path;
  for (const std::string& segment : segments) path += "/" + segment;
  return path;
}

Result<std::string> decompressed(const std::string& encoding, std::string body, size_t limit,
                                 const std::function<bool(size_t)>& may_hold) {
  if (encoding.empty() || encoding == "identity") return body;
  if (encoding != "gzip" && encoding != "deflate")
    return Error{Code::invalid_argument,
                 "Content-Encoding " + encoding + " is not known here: gzip and deflate are", ""};
  // 47: gzip or zlib by its header.
  auto text = Inflater(47).all_of(body, limit, may_hold);
  if (text.ok() || text.error().code == Code::unavailable) return text;
  return Error{Code::corrupt,
               fmt::format("the body is no whole {} of at most {} bytes", encoding, limit), ""};
}

}  // namespace flyball
