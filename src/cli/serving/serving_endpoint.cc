#include "cli/serving/serving_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"

namespace flyball::cli {
namespace {

constexpr double owed_s = 1;  // for answers to leave, once all are made

// Of a file or the environment: a command line is seen by everybody on the machine.
Result<std::string> token_of(const std::string& file) {
  const char* set = std::getenv("FLYBALL_TOKEN");
  if (file.empty()) return std::string(set ? set : "");
  FLYBALL_ASSIGN(std::string token, read_file(file, 1 << 16));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (token.empty() || token.find_first_of(" \t\r\n") != std::string::npos)
    return Error{Code::invalid_argument, fmt::format("--token-file {} holds no token", file),
                 "write one word without blanks into it"};
  return token;
}

}  // namespace

CLI::Option* add_listener_options(CLI::App& command, HttpQuestion& asked,
                                  const std::string& listen_help) {
  CLI::Option* listen = command.add_option("--listen", asked.listen, listen_help);
  command.add_option(
      "--token-file", asked.token_file,
      "File with the bearer token that requests need; default: FLYBALL_TOKEN, or none");
  command.add_flag("--insecure", asked.insecure,
                   "Let everybody on the network ask without a token, where --listen is not of "
                   "this machine alone");
  return listen;
}

Result<HttpOptions> http_options(const HttpQuestion& asked) {
  HttpOptions http;
  http.listening = asked.handed_over;
  if (asked.handed_over >= 0) {
    FLYBALL_ASSIGN(http.listen, address_of_socket(asked.handed_over));
  } else if (!asked.listen.empty()) {
    FLYBALL_ASSIGN(http.listen, parse_listen_address(asked.listen));
  }
  FLYBALL_ASSIGN(http.token, token_of(asked.token_file));
  if (http.token.empty() && !http.listen.loopback() && !asked.insecure)
    return Error{Code::invalid_argument,
                 fmt::format("--listen {} without a token lets everybody on the network ask",
                             asked.listen.empty() ? http.listen.host : asked.listen),
                 "give --token-file FILE, or --insecure where that is meant"};
  if (asked.body_bytes > 0) http.limits.all_bodies = asked.body_bytes;
  return http;
}

Result<std::unique_ptr<RequestDoor>> ServingEndpoint::open(const HttpOptions& http,
                                                           std::vector<std::string> served,
                                                           const LiveFacts& facts) {
  std::unique_ptr<ServingEndpoint> opened(new ServingEndpoint(facts, std::move(served)));
  ServingEndpoint& here = *opened;
  FLYBALL_ASSIGN(here.server_, HttpServer::listen(http, here.handler()));
  if (const size_t most = here.server_->most_connections(); most < http.limits.connections)
    fmt::print(stderr,
               "flyball: note: at most {} connections at once instead of {}: this process may open "
               "no more files (ulimit -n)\n",
               most, http.limits.connections);
  fmt::print(stderr, "listening on {}\n", here.server_->url());
  std::fflush(stderr);
  return std::unique_ptr<RequestDoor>(std::move(opened));
}

HttpHandler ServingEndpoint::handler() {
  return {[this](const HttpHead& head) { return at_head(head); },
          [this](const HttpRequest& request, const HttpReply& reply) {
            attached()->handle(request, reply);  // at_head() lets none through before
          }};
}

Endpoint* ServingEndpoint::attached() {
  const std::lock_guard lock(mutex_);
  return endpoint_;
}

std::optional<HttpResponse> ServingEndpoint::at_head(const HttpHead& head) {
  Endpoint* endpoint = nullptr;
  {
    const std::lock_guard lock(mutex_);
    endpoint = endpoint_;
    const std::string model = endpoint ? "" : asked_model(head);
    if (std::ranges::find(served_, model) != served_.end()) ++early_[model];
  }
  return endpoint ? endpoint->at_head(head) : answer_before_models(head.path);
}

void ServingEndpoint::attach(LiveServing& serving) {
  serving_ = &serving;
  made_ = std::make_unique<Endpoint>(serving, this);
  {
    const std::lock_guard lock(mutex_);
    endpoint_ = made_.get();
    for (size_t s = 0; s < served_.size(); ++s)
      for (size_t i = 0; i < early_[served_[s]]; ++i) serving.turn_away(s);
  }
  publisher_ = std::make_unique<LivePublisher>(*server_, *this);
}

LiveState ServingEndpoint::live_state() const {
  const ServingResult result = serving_->snapshot();
  LiveState state;
  state.seconds = result.seconds;
  state.draining = result.seconds > 0 && !serving_->ready();
  state.device = facts_.device;
  state.mode = facts_.mode();
  if (const LivePower* power = facts_.power) state.power_w = power->now_w();
  state.replans = result.replan_count;
  state.switches = result.switches;
  state.prefer = facts_.prefer;
  for (const PreferencePoint& p : facts_.front(result))
    state.front.push_back({p.median_ms, p.trainings_per_s, p.chosen});
  for (const ServiceResult& s : result.services) {
    const size_t at = state.services.size();
    const LatencyHistogram recent = s.recent.before(static_cast<int64_t>(result.seconds * 1e9));
    state.services.push_back({.name = s.name,
                              .budget_ms = s.budget_ms,
                              .waiting = s.waiting,
                              .arrived = s.arrived,
                              .answered = s.answered,
                              .late = s.late,
                              .refused = s.refused,
                              .failed = s.failed,
                              .p50_ms = s.latency.quantile_ms(0.5),
                              .p99_ms = s.latency.quantile_ms(0.99),
                              .recent_p50_ms = recent.quantile_ms(0.5),
                              .recent_p99_ms = recent.quantile_ms(0.99),
                              .margin_ms = facts_.margins_ms.at(at),
                              .largest_batch = s.planned_batch,
                              .inputs = serving_->services()[at].inputs});
  }
  for (const TrainingResult& t : result.trainings)
    state.trainings.push_back(
        {t.name, t.minibatches, t.loss, facts_.kept.at(state.trainings.size())});
  return state;
}

void ServingEndpoint::drain() {
  publisher_.reset();
  if (!server_->drain(owed_s))
    fmt::print(stderr, "flyball: note: some clients did not take their answers\n");
}

}  // namespace flyball::cli
