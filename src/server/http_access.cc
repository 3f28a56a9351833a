#include "server/http_access.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace flyball {
namespace {

// In a time that does not tell how much of it was right.
bool equal_secret(const std::string& a, const std::string& b) {
  unsigned differ = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    differ |= static_cast<unsigned char>(a[i]) ^
              static_cast<unsigned char>(b[i % std::max<size_t>(1, b.size())]);
  return differ == 0;
}

// "Bearer …": the name of a scheme is read in any case.
bool bears(const std::string& authorization, const std::string& token) {
  const std::string scheme = "bearer ";
  return equal_secret(scheme + token,
                      lower_case(authorization.substr(0, scheme.size())) +
                          authorization.substr(std::min(scheme.size(), authorization.size())));
}

bool is_v4_loopback(const std::string& address) {
  in_addr parsed{};
  return inet_pton(AF_INET, address.c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
}

bool is_v6(const std::string& address, in6_addr& parsed) {
  return inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_name(std::string_view text) {
  const auto part_of_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, part_of_name);
}

RequestFault fault(int status, std::string message) {
  return {status, std::move(message)};
}

}  // namespace

bool ListenAddress::loopback() const {
  in6_addr v6{};
  return is_v4_loopback(host) || (is_v6(host, v6) && IN6_IS_ADDR_LOOPBACK(&v6));
}

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

Result<ListenAddress> address_of_socket(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  std::array<char, INET6_ADDRSTRLEN> text{};
  ListenAddress at;
  const bool known = ::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) == 0;
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(&bound);
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&bound);
  if (known && bound.ss_family == AF_INET &&
      ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size()))
    at.port = ntohs(v4->sin_port);
  else if (known && bound.ss_family == AF_INET6 &&
           ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size()))
    at.port = ntohs(v6->sin6_port);
  else
    return Error{Code::invalid_argument, "the socket that was handed over is no TCP socket", ""};
  at.host = text.data();
  return at;
}

HostName read_host(const std::string& host) {
  const bool bracketed = host.starts_with('[');
  const size_t end = bracketed ? host.find(']') : host.find(':');
  if (bracketed && end == std::string::npos) return HostName::malformed;
  const std::string name = bracketed ? host.substr(1, end - 1) : host.substr(0, end);
  const std::string port = host.substr(std::min(bracketed ? end + 1 : end, host.size()));
  if (!port.empty() && (port[0] != ':' || !is_port(std::string_view(port).substr(1))))
    return HostName::malformed;
  if (bracketed) {
    in6_addr v6{};
    if (!is_v6(name, v6)) return HostName::malformed;
    return IN6_IS_ADDR_LOOPBACK(&v6) ? HostName::loopback : HostName::other;
  }
  if (!is_name(name)) return HostName::malformed;
  return lower_case(name) == "localhost" || is_v4_loopback(name) ? HostName::loopback
                                                                 : HostName::other;
}

std::optional<RequestFault> refuse_access(const RequestHead& head, const std::string& path,
                                          const std::string& token, bool loopback) {
  const HostName name = read_host(head.host);
  if (name == HostName::malformed) return fault(400, "malformed request: Host is not HOST[:PORT]");
  if (loopback && name != HostName::loopback)
    return fault(403, "this server is for this machine alone, not for host " + head.host);
  // By https where a proxy ends TLS before this server.
  const std::string origin = lower_case(head.origin), host = lower_case(head.host);
  if (head.has_origin && origin != "http://" + host && origin != "https://" + host)
    return fault(403, "pages of another origin may not ask here");
  const bool open = path == "/" || path.starts_with("/v2/health/");
  if (token.empty() || open || bears(head.authorization, token)) return {};
  return fault(401, "this server wants its token: Authorization: Bearer …");
}

}  // namespace flyball
