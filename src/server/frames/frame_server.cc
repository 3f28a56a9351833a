#include "server/frames/frame_server.h"

#include <utility>

#include "base/clock.h"
#include "server/http_text.h"

namespace flyball {

void FrameServer::take(const BoardFrame& frame) {
  metrics_.take(frame);
  auto text = std::make_shared<const std::string>(metrics_.text(process_cpu_seconds()));
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
  made_ns_ = monotonic_ns();
}

HttpHandler FrameServer::handler() {
  return {[this](const HttpHead& head) { return at_head(head); },
          [](const HttpRequest&, const HttpReply& reply) {
            reply.send(error_response(404, "there is nothing here"));
          }};
}

std::optional<HttpResponse> FrameServer::at_head(const HttpHead& head) const {
  const bool health = head.path.starts_with("/v2/health/");
  if (head.path != "/metrics" && head.path != "/" && !health)
    return error_response(404, "there is nothing here but /metrics");
  if (head.method != "GET" && head.method != "HEAD") {
    HttpResponse response = error_response(405, "only GET is answered here");
    response.headers.emplace_back("Allow", "GET");
    return response;
  }
  if (head.path == "/")
    return HttpResponse{200, "text/plain; charset=utf-8",
                        "flyball metrics-server: this board's metrics are at /metrics\n"};
  const std::lock_guard lock(mutex_);
  const double age_s = static_cast<double>(monotonic_ns() - made_ns_) * 1e-9;
  if (!text_ || age_s > stale_s_) {
    HttpResponse response = error_response(503, text_ ? "the board has not been read for a while"
                                                      : "nothing was read of the board yet");
    response.headers.emplace_back("Retry-After", "1");
    return response;
  }
  if (health) return HttpResponse{200, "application/json", "{\"live\":true}"};
  return HttpResponse{200, "text/plain; version=0.0.4; charset=utf-8", *text_};
}

}  // namespace flyball
