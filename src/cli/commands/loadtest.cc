// `flyball loadtest`: any server under an open-loop load.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/json.h"
#include "base/os/interrupt.h"
#include "base/units.h"
#include "cli/action.h"
#include "cli/common_options.h"
#include "cli/load_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/text/load_text.h"
#include "device/registry/board.h"
#include "load/http_exchange.h"
#include "load/load_json.h"
#include "load/prepare.h"

namespace flyball::cli {
namespace {

constexpr double usual_duration_s = 20;
constexpr double most_warm_up_s = 2;

struct LoadTestOptions {
  std::string url;
  LoadArguments load;
  std::optional<double> latency_ms, duration_s, warm_up_s;
  uint64_t seed = 1;
  bool no_power = false, json = false, quiet = false;

  double seconds(const ArrivalSpec& arrivals) const {
    return duration_s.value_or(arrivals.seconds().value_or(usual_duration_s));
  }
  double warm_up(const ArrivalSpec& arrivals) const {
    const double asked_s = seconds(arrivals);
    const double whole_s = std::min(asked_s, arrivals.seconds().value_or(asked_s));
    return warm_up_s.value_or(std::min(most_warm_up_s, 0.1 * whole_s));
  }
};

// The meter of this machine, where the server is on it.
struct Metered {
  std::unique_ptr<PowerMeter> meter;
  std::string gap;
};

Result<Metered> open_meter(const LoadTestOptions& options, const LoadTarget& target) {
  if (options.no_power) return Metered{nullptr, "--no-power"};
  FLYBALL_ASSIGN(const tcp::endpoint endpoint, reach(target, options.load.timeout_s));
  if (!is_of_this_machine(endpoint))
    return Metered{nullptr, "the server is on another machine; run loadtest there"};
  const auto board = open_board("");
  if (!board) return Metered{nullptr, board.error().message};
  Metered metered{(*board)->power(), ""};
  metered.gap = metered.meter->gap();
  if (!metered.gap.empty()) metered.meter.reset();
  return metered;
}

Result<LoadTestRun> run_test(const LoadTestOptions& options) {
  LoadTestRun test;
  FLYBALL_ASSIGN(test.target, parse_target(options.url, options.load.protocol));
  FLYBALL_ASSIGN(const LoadArguments asked, load_of_protocol(options.load, test.target.protocol));
  LoadOptions load;
  FLYBALL_ASSIGN(load.arrivals, load_arrivals(asked));
  LoadRequestOptions request = asked.request;
  request.stream = !asked.no_stream;
  FLYBALL_ASSIGN(load.request, prepare_load(test.target, request, options.load.timeout_s));
  FLYBALL_ASSIGN(const Metered metered, open_meter(options, test.target));
  load.target = test.target;
  load.seed = options.seed;
  load.duration_s = options.seconds(load.arrivals);
  load.warm_up_s = options.warm_up(load.arrivals);
  load.connections = options.load.connections;
  load.timeout_s = options.load.timeout_s;
  load.meter = metered.meter.get();
  load.power_gap = metered.gap;
  catch_interrupts();  // before that nothing is there to be told
  load.interrupted = &interrupt_flag();
  Progress progress(options.quiet);
  load.progress = [&](double share) {
    progress.show_share(static_cast<size_t>(100 * std::min(share, 1.0)), 100, "load");
  };
  test.started_utc = wall_clock_utc();
  FLYBALL_ASSIGN(const LoadRun run, run_load(load));
  progress.finish();
  test.stopped = run.stopped;
  test.request = load.request;
  test.arrivals = load.arrivals.text;
  test.duration_s = static_cast<double>(run.until_ns - run.from_ns) * 1e-9;
  test.warm_up_s = load.warm_up_s;
  test.timeout_s = load.timeout_s;
  test.seed = load.seed;
  test.summary = summarise(run, options.latency_ms, load.connections);
  if (const auto length = load.arrivals.seconds();
      !run.stopped && options.duration_s && length && *length < *options.duration_s)
    test.summary.warnings.push_back(fmt::format(
        "requests came for {} and no longer, of the {} that were asked for",
        format_seconds(Seconds{*length}), format_seconds(Seconds{*options.duration_s})));
  return test;
}

Status run(const LoadTestOptions& options, Context& context) {
  FLYBALL_ASSIGN(const LoadTestRun test, run_test(options));
  if (options.json)
    print_json(to_json(test));
  else
    fmt::print("{}", load_text(test));
  if (test.summary.due > 0 && test.summary.answered == 0) context.exit_code = 1;
  if (test.stopped) context.exit_code = interrupted_exit_code();
  return {};
}

}  // namespace

void add_loadtest(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "loadtest", "Put a server under load: latencies, tokens, energy per request");
  auto options = std::make_shared<LoadTestOptions>();
  command
      ->add_option("url,--url", options->url,
                   "URL of the server, such as http://127.0.0.1:8000/v2/models/lenet5")
      ->required();
  add_load_options(*command, options->load);
  command
      ->add_option("--header", options->load.request.headers,
                   "Header of each request, as 'Name: value'")
      ->allow_extra_args(false);
  add_duration(
      *command, "--latency", [options](Seconds time) { options->latency_ms = time.value * 1e3; },
      "Time from when a request is due to its answer, at most: tells which are late");
  add_duration(*command, "--duration",
               [options](Seconds time) { options->duration_s = time.value; },
               "How long requests are due that count; default: 20s, or the trace's length",
               {0.1, 1e6, "100ms or more"});
  add_duration(
      *command, "--warm-up", [options](Seconds time) { options->warm_up_s = time.value; },
      "Load before that, of a trace its beginning, which is not counted; default: a tenth of "
      "--duration, at most 2s",
      {0, 1e5, "0s or more"});
  add_seed(*command, options->seed, "Seed of the times at which requests are due");
  command->add_flag("--no-power", options->no_power, "Do not read the power sensors");
  add_json_flag(*command, options->json);
  add_quiet(*command, options->quiet);
  command->footer(
      "Example:\n  flyball loadtest http://127.0.0.1:8000/v2/models/lenet5 --rate 30 --latency "
      "100ms --duration 20s");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
