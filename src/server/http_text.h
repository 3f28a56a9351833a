// Texts of HTTP: paths, compressed bodies, answers that say what is wrong.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/http_server.h"

namespace flyball {

/// {"error": message}.
HttpResponse error_response(int status, const std::string& message);
/// The same as a 503 that may be asked again in a second.
HttpResponse try_again(const std::string& message);

/// Of a target "/v2/models/a%2Fb?x=1" what stands between the slashes of its path, each decoded:
/// "v2", "models", "a/b". Nothing where it is no path.
std::vector<std::string> segments_of(const std::string& target);
/// These with slashes between, for paths that have none within a segment; "" without any.
std::string path_of(const std::vector<std::string>& segments);

/// The body behind Content-Encoding ("", "identity", "gzip", "deflate"). `may_hold` is asked before
/// so many bytes are held. Errors: another encoding, broken data, more than `limit` bytes;
/// Code::unavailable where `may_hold` says no.
Result<std::string> decompressed(
    const std::string& encoding, std::string body, size_t limit,
    const std::function<bool(size_t)>& may_hold = [](size_t) { return true; });

}  // namespace flyball
