// The HTTP endpoint in front of what `flyball serve` runs live.
#pragma once

#include <memory>
#include <string>

#include "cli/serving.h"
#include "server/endpoint.h"

namespace flyball::cli {

/// Listens from its making on; says where on stderr.
class ServingEndpoint final : public LiveView {
 public:
  /// `serving` has its services, is about to warm up, and outlives it. Errors: the address, the
  /// token's file.
  static Result<std::unique_ptr<ServingEndpoint>> open(LiveServing& serving,
                                                       const ServeOptions& options,
                                                       const std::string& device);
  LiveState live_state() const override;
  /// Takes no more requests and sends the answers that are owed.
  void drain();

 private:
  ServingEndpoint(LiveServing& serving, std::string device)
      : serving_(serving), device_(std::move(device)), endpoint_(serving, this) {}

  LiveServing& serving_;
  std::string device_;
  Endpoint endpoint_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<LiveTeller> teller_;  // before the server, which it tells
};

}  // namespace flyball::cli
