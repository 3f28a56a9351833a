// What is decided of an HTTP request by its text alone.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "server/http_server.h"

namespace flyball {

/// {"error": message}.
HttpResponse error_response(int status, const std::string& message);

/// Of a target "/v2/models/a%20b?x=1" the path, decoded; "" where it is none.
std::string path_of(const std::string& target);

/// What of a header says who asks.
struct HttpAsked {
  std::string target, host, origin, authorization;
};
/// 401 without the token, where there is one (health is told to everybody, and so is the page,
/// which asks for the token before it shows anything); 403 where a page of
/// another origin asks, or, on loopback, where the request is for another host's name: a browser
/// may have been led here.
std::optional<HttpResponse> refuse_asked(const HttpAsked& asked, const std::string& token,
                                         bool loopback);

/// The body behind Content-Encoding ("", "identity", "gzip", "deflate"). Errors: another encoding,
/// broken data, more than `limit` bytes.
Result<std::string> decompressed(const std::string& encoding, std::string body, size_t limit);

}  // namespace flyball
