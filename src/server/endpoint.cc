#include "server/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "base/json.h"
#include "server/http_text.h"
#include "server/infer_request.h"
#include "space/named_source.h"

namespace flyball {
namespace {

HttpResponse json_response(const Json& json, int status = 200) {
  return {status, "application/json", json.dump()};
}

Json tensors_json(const std::vector<TensorSpec>& specs) {
  Json all = Json::array();
  for (const TensorSpec& spec : specs) {
    Json shape = {-1};
    for (const int64_t size : spec.shape) shape.push_back(size);
    all.push_back({{"name", spec.name}, {"datatype", datatype_name(spec.dtype)}, {"shape", shape}});
  }
  return all;
}

// "NAME", "/infer" of "/v2/models/NAME/versions/1/infer"; nothing for other paths.
struct ModelPath {
  std::string name, rest;
};
std::optional<ModelPath> model_path(std::span<const std::string> segments) {
  if (segments.size() < 3 || segments[0] != "v2" || segments[1] != "models") return {};
  ModelPath found{segments[2], {}};
  segments = segments.subspan(3);
  if (segments.size() >= 2 && segments[0] == "versions" && segments[1] == "1")
    segments = segments.subspan(2);
  for (const std::string& segment : segments) found.rest += "/" + segment;
  return found;
}

HttpResponse not_found(const std::string& path) {
  return error_response(
      404, path.empty() ? "the path holds a % that is not followed by two hexadecimal digits"
                        : fmt::format("there is nothing at {}", path));
}

HttpResponse wrong_method(const char* allowed) {
  HttpResponse response = error_response(405, fmt::format("only {} is answered here", allowed));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

// What is there can be read and nothing else.
HttpResponse read_only(const HttpHead& head, HttpResponse found) {
  const bool reads = head.method == "GET" || head.method == "HEAD";
  return reads || found.status == 404 ? std::move(found) : wrong_method("GET");
}

// For an answer that is made.
constexpr Code no_room = Code::conflict;

HttpResponse refusal(const InferAnswer& answer) {
  HttpResponse response =
      error_response(503, fmt::format("refused: {}", refusal_name(answer.refused)));
  const double after = std::max(1.0, std::ceil(answer.retry_after_s));
  response.headers.emplace_back("Retry-After", fmt::format("{:.0f}", after));
  return response;
}

HttpResponse answer_response(const ServiceInfo& service, const InferCall& call,
                             const InferAnswer& answer) {
  if (answer.refused != RefusalReason::none) return refusal(answer);
  if (!answer.outputs.ok()) {
    const Error& error = answer.outputs.error();
    return error.code == no_room ? try_again(error.message) : error_response(500, error.message);
  }
  auto body = write_infer(service, call, *answer.outputs);
  if (!body) return error_response(500, body.error().message);
  HttpResponse response{200, "application/json", std::move(body->bytes)};
  if (body->header_length) {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Inference-Header-Content-Length",
                                  std::to_string(*body->header_length));
  }
  return response;
}

}  // namespace

std::string asked_model(const HttpHead& head) {
  const auto path = model_path(head.segments);
  return path && path->rest == "/infer" && head.method == "POST" ? path->name : "";
}

HttpResponse answer_before_models(const std::string& path) {
  if (path == "/v2/health/live") return json_response({{"live", true}});
  HttpResponse response = path == "/v2/health/ready"
                              ? json_response({{"ready", false}}, 503)
                              : error_response(503, "the networks are still being made");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

Endpoint::Endpoint(Serving& serving, const LiveView* view)
    : serving_(serving),
      view_(view),
      metrics_(std::make_shared<ServingMetrics>(serving.services())) {}

HttpHandler Endpoint::handler() {
  return {[this](const HttpHead& head) { return at_head(head); },
          [this](const HttpRequest& request, const HttpReply& reply) { handle(request, reply); }};
}

std::optional<HttpResponse> Endpoint::at_head(const HttpHead& head) {
  const auto path = model_path(head.segments);
  if (!path) return read_only(head, get(head.path));
  const auto service = service_of(path->name);
  if (!service) {
    metrics_->bad_request();
    return error_response(404, fmt::format("there is no model '{}' here", path->name));
  }
  if (path->rest != "/infer") return read_only(head, model(*service, path->rest, head.path));
  if (head.method != "POST") return wrong_method("POST");
  if (serving_.ready()) return {};
  // Until then a service's batch size is still to be found.
  const InferAnswer cold = serving_.turn_away(*service);
  metrics_->answered(*service, cold);
  return refusal(cold);
}

void Endpoint::handle(const HttpRequest& request, const HttpReply& reply) {
  const auto path = model_path(request.segments);
  const auto service = path ? service_of(path->name) : std::nullopt;
  if (service) return infer(*service, request, reply);
  reply.send(not_found(request.path));
}

std::optional<size_t> Endpoint::service_of(const std::string& name) const {
  const auto& services = serving_.services();
  const auto found = std::ranges::find(services, name, &ServiceInfo::name);
  if (found == services.end()) return {};
  return static_cast<size_t>(found - services.begin());
}

HttpResponse Endpoint::get(const std::string& path) const {
  if (path == "/v2")
    return json_response({{"name", "flyball"},
                          {"version", FLYBALL_VERSION},
                          {"extensions", {"binary_tensor_data"}}});
  if (path == "/v2/health/live") return json_response({{"live", true}});
  if (path == "/v2/health/ready")
    return json_response({{"ready", serving_.ready()}}, serving_.ready() ? 200 : 503);
  if (path == "/metrics")
    return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_->text(state())};
  if (path == "/") {
    HttpResponse page{200, "text/html; charset=utf-8"};
    page.file = live_page();
    // The page is one file: it loads nothing, and asks nobody but this server.
    page.headers.emplace_back("Content-Security-Policy",
                              "default-src 'none'; script-src 'unsafe-inline'; style-src "
                              "'unsafe-inline'; img-src data:; connect-src 'self'");
    return page;
  }
  if (path == "/events" && view_) return {.events = true};
  return not_found(path);
}

HttpResponse Endpoint::model(size_t service, const std::string& rest,
                             const std::string& path) const {
  const ServiceInfo& info = serving_.services()[service];
  if (rest == "/ready")
    return json_response({{"name", info.name}, {"ready", serving_.ready()}},
                         serving_.ready() ? 200 : 503);
  if (!rest.empty()) return not_found(path);
  const bool script = read_source(info.name).kind == NamedSource::Kind::script;
  Json model = {{"name", info.name},
                {"versions", {"1"}},
                {"platform", script ? "pytorch_torchscript" : "flyball"},
                {"inputs", tensors_json(info.inputs)},
                {"outputs", tensors_json(info.outputs)}};
  if (serving_.ready()) model["parameters"] = {{"max_batch_size", info.largest_batch}};
  return json_response(model);
}

void Endpoint::infer(size_t service, const HttpRequest& request, const HttpReply& reply) {
  const ServiceInfo& info = serving_.services()[service];
  const std::optional<std::string> length = request.inference_header_length.empty()
                                                ? std::nullopt
                                                : std::optional(request.inference_header_length);
  auto call = read_infer(info, request.body, length);
  if (!call) {
    metrics_->bad_request();
    return reply.send(error_response(400, call.error().message));
  }
  size_t bytes = 0;
  for (const StoredTensor& input : call->inputs) bytes += input.bytes.size();
  if (!reply.hold(bytes)) {
    metrics_->no_room();
    return reply.send(try_again("too many large requests at once"));
  }
  InferRequest asked{std::move(call->inputs), call->samples, nullptr};
  const auto wanted = std::make_shared<const InferCall>(*std::move(call));
  // What a client cannot be told has failed: that is known before it is counted as answered.
  asked.can_tell = [&info, wanted, metrics = metrics_, reply](const auto& outputs) -> Status {
    FLYBALL_CHECK(check_told(*wanted, outputs));
    if (reply.hold(most_told_bytes(info, *wanted, outputs))) return {};
    metrics->no_room();
    return Error{no_room, "too many large answers at once", ""};
  };
  asked.done = [this, service, wanted, metrics = metrics_, reply](InferAnswer answer) {
    metrics->answered(service, answer);
    // What costs time is done in the server's threads, not in the one that computes.
    const bool made = answer.outputs.ok();
    const size_t held =
        made ? most_told_bytes(serving_.services()[service], *wanted, *answer.outputs) : 0;
    reply.send_made(held,
                    [info = serving_.services()[service], wanted, answer = std::move(answer)] {
                      return answer_response(info, *wanted, answer);
                    });
  };
  serving_.submit(service, std::move(asked));
}

class LivePublisher::Thread {
 public:
  Thread(HttpServer& server, const LiveView& view)
      : thread_([this, &server, &view] {
          std::unique_lock lock(mutex_);
          while (!stop_) {
            server.publish(live_event(view.live_state()));
            wake_.wait_for(lock, std::chrono::seconds(1), [this] { return stop_; });
          }
          server.publish(live_event(view.live_state()));  // how it ended
        }) {}
  ~Thread() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;  // last: it uses the others
};

LivePublisher::LivePublisher(HttpServer& server, const LiveView& view)
    : thread_(std::make_unique<Thread>(server, view)) {}
LivePublisher::~LivePublisher() = default;

}  // namespace flyball
