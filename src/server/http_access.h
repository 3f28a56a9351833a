// Who may ask: the address to listen on, the Host and the Origin of a request, and its token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "server/request_head.h"

namespace flyball {

/// Where to listen.
struct ListenAddress {
  std::string host = "127.0.0.1";  ///< an address of this machine
  uint16_t port = 8000;            ///< 0: any that is free

  /// Only this machine can ask.
  bool loopback() const;
};
/// "8000", "127.0.0.1:8000", "[::1]:0", "localhost:80"; without a host: loopback.
Result<ListenAddress> parse_listen_address(const std::string& text);

/// What a listening TCP socket is bound to.
Result<ListenAddress> address_of_socket(int socket);

/// What a request's Host names.
enum class HostName {
  malformed,
  loopback,  ///< an address of loopback, or "localhost" in any case
  other
};
/// Reads "127.0.0.1:8000", "[::1]", "LOCALHOST", "board.example:80". The port is not compared.
HostName read_host(const std::string& host);

/// 400 where Host is malformed; 403 where a page of another origin asks, or, on loopback, where the
/// request is for another host's name: a browser may have been led here. 401 without the token,
/// where there is one; health and the page, which asks for the token before it shows anything, need
/// none.
std::optional<RequestFault> refuse_access(const RequestHead& head, const std::string& path,
                                          const std::string& token, bool loopback);

}  // namespace flyball
