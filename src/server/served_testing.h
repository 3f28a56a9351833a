// An endpoint with one model that answers with what it was sent, and clients of it.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "server/endpoint.h"
#include "server/http_client_testing.h"
#include "server/identity.h"

namespace flyball {

inline const std::string infer_path = "POST /v2/models/identity/infer";
inline const std::string two_numbers =
    R"({"id":"7","inputs":[{"name":"input","shape":[1,2],"datatype":"FP32","data":[1.5,-2]}]})";

class FixedView final : public LiveView {
 public:
  LiveState live_state() const override {
    LiveState state;
    state.seconds = 3;
    state.device = "host";
    state.services.push_back({.name = "identity", .budget_ms = 100, .answered = 5});
    return state;
  }
};

struct Served {
  explicit Served(Serving& serving, HttpOptions options = {}, const LiveView* view = nullptr)
      : endpoint(serving, view) {
    options.listen.port = 0;
    server = std::move(*HttpServer::listen(options, endpoint.handler()));
  }
  std::string ask(const std::string& first, const std::string& body = "",
                  const std::string& headers = "") const {
    return http_exchange(server->port(), request_text(first, body, headers));
  }
  Endpoint endpoint;
  std::unique_ptr<HttpServer> server;
};

/// Resident memory of this process.
inline double resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

}  // namespace flyball
