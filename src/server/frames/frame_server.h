// What a board shows, over HTTP: GET /metrics. The text of the newest frame is made once, however
// many ask.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "monitor/board_metrics.h"
#include "server/http_server.h"

namespace flyball {

class FrameServer {
 public:
  /// `stale_s`: a text that is older is not told (503): whoever reads the board hangs.
  explicit FrameServer(double stale_s) : stale_s_(stale_s) {}
  void take(const BoardFrame& frame);
  /// For HttpServer::listen(); this outlives the server.
  HttpHandler handler();
  std::optional<HttpResponse> at_head(const HttpHead& head) const;

 private:
  double stale_s_;
  BoardMetrics metrics_;  ///< of the thread that takes frames
  mutable std::mutex mutex_;
  std::shared_ptr<const std::string> text_;
  int64_t made_ns_ = 0;
};

}  // namespace flyball
