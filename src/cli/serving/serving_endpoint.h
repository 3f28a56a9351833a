// The HTTP endpoint in front of what `flyball serve` runs live.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "schedule/serving/live_run.h"
#include "server/endpoint.h"

namespace flyball::cli {

/// Who may ask, as options say it.
struct HttpQuestion {
  std::string listen{};      ///< HOST:PORT; "": 127.0.0.1:8000
  std::string token_file{};  ///< what clients must bear; "": FLYBALL_TOKEN, or nothing
  bool insecure = false;     ///< everybody may ask without a token
  uint64_t body_bytes = 0;   ///< of all requests' bodies together; 0: the usual
  int handed_over = -1;      ///< a listening socket, in place of `listen`
};
/// `--listen`, which is returned, `--token-file` and `--insecure`.
CLI::Option* add_listener_options(CLI::App& command, HttpQuestion& asked,
                                  const std::string& listen_help);
/// Errors: the address, the token's file, everybody may ask and no token was given.
Result<HttpOptions> http_options(const HttpQuestion& asked);

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
