// Which server is put under load, and which protocol it speaks.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace flyball {

enum class LoadProtocol : uint8_t {
  oip,                 ///< Open Inference Protocol v2 over HTTP
  openai_chat,         ///< /v1/chat/completions
  openai_completions,  ///< /v1/completions
  http,                ///< one fixed request
};
const char* protocol_name(LoadProtocol protocol);
Result<LoadProtocol> parse_protocol(const std::string& text);

/// A language model's, whose answers are streams of tokens.
bool answers_in_tokens(LoadProtocol protocol);

struct LoadTarget {
  std::string host;  ///< without brackets
  std::string port;  ///< digits
  std::string path;  ///< from "/" on, with its query
  LoadProtocol protocol = LoadProtocol::http;

  /// As the header Host names it.
  std::string authority() const;
  std::string url() const;
};

/// "http://127.0.0.1:8000/v1/chat/completions", "127.0.0.1:8000". `protocol`: its name; "" tells it
/// from the path: …/chat/completions, …/completions, /v2…; else a plain request. Errors: no URL,
/// https, a user name or password in it.
Result<LoadTarget> parse_target(const std::string& url, const std::string& protocol);

}  // namespace flyball
