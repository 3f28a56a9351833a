#include "load/prepare.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "load/http_exchange.h"

namespace flyball {
namespace {

constexpr const char* usual_hint = "ask the server itself, with curl, and compare";

const char* hint_of(int status) {
  if (status == 401 || status == 403)
    return "name the environment variable that holds the key: --key-from OPENAI_API_KEY";
  return status == 503 ? "wait until the server is ready" : usual_hint;
}

Result<SortedJson> fetch_json(const LoadTarget& target, const std::string& path,
                              const LoadRequestOptions& options, double timeout_s) {
  FLYBALL_ASSIGN(const auto headers, request_headers(options));
  FLYBALL_ASSIGN(const PlainAnswer answer, fetch(target, path, headers, timeout_s));
  if (answer.status != 200)
    return Error{answer.status >= 500 ? Code::unavailable : Code::not_found,
                 fmt::format("GET {} was answered with status {}: {}", printable(path, 80),
                             answer.status, printable(answer.body)),
                 hint_of(answer.status)};
  SortedJson document = SortedJson::parse(answer.body, nullptr, false);
  if (!document.is_object())
    return Error{Code::corrupt,
                 fmt::format("GET {} was not answered with JSON", printable(path, 80)), usual_hint};
  return document;
}

bool takes_binary(const SortedJson& server) {
  const auto extensions = server.find("extensions");
  return extensions != server.end() && extensions->is_array() &&
         std::ranges::any_of(*extensions, [](const SortedJson& extension) {
           return extension == "binary_tensor_data";
         });
}

Result<LoadRequest> prepare_oip(const LoadTarget& target, LoadRequestOptions options,
                                double timeout_s) {
  if (options.model.empty()) options.model = model_of_path(target.path);
  if (options.model.empty())
    return Error{Code::invalid_argument, "the Open Inference Protocol names a model",
                 "name it with --model NAME, or in the path: /v2/models/NAME; a server that speaks "
                 "plain HTTP alone: --protocol http"};
  FLYBALL_ASSIGN(const SortedJson server, fetch_json(target, "/v2", options, timeout_s));
  FLYBALL_ASSIGN(const SortedJson metadata,
                 fetch_json(target, model_path(options.model), options, timeout_s));
  return oip_request(metadata, takes_binary(server), target, options);
}

// The only model of many servers; those that want a name refuse the empty one.
std::string first_model(const LoadTarget& target, const LoadRequestOptions& options,
                        double timeout_s) {
  const size_t version = target.path.rfind("/v1/");
  const std::string path =
      (version == std::string::npos ? "" : target.path.substr(0, version)) + "/v1/models";
  const auto models = fetch_json(target, path, options, timeout_s);
  if (!models || !models->contains("data") || !(*models)["data"].is_array()) return "";
  for (const SortedJson& model : (*models)["data"])
    if (model.is_object() && model.contains("id") && model["id"].is_string())
      return model["id"].get<std::string>();
  return "";
}

Error refused_first(const LoadTarget& target, const LoadAnswer& answer) {
  return {Code::unavailable,
          fmt::format("the first request to {} failed ({})", target.authority(), answer.detail),
          hint_of(answer.status)};
}

}  // namespace

Result<LoadRequest> make_load_request(const LoadTarget& target, const LoadRequestOptions& options,
                                      double timeout_s) {
  if (target.protocol == LoadProtocol::oip) return prepare_oip(target, options, timeout_s);
  if (target.protocol == LoadProtocol::http) return http_request(target, options);
  LoadRequestOptions named = options;
  if (named.model.empty()) named.model = first_model(target, options, timeout_s);
  return openai_request(target, named);
}

Result<LoadRequest> prepare_load(const LoadTarget& target, const LoadRequestOptions& options,
                                 double timeout_s) {
  FLYBALL_ASSIGN(LoadRequest request, make_load_request(target, options, timeout_s));
  FLYBALL_ASSIGN(const LoadAnswer first, ask_once(target, request, timeout_s));
  if (first.outcome != LoadOutcome::answered) return refused_first(target, first);
  return request;
}

}  // namespace flyball
