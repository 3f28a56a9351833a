#include "server/http_reply.h"

#include <exception>

#include "server/http_text.h"

namespace flyball {
namespace {

/// An exception, whatever it is, is a 500.
HttpResponse made_by(const std::function<HttpResponse()>& maker) {
  try {
    return maker();
  } catch (const std::exception& exception) {
    return error_response(500, exception.what());
  } catch (...) {
    return error_response(500, "something was thrown that is no error");
  }
}

}  // namespace

HttpReply::Sink::~Sink() {
  make(0, [] { return error_response(500, "nobody answered"); });
}

void HttpReply::Sink::make(size_t bytes, std::function<HttpResponse()> maker) {
  if (used_.exchange(true)) return;
  const std::shared_ptr<HttpSession> session = std::move(session_);
  HttpShared& shared = session->shared();
  if (bytes <= BodyLease::own_bytes)
    return shared.post([session, maker = std::move(maker)] { session->answer(made_by(maker)); });
  // What waits to be made counts, as the answer then does.
  if (!session->hold(bytes)) return shared.post([session] { session->answer(too_many_answers()); });
  shared.worker.add(bytes, [session, maker = std::move(maker)] {
    session->shared().post(
        [session, response = made_by(maker)]() mutable { session->answer(std::move(response)); });
  });
}

void HttpReply::send(HttpResponse response) const {
  sink_->make(0, [response = std::move(response)]() mutable { return std::move(response); });
}
bool HttpReply::hold(size_t bytes) const {
  return sink_->hold(bytes);
}
void HttpReply::send_made(size_t bytes, std::function<HttpResponse()> make) const {
  sink_->make(bytes, std::move(make));
}

void handle_request(HttpShared& shared, HttpRequest request, const HttpReply& reply) {
  try {
    shared.handler.handle(std::move(request), reply);
  } catch (const std::exception& exception) {
    reply.send(error_response(500, exception.what()));
  }
}

}  // namespace flyball
