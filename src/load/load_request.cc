#include "load/load_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/json.h"
#include "base/lower.h"
#include "base/text.h"
#include "server/http_text.h"

namespace flyball {
namespace {

bool is_token(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  });
}

bool fits_header(std::string_view value) {
  return std::ranges::none_of(
      value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_reserved(const std::string& name) {
  const std::string low = lower(name);
  return low == "host" || low == "content-length" || low == "transfer-encoding" ||
         low == "connection";
}

}  // namespace

Result<std::pair<std::string, std::string>> parse_header(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name(trim(text.substr(0, colon)));
  if (colon == std::string::npos || !is_token(name) || !fits_header(text))
    return Error{Code::invalid_argument, "a --header is not of the form 'Name: value'",
                 "write --header 'X-Name: value'; a key is better kept in a variable: --key-from"};
  if (is_reserved(name))
    return Error{Code::invalid_argument, fmt::format("loadtest sets the header {} itself", name),
                 "leave that --header out"};
  return std::pair{name, std::string(trim(text.substr(colon + 1)))};
}

Result<std::vector<std::pair<std::string, std::string>>> request_headers(
    const LoadRequestOptions& options) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const std::string& text : options.headers) {
    FLYBALL_ASSIGN(auto header, parse_header(text));
    headers.push_back(std::move(header));
  }
  if (options.key_from.empty()) return headers;
  const char* key = std::getenv(options.key_from.c_str());
  if (!key || !*key || !fits_header(key))
    return Error{Code::invalid_argument,
                 fmt::format("--key-from: the environment has no key in '{}'",
                             printable(options.key_from, 40)),
                 "export it first; name the variable, not the key"};
  headers.emplace_back("Authorization", fmt::format("Bearer {}", key));
  return headers;
}

Result<LoadRequest> openai_request(const LoadTarget& target, const LoadRequestOptions& options) {
  LoadRequest request;
  request.protocol = target.protocol;
  request.method = "POST";
  request.path = target.path;
  request.streamed = options.stream;
  request.model = options.model;
  FLYBALL_ASSIGN(request.headers, request_headers(options));
  request.headers.emplace_back("Content-Type", "application/json");
  if (options.stream) request.headers.emplace_back("Accept", "text/event-stream");
  Json body{{"model", options.model}};
  if (target.protocol == LoadProtocol::openai_chat)
    body["messages"] = Json::array({{{"role", "user"}, {"content", options.prompt}}});
  else
    body["prompt"] = options.prompt;
  body["max_tokens"] = options.max_tokens;
  body["temperature"] = 0;
  body["stream"] = options.stream;
  if (options.stream) body["stream_options"] = {{"include_usage", true}};
  request.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  request.input = fmt::format("a prompt of {} bytes, at most {} tokens in answer",
                              options.prompt.size(), options.max_tokens);
  return request;
}

Result<LoadRequest> http_request(const LoadTarget& target, const LoadRequestOptions& options) {
  LoadRequest request;
  request.path = target.path;
  FLYBALL_ASSIGN(request.headers, request_headers(options));
  if (!options.body.empty()) {
    FLYBALL_ASSIGN(request.body, read_file(options.body));
    request.headers.emplace_back("Content-Type", options.content_type);
    request.input = fmt::format("a body of {} bytes", request.body.size());
  } else {
    request.input = "no body";
  }
  request.method = !options.method.empty() ? options.method : options.body.empty() ? "GET" : "POST";
  if (!is_token(request.method) || lower(request.method) == "connect")
    return Error{Code::invalid_argument, "--method is not a method of HTTP",
                 "GET, POST or PUT, for instance"};
  return request;
}

std::string model_of_path(const std::string& path) {
  const std::vector<std::string> segments = segments_of(path);
  const bool names = segments.size() > 2 && segments[0] == "v2" && segments[1] == "models";
  return names ? segments[2] : "";
}

}  // namespace flyball
