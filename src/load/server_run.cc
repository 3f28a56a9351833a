#include "load/server_run.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "load/http_exchange.h"

namespace flyball {
namespace {

constexpr double probe_timeout_s = 2;
constexpr int64_t probe_every_ns = 50'000'000;

// −1: nobody answers.
int status_of(const LoadTarget& target, const std::string& path) {
  const auto answer = fetch(target, path, {}, probe_timeout_s);
  return answer ? answer->status : -1;
}

bool is_good(int status) {
  return status >= 200 && status < 300;
}

// llama.cpp and vLLM have /health; a server without it that answers at all is taken to be ready.
bool is_ready(const LoadTarget& target, const std::string& named) {
  if (!named.empty()) return is_good(status_of(target, named));
  if (target.protocol == LoadProtocol::oip) return is_good(status_of(target, "/v2/health/ready"));
  if (!answers_in_tokens(target.protocol)) return reach(target, probe_timeout_s).ok();
  const int status = status_of(target, "/health");
  return is_good(status) || status == 404;
}

bool set_protocol(LoadTarget& target, LoadProtocol protocol) {
  const auto named = parse_target("http://" + target.authority(), protocol_name(protocol));
  if (named) target = *named;
  return named.ok();
}

}  // namespace

Result<std::unique_ptr<ServerRun>> ServerRun::start(const ServerStart& start) {
  FLYBALL_ASSIGN(LoadTarget target, parse_target(start.url, start.protocol));
  if (reach(target, probe_timeout_s).ok())
    return Error{Code::conflict, fmt::format("somebody listens on {} already", target.authority()),
                 "end it, or write {port} where --server takes its port"};
  ProgramOptions program;
  program.argv = start.argv;
  program.environment = start.environment;
  program.in_background = true;
  FLYBALL_ASSIGN(auto run, ProgramRun::start(program));
  std::unique_ptr<ServerRun> server(new ServerRun(std::move(run), std::move(target)));
  FLYBALL_CHECK(server->wait_until_ready(start));
  return server;
}

Status ServerRun::alive() {
  if (!run_->wait_until(monotonic_ns())) return {};
  run_->stop();
  FLYBALL_CHECK(run_->outcome());
  return Error{Code::unavailable, "the server ended of itself",
               "run it by itself first; one that goes into the background must stay in front"};
}

Status ServerRun::wait(const ServerStart& start, const std::function<bool()>& holds) {
  for (const Stopwatch watch; watch.seconds() < start.patience_s;) {
    FLYBALL_CHECK(alive());
    if (holds()) return {};
    FLYBALL_CHECK(check_interrupt(start.interrupted));
    run_->wait_until(monotonic_ns() + probe_every_ns);
  }
  return Error{Code::unavailable,
               fmt::format("the server was not ready at {} within {}", target_.authority(),
                           format_seconds({start.patience_s})),
               "does it listen on that port? --url and --ready name its address and its path of "
               "readiness"};
}

Status ServerRun::wait_until_ready(const ServerStart& start) {
  const bool known = !start.protocol.empty() || target_.path != "/";
  if (!known) return find_protocol(start);
  return wait(start, [&] { return is_ready(target_, start.ready); });
}

// A server that loads its model may answer 503 until then, on either path.
Status ServerRun::find_protocol(const ServerStart& start) {
  bool answered = false;
  const Status ready = wait(start, [&] {
    if (!start.ready.empty() && !is_good(status_of(target_, start.ready))) return false;
    const int oip = status_of(target_, "/v2/health/ready");
    if (is_good(oip)) return set_protocol(target_, LoadProtocol::oip);
    const int models = status_of(target_, "/v1/models");
    if (is_good(models) && is_ready(target_, start.ready.empty() ? "/health" : start.ready))
      return set_protocol(target_, LoadProtocol::openai_chat);
    answered = oip == 404 && models == 404;
    return answered;
  });
  if (!ready.ok() || !answered) return ready;
  return Error{Code::invalid_argument,
               "the server speaks neither the Open Inference Protocol nor OpenAI's",
               "name what is asked of it: --url http://127.0.0.1:{port}/PATH, --protocol http"};
}

}  // namespace flyball
