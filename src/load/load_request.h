// The request that a load test sends again and again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "load/target.h"

namespace flyball {

struct LoadRequestOptions {
  std::string model;
  std::vector<std::string> shapes;  ///< oip: "input=1,3,224,224", for dimensions that vary
  std::string prompt = "Write a short story about a clockmaker.";
  int64_t max_tokens = 64;
  bool stream = true;
  std::filesystem::path body;  ///< http: the file; "" sends none
  std::string method;          ///< http: "" is POST with a body, else GET
  std::string content_type = "application/json";
  std::vector<std::string> headers;  ///< "Name: value"
  std::string key_from;              ///< environment variable that holds a bearer token
};

struct LoadRequest {
  LoadProtocol protocol = LoadProtocol::http;
  std::string method = "GET", path = "/";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool streamed = false;
  std::string model{};  ///< as the answer names it
  std::string input{};  ///< what is sent, in words
};

/// "Name: value". Errors: no name, or bytes that a header cannot hold; a header that the client
/// sets itself. The value is not repeated: it may be a key.
Result<std::pair<std::string, std::string>> parse_header(const std::string& text);

/// Headers of each request: those asked for and the key. Errors: no such variable, or nothing in
/// it.
Result<std::vector<std::pair<std::string, std::string>>> request_headers(
    const LoadRequestOptions& options);

/// An Open Inference request with one sample of zeros and small numbers for each input that the
/// model's metadata names. `binary`: the server takes tensors as bytes behind the JSON. Errors: a
/// dimension that varies and no --shape; a datatype without one; metadata that is none.
Result<LoadRequest> oip_request(const SortedJson& metadata, bool binary, const LoadTarget& target,
                                const LoadRequestOptions& options);
/// A completion or a chat.
Result<LoadRequest> openai_request(const LoadTarget& target, const LoadRequestOptions& options);
/// Method, path and the file.
Result<LoadRequest> http_request(const LoadTarget& target, const LoadRequestOptions& options);

/// The model that a path /v2/models/NAME… names, decoded; "" where it names none.
std::string model_of_path(const std::string& path);
/// The path of a model's metadata.
std::string model_path(const std::string& model);

}  // namespace flyball
