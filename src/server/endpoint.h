// The Open Inference Protocol v2 over HTTP, metrics and the live page, in front of what serves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "schedule/service.h"
#include "server/http_server.h"
#include "server/live_state.h"
#include "server/metrics.h"

namespace flyball {

/// Routes: GET /v2, /v2/health/{live,ready}, /v2/models/NAME[/versions/1][/ready],
/// POST /v2/models/NAME[/versions/1]/infer, GET /metrics, / and /events.
class Endpoint {
 public:
  /// Both outlive it. `view` may be null: then only requests are counted.
  Endpoint(Serving& serving, const LiveView* view);
  /// For HttpServer::listen(): all but an infer request that can be taken is answered at its head.
  HttpHandler handler();
  std::optional<HttpResponse> at_head(const HttpHead& head);
  void handle(const HttpRequest& request, const HttpReply& reply);

 private:
  HttpResponse get(const std::string& path) const;
  HttpResponse model(size_t service, const std::string& rest, const std::string& path) const;
  std::optional<size_t> service_of(const std::string& name) const;
  void infer(size_t service, const HttpRequest& request, const HttpReply& reply);
  LiveState state() const { return view_ ? view_->live_state() : LiveState(); }

  Serving& serving_;
  const LiveView* view_;
  std::shared_ptr<ServingMetrics> metrics_;  // outlives answers that come late
};

/// The model that a request wants an answer of; "" where it wants something else.
std::string asked_model(const HttpHead& head);

/// What is answered while the networks are still being made: alive, and not ready.
HttpResponse answer_before_models(const std::string& path);

/// Tells the server's listeners how it stands, once a second, from its making to its end, and then
/// once more.
class LivePublisher {
 public:
  LivePublisher(HttpServer& server, const LiveView& view);
  ~LivePublisher();
  LivePublisher(const LivePublisher&) = delete;
  LivePublisher& operator=(const LivePublisher&) = delete;

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

/// The page that shows it live, whole in one file.
std::string_view live_page();

}  // namespace flyball
