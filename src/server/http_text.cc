#include "server/http_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace flyball {
namespace {

std::optional<int> hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  if (low >= 'a' && low <= 'f') return low - 'a' + 10;
  return {};
}

// In a time that does not tell how much of it was right.
bool equal_secret(const std::string& a, const std::string& b) {
  unsigned differ = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    differ |= static_cast<unsigned char>(a[i]) ^
              static_cast<unsigned char>(b[i % std::max<size_t>(1, b.size())]);
  return differ == 0;
}

// "Bearer …": the name of a scheme is read in any case.
bool bears(std::string authorization, const std::string& token) {
  const std::string scheme = "bearer ";
  for (size_t i = 0; i < std::min(scheme.size(), authorization.size()); ++i)
    if (authorization[i] >= 'A' && authorization[i] <= 'Z')
      authorization[i] = static_cast<char>(authorization[i] | 0x20);
  return equal_secret(scheme + token, authorization);
}

// "localhost:8000" → "localhost"; "[::1]:8000" → "[::1]".
std::string without_port(const std::string& host) {
  const size_t bracket = host.find(']');
  return host.substr(0, host.find(':', bracket == std::string::npos ? 0 : bracket));
}

bool names_loopback(const std::string& host) {
  const std::string name = without_port(host);
  return name.empty() || name == "localhost" || name == "[::1]" || name.starts_with("127.");
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

  std::optional<std::string> all_of(std::string& body, size_t limit) {
    if (!ok_) return {};
    stream_.next_in = reinterpret_cast<Bytef*>(body.data());
    stream_.avail_in = static_cast<uInt>(body.size());
    std::string text;
    std::array<char, 16384> piece{};
    for (int state = Z_OK; state != Z_STREAM_END;) {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      state = inflate(&stream_, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END) return {};
      text.append(piece.data(), piece.size() - stream_.avail_out);
      if (text.size() > limit) return {};
    }
    return text;
  }

 private:
  z_stream stream_{};
  bool ok_ = false;
};

}  // namespace

Result<ListenAddress> parse_listen_address(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return Error{Code::invalid_argument, fmt::format("--listen {}: {}", text, why),
                 "HOST:PORT, such as 127.0.0.1:8000; [::1]:8000; 0.0.0.0:8000 for everybody"};
  };
  ListenAddress at;
  const size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), at.port);
  if (error != std::errc() || end != port.data() + port.size() || port.empty())
    return wrong("a port is a number from 0 to 65535");
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos)
    return wrong("an address with colons stands in brackets");
  if (host == "localhost") host = "127.0.0.1";
  if (!host.empty() && host.find_first_not_of("0123456789abcdefABCDEF.:") != std::string::npos)
    return wrong("the host is an address, not a name");
  if (!host.empty()) at.host = host;
  return at;
}

HttpResponse error_response(int status, const std::string& message) {
  using Json = nlohmann::json;
  return {status, "application/json",
          Json{{"error", message}}.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

std::string path_of(const std::string& target) {
  if (target.empty() || target.front() != '/') return "";
  std::string path;
  for (size_t i = 0; i < target.size() && target[i] != '?'; ++i) {
    if (target[i] != '%') {
      path += target[i];
      continue;
    }
    const auto high = i + 1 < target.size() ? hex(target[i + 1]) : std::nullopt;
    const auto low = i + 2 < target.size() ? hex(target[i + 2]) : std::nullopt;
    if (!high || !low) return "";
    path += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return path;
}

std::optional<HttpResponse> refuse_asked(const HttpAsked& asked, const std::string& token,
                                         bool loopback) {
  if (loopback && !names_loopback(asked.host))
    return error_response(403, "this server is for this machine alone, not for host " + asked.host);
  if (!asked.origin.empty() && asked.origin != "http://" + asked.host)
    return error_response(403, "pages of another origin may not ask here");
  const std::string path = path_of(asked.target);
  if (token.empty() || path == "/" || path.starts_with("/v2/health/")) return {};
  if (bears(asked.authorization, token)) return {};
  HttpResponse refused =
      error_response(401, "this server wants its token: Authorization: Bearer …");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

Result<std::string> decompressed(const std::string& encoding, std::string body, size_t limit) {
  if (encoding.empty() || encoding == "identity") return body;
  if (encoding != "gzip" && encoding != "deflate")
    return Error{Code::invalid_argument,
                 "Content-Encoding " + encoding + " is not known here: gzip and deflate are", ""};
  // 47: gzip or zlib by its header.
  auto text = Inflater(47).all_of(body, limit);
  if (!text)
    return Error{Code::corrupt,
                 fmt::format("the body is no whole {} of at most {} bytes", encoding, limit), ""};
  return *std::move(text);
}

}  // namespace flyball
