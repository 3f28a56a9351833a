#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/quantities.h"
#include "cli/serving/serving_endpoint.h"
#include "device/helper/listen.h"
#include "monitor/watch.h"
#include "server/frames/frame_server.h"

namespace flyball::cli {
namespace {

struct MetricsOptions {
  std::string device, root = "/";
  HttpQuestion http{.listen = "127.0.0.1:9401"};
  Seconds interval{1};
};

// Frames that are older than so many intervals are not told as if they were the board's state.
constexpr double stale_intervals = 10, least_stale_s = 5;

Status serve(MetricsOptions& options) {
  FLYBALL_CHECK(check_machine_options(options.device, options.root));
  FLYBALL_ASSIGN(auto handed_over, inherited_tcp_socket());
  if (handed_over) options.http.handed_over = handed_over->get();
  FLYBALL_ASSIGN(HttpOptions http, http_options(options.http));
  http.limits.connections = 64;
  http.limits.all_bodies = 1 << 20;
  http.limits.body_s = 10;  // who does not read keeps no connection from others for longer
  FrameOptions frames{.interval = options.interval, .processes = 0};
  FLYBALL_ASSIGN(frames.root, root_folder(options.root));
  FLYBALL_ASSIGN(const auto reader, open_frames(options.device, frames));
  FrameServer server(std::max(least_stale_s, stale_intervals * options.interval.value));
  FLYBALL_ASSIGN(const auto first, reader->read());
  if (first) server.take(*first);
  if (handed_over) http.listening = handed_over->release();
  FLYBALL_ASSIGN(const auto listening, HttpServer::listen(http, server.handler()));
  fmt::print(stderr, "listening on {}/metrics\n", listening->url());
  std::fflush(stderr);
  catch_interrupts();
  return watch_frames(*reader, {.interval_s = options.interval.value},
                      [&server](const BoardFrame& frame) -> Status {
                        server.take(frame);
                        return {};
                      });
}

}  // namespace

void add_metrics_server(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "metrics-server", "Serve what `monitor` shows as metrics for Prometheus: GET /metrics");
  auto options = std::make_shared<MetricsOptions>();
  add_device_option(*command, options->device, options->root, {.refused = {"table"}});
  add_duration(*command, "--interval", [options](Seconds value) { options->interval = value; },
               "Time between looks at the board, 100ms to 1min; scrapes read what was seen last; "
               "default: 1s",
               {.least = 0.1, .most = 60, .words = "100ms to 1min"});
  add_listener_options(
      *command, options->http,
      "Where it listens, HOST:PORT (port 0: any). A socket that systemd hands over "
      "comes before it")
      ->capture_default_str();
  command->footer(
      "Example:\n  flyball metrics-server\n"
      "  flyball metrics-server --device twin:orin_nano --listen 127.0.0.1:0");
  set_action(*command, context, [options]() -> Status { return serve(*options); });
}

}  // namespace flyball::cli
