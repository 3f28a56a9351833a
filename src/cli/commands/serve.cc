#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands/plan/plan_arrivals.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/report_file.h"
#include "cli/serving/serving.h"
#include "cli/tables.h"
#include "report/serve_report.h"
#include "space/named_source.h"
#include "tune/role_choices.h"

namespace flyball::cli {
namespace {

struct ServeArguments {
  ServeOptions serve;
  std::vector<std::string> arrivals;
  bool json = false;
  CLI::Option* margin = nullptr;
};

bool is_table(const std::string& role) {
  return read_source(role).is_table();
}

Json document_of(const ServedRun& served, const std::string& started_utc) {
  Json document{{"device", served.device},
                {"simulated", served.simulated},
                {"started_utc", started_utc},
                {"verdict", live_verdict(served.result)}};
  document.update(to_json(served.result));
  document["power_gap"] = served.power_gap.empty() ? Json() : Json(served.power_gap);
  document["plan"] = served.plan;
  document["own_cost"] = Json();
  if (!served.simulated && served.result.decisions > 0)
    document["own_cost"] = {
        {"mean_us",
         or_null(1e6 * served.result.deciding_s / static_cast<double>(served.result.decisions))},
        {"longest_us", or_null(1e6 * served.result.longest_decision_s)},
        {"share_pct", or_null(100 * served.result.deciding_s / served.result.seconds)}};
  document["notes"] = served.notes;
  document["timeline"] = timeline_json(served.timeline, served.result);
  return document;
}

void print_served(const ServedRun& served) {
  fmt::print("{}{}\n{}", served.device, served.simulated ? ", in simulated time" : "",
             format_live(served.result));
  for (const auto& role : served.plan) {
    Settings settings;
    for (const auto& [name, value] : role["config"].items()) settings[name] = value;
    fmt::print("plan: {} with {}\n", role["workload"].get<std::string>(), describe(settings));
  }
  if (!served.simulated && served.result.decisions > 0)
    fmt::print("own cost: {} decisions of {:.2g} µs, {:.2g} % of the time\n",
               served.result.decisions,
               1e6 * served.result.deciding_s / static_cast<double>(served.result.decisions),
               100 * served.result.deciding_s / served.result.seconds);
  if (!served.power_gap.empty()) fmt::print("no power: {}\n", served.power_gap);
  for (const std::string& note : served.notes) fmt::print("note: {}\n", note);
}

Status check_roles_of(const ServeOptions& serve) {
  const PlanOptions& plan = serve.plan;
  FLYBALL_CHECK(check_count("--latency", plan.request.latencies_ms.size(), plan.infer.size()));
  if (serve.asked.shares.size() > plan.train.size())
    return Error{Code::invalid_argument,
                 fmt::format("--share has {} value{} for {} training{}", serve.asked.shares.size(),
                             serve.asked.shares.size() == 1 ? "" : "s", plan.train.size(),
                             plan.train.size() == 1 ? "" : "s"),
                 "give one for each --train, or none"};
  const auto tables = static_cast<size_t>(std::ranges::count_if(plan.train, is_table) +
                                          std::ranges::count_if(plan.infer, is_table));
  if (tables != 0 && tables != plan.train.size() + plan.infer.size())
    return Error{Code::invalid_argument, "some roles are tables and others networks",
                 "name tables for all of them, or networks for all"};
  return {};
}

bool simulated(const ServeOptions& serve) {
  const auto board = parse_board(serve.plan.device);
  return is_table(serve.plan.infer.front()) ||
         (board && (board->kind == BoardName::Kind::table || board->kind == BoardName::Kind::twin));
}

Status run(ServeArguments& options, const std::string& command) {
  ServeOptions& serve = options.serve;
  serve.plan.json = options.json;
  if (serve.plan.train.empty()) FLYBALL_CHECK(serve.plan.scope.check(Target::no_training));
  FLYBALL_CHECK(check_roles_of(serve));
  FLYBALL_CHECK(begin_report(serve.plan));
  FLYBALL_ASSIGN(serve.asked.arrivals, read_arrivals(options.arrivals, serve.plan.request.rates_hz,
                                                     serve.plan.infer.size()));
  const auto& rates_hz = serve.plan.request.rates_hz;
  for (size_t s = 0; s < serve.asked.arrivals.size() && !rates_hz.empty(); ++s)
    if (serve.asked.arrivals[s].kind == ArrivalKind::http)
      serve.asked.arrivals[s].rate_hz = rates_hz[std::min(s, rates_hz.size() - 1)];
  serve.plan.request.rates_hz.clear();
  if (serve.listens() && options.margin->count() == 0 && options.margin->get_default_str().empty())
    serve.plan.request.margin = usual_margin;
  FLYBALL_CHECK(check_margin(serve.plan.request.margin, serve.plan.request.latencies_ms));
  const bool tables = simulated(serve);
  if (tables && serve.listens())
    return Error{Code::invalid_argument,
                 "nobody sends requests over http to a table or a simulated board",
                 "name a source: --arrivals poisson:60, constant:60, trace:FILE or "
                 "windows:30:10min,60:10min; without --listen and --token-file"};
  const auto& infer = serve.plan.infer;
  if (serve.listens() && infer.size() == 2 && infer[0] == infer[1])
    return Error{Code::invalid_argument, fmt::format("{} is served twice", infer[0]),
                 "requests name their model: serve it once, or another one beside it"};
  if (!tables) FLYBALL_CHECK(serve.plan.scope.check(Target::network, infer.front()));
  FLYBALL_ASSIGN(const ServedRun served, tables ? serve_tables(serve) : serve_networks(serve));
  const auto document = document_of(served, serve.plan.started_utc);
  if (options.json)
    print_json(document);
  else
    print_served(served);
  if (serve.plan.report.empty()) return {};
  return write_report(serve.plan.report,
                      serve_report(document, served.result, served.timeline, command),
                      options.json);
}

void add_role_options(CLI::App& command, ServeOptions& serve) {
  PlanOptions& plan = serve.plan;
  command.add_option("--infer", plan.infer, "Network to serve, or its table FILE.csv[:WORKLOAD]")
      ->required()
      ->expected(1, 2);
  command.add_option("--train", plan.train, "Network to train in the gaps, or its table")
      ->expected(1, 2);
  add_durations(
      command, "--latency",
      [&plan](Seconds time) { plan.request.latencies_ms.push_back(time.value * 1e3); },
      "Limit on the time from a request's arrival to its answer, e.g. 150ms")
      ->required();
  add_power(
      command, "--power-budget",
      [&plan](Watts power) { plan.request.power_budget_w = power.value; },
      "Limit on the power, e.g. 30W: chooses the mode among those that were profiled");
  add_device_option(command, plan.device, plan.root);
  note_given(command.get_option("--device"), plan.device_typed);
  add_modes_option(command, plan.modes);
  plan.scope.exclude({Target::table, Target::twin}, {add_data_option(command, plan.data)});
  add_accept_option(command, plan.accepted);
  add_measuring_options(command, plan.measuring_options);
  add_seed(command, plan.request.seed);
  add_duration(command, "--switch-cost",
               [&plan](Seconds time) { plan.request.switch_ms = time.value * 1e3; },
               "Time that changing the mode takes; default, live: what the first change took",
               {0, 1e9, "0s or more"});
}

// Of trainings; those of networks that run alone.
AddedOptions add_training_options(CLI::App& command, ServeOptions& serve) {
  return {
      command
          .add_option("--train-batch-size", serve.asked.train_batch,
                      "Samples of a training minibatch")
          ->check(CLI::Range(1, 65536))
          ->default_str(std::to_string(usual_batch_size)),
      command.add_option("--workers", serve.asked.workers, "Loader workers of a training")
          ->check(CLI::Range(0, 64))
          ->default_str(std::to_string(usual_workers)),
      command
          .add_option("--share", serve.asked.shares,
                      "Share of the gaps' time, one for each training")
          ->check(CLI::Range(0.001, 1000.0)),
      writes(command.add_option("--checkpoint", serve.checkpoint,
                                "Where trainings are kept and go on; default: beside the store, "
                                "each by its data and settings"),
             "FOLDER"),
      add_duration(command, "--checkpoint-every",
                   [&serve](Seconds time) { serve.asked.checkpoint_s = time.value; },
                   "Longest training that is lost when the process is killed; default: 30s",
                   {1, 86400, "1s to 24h"}),
      command.add_flag("--promote", serve.asked.promote,
                       "Serve the trained weights at each checkpoint: the same network with "
                       "--infer and --train")};
}

// Of networks that run; tables and simulated boards know what they hold.
void add_network_options(CLI::App& command, ServeOptions& serve) {
  OptionScope& scope = serve.plan.scope;
  scope.exclude({Target::table, Target::twin},
                {command
                     .add_option("--batch-size", serve.asked.batch,
                                 "Largest batch of a service; default: chosen")
                     ->check(CLI::Range(1, 65536))});
  const AddedOptions training = add_training_options(command, serve);
  scope.exclude({Target::table, Target::twin, Target::no_training}, training);
  scope.exclude({Target::table, Target::twin},
                {command.add_option("--weights", serve.asked.weights,
                                    "Checkpoint to serve; default: fresh weights")});
  command.add_flag("--no-checkpoint", serve.no_checkpoint, "Keep no training")
      ->excludes(command.get_option("--checkpoint"));
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("serve", "Serve within a latency budget and train in the gaps");
  auto options = std::make_shared<ServeArguments>();
  options->arrivals = {"http"};
  ServeOptions& serve = options->serve;
  add_role_options(*command, serve);
  command
      ->add_option("--arrivals", options->arrivals,
                   "How requests come: http, constant:60, poisson:60, trace:FILE or "
                   "windows:30:10min,60:10min; one for each service, or one for all")
      ->capture_default_str();
  add_listener_options(
      *command, serve.http,
      "HOST:PORT of the endpoint (Open Inference Protocol, /metrics, a live page), port 0: any; "
      "default: 127.0.0.1:8000 where requests come over http");
  add_size(
      *command, "--body-memory", [&serve](uint64_t bytes) { serve.http.body_bytes = bytes; },
      "Memory for the bodies of all requests together; default: 256MiB");
  command->add_option("--rate", serve.plan.request.rates_hz,
                      "Requests per second of --arrivals poisson or constant");
  add_duration(*command, "--duration", [&serve](Seconds time) { serve.asked.seconds = time.value; },
               "How long to serve; default: until Ctrl-C, of tables the trace's end or 1min",
               {0.1, 1e8, "100ms or more"});
  add_percentile(*command, serve.plan.percentile, "Share of requests in time that plans keep");
  serve.plan.scope.exclude({Target::no_training},
                           {add_preference(*command, serve.plan.request.prefer)});
  options->margin =
      add_margin(*command, serve.plan.request.margin,
                 "of one that listens 5 %, at least 2ms, half of the budget at most; of others 0s");
  add_queue_rules(*command, serve.asked.queue);
  add_network_options(*command, serve);
  command->add_option("--measured", serve.profiles,
                      "Tables of the modes that are known, to plan mode and batch with; default: "
                      "what the store has of this board, of tables all modes");
  command
      ->add_option("--measure", serve.asked.measure,
                   "Most modes that nobody profiled, and that promise more, to be measured in the "
                   "gaps while it serves")
      ->check(CLI::Range(1, 1000));
  add_store_options(*command, serve.plan.store, "Plan with nothing that is stored");
  writes(
      command->add_option("--trace", serve.trace, "Write a timeline that ui.perfetto.dev opens"));
  serve.plan.scope.exclude({Target::network},
                           {command
                                ->add_option("--jitter", serve.asked.jitter,
                                             "Relative spread of a minibatch's time, of tables")
                                ->check(CLI::Range(0.0, 2.0))},
                           {.remedy = "leave it out: it is for tables and simulated boards"});
  add_report_option(*command, serve.plan.report);
  add_json_flag(*command, options->json);
  add_quiet(*command, serve.plan.quiet);
  command->footer(
      "Example:\n  flyball serve --infer lenet5 --train mobilenet_v3 --latency 1s --arrivals "
      "poisson:60 --duration 1min");
  set_action(*command, context, [options, &context] { return run(*options, context.command); });
}

}  // namespace flyball::cli
