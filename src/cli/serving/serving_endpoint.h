// The HTTP endpoint in front of what `flyball serve` runs live.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/serving/serving.h"
#include "schedule/serving/live_run.h"
#include "server/endpoint.h"

namespace flyball::cli {

/// Who may ask, as options say it.
struct HttpQuestion {
  std::string listen{};  ///< "": 127.0.0.1:8000
  std::string token_file{};
  bool insecure = false;
  int handed_over = -1;  ///< a listening socket, in place of `listen`
};
/// Errors: the address, the token's file, everybody may ask and no token was given.
Result<HttpOptions> http_options(const HttpQuestion& asked);

/// How the endpoint is to be reached. Errors: the address, the token's file, everybody may ask and
/// no token was given.
Result<HttpOptions> endpoint_options(const ServeOptions& options);

/// Listens from its making on; says where on stderr.
class ServingEndpoint final : public RequestDoor, public LiveView {
 public:
  /// `served` are the names of its models. Errors: the address cannot be listened on.
  static Result<std::unique_ptr<RequestDoor>> open(const HttpOptions& http,
                                                   std::vector<std::string> served,
                                                   const LiveFacts& facts);
  /// Until then requests are told to come again.
  void attach(LiveServing& serving) override;
  LiveState live_state() const override;
  void drain() override;

 private:
  ServingEndpoint(const LiveFacts& facts, std::vector<std::string> served)
      : facts_(facts), served_(std::move(served)) {}
  HttpHandler handler();
  std::optional<HttpResponse> at_head(const HttpHead& head);
  Endpoint* attached();  ///< null before there is something to serve

  const LiveFacts& facts_;
  std::vector<std::string> served_;  ///< the names of its models, in their order
  LiveServing* serving_ = nullptr;
  std::unique_ptr<Endpoint> made_;
  std::mutex mutex_;                     ///< of the two below
  Endpoint* endpoint_ = nullptr;         ///< once there is something to serve
  std::map<std::string, size_t> early_;  ///< requests that came before, by model
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<LivePublisher> publisher_;  // before the server, which it tells
};

}  // namespace flyball::cli
