#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "cli/action.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/tables.h"
#include "schedule/planning/serving_evaluation.h"

namespace flyball::cli {
namespace {

struct EvaluateLiveArguments {
  std::string train, infer, problems = "paper", modes = "paper";
  Accepted accepted;
  ServingSweep sweep;
  bool json = false, quiet = false;
};

std::string share(size_t part, size_t of) {
  return of == 0 ? "-" : fmt::format("{} of {}", part, of);
}

void print_rows(const ServingEvaluation& evaluation) {
  fmt::print("{} beside {}: each plan executed for {:g} s, {} modes\n\n", evaluation.train,
             evaluation.infer, evaluation.seconds, evaluation.modes);
  TextTable table({"arrivals", "planned", "in time", "trained ≥ 0.99", "training/plan", "least",
                   "late % mean", "worst"});
  for (const ServingRow& row : evaluation.rows)
    table.add(
        {row.arrivals, share(row.planned, row.problems), share(row.solved, row.planned),
         share(row.trained, row.with_training), fmt::format("{:.3f}", row.mean_training_ratio),
         fmt::format("{:.3f}", row.least_training_ratio), fmt::format("{:.3f}", row.mean_late_pct),
         fmt::format("{:.2f}", row.worst_late_pct)});
  fmt::print("{}", table.str());
  TextTable soon({"arrivals", "median ms, mean", "latest start", "training/latest start", "least",
                  "singles", "soon"});
  for (const ServingRow& row : evaluation.rows)
    soon.add({row.arrivals, number(row.mean_median_ms), number(row.latest_median_ms),
              fmt::format("{:.4f}", row.mean_kept_ratio),
              fmt::format("{:.4f}", row.least_kept_ratio), fmt::format("{}", row.singles),
              share(row.soon, row.singles)});
  fmt::print(
      "\nhow soon, against batches at the latest safe time; singles: plans in which answers one by "
      "one cost\nless than 1 % of training; soon: their median is at most 1.1 times a training "
      "minibatch and an answer\n\n{}",
      soon.str());
}

void print_traces(const ServingEvaluation& evaluation) {
  if (evaluation.traces.empty()) return;
  fmt::print(
      "\ndynamic traces, training minibatches/s: who watches the rate, who was told it, and "
      "the plan by equations\n\n");
  TextTable table({"windows requests/s", "power W", "latency ms", "watching", "told", "plan",
                   "of told", "switches", "told", "late %", "told %"});
  std::vector<double> ratios;
  for (const ServingTrace& trace : evaluation.traces) {
    std::string rates;
    for (const RateWindow& window : trace.windows)
      rates += fmt::format("{}{:g}", rates.empty() ? "" : " ", window.rate_hz);
    ratios.push_back(trace.trained / trace.knowing);
    table.add({rates, number(trace.asked.budgets.power_w), number(trace.asked.latency_ms, 4),
               number(trace.trained), number(trace.knowing), number(trace.plan),
               fmt::format("{:.4f}", ratios.back()), fmt::format("{}", trace.switches),
               fmt::format("{}", trace.knowing_switches), fmt::format("{:.3f}", trace.late_pct),
               fmt::format("{:.3f}", trace.knowing_late_pct)});
  }
  fmt::print("{}of told: mean {:.4f}, least {:.4f}\n", table.str(), mean(ratios),
             *std::ranges::min_element(ratios));
}

Status run(EvaluateLiveArguments& options) {
  FLYBALL_ASSIGN(const WorkloadTable train,
                 read_role(options.train, Phase::train, options.accepted));
  FLYBALL_ASSIGN(const WorkloadTable infer,
                 read_role(options.infer, Phase::infer, options.accepted));
  ServingSweep& sweep = options.sweep;
  sweep.train = &train;
  sweep.infer = &infer;
  if (options.problems != "paper") {
    FLYBALL_ASSIGN(sweep.problems, read_problems(options.problems));
    for (const ProblemSpec& spec : sweep.problems)
      if (!(spec.rate_hz > 0) || !std::isfinite(spec.latency_ms))
        return Error{Code::invalid_argument,
                     fmt::format("{} holds a problem without arrival rate or latency budget",
                                 options.problems),
                     "fill the columns rate_hz and latency_ms"};
  }
  if (options.modes != "paper" && options.modes != "all")
    return Error{Code::invalid_argument, fmt::format("'{}' are no modes", options.modes),
                 "paper (its 441 modes) or all"};
  sweep.only_paper_modes = options.modes == "paper";
  Progress progress(options.quiet);
  sweep.progress = [&](size_t done, size_t all) { progress.show(done, all, "executing"); };
  const auto evaluation = evaluate_live(sweep);
  progress.finish();
  if (!evaluation) return evaluation.error();
  if (options.json) {
    print_json(to_json(*evaluation));
    return {};
  }
  print_rows(*evaluation);
  print_traces(*evaluation);
  fmt::print(
      "\n{:.3g} requests executed and counted in {:.3g} s of processor time, planning "
      "included\n",
      evaluation->requests, evaluation->own_s);
  return {};
}

}  // namespace

void add_evaluate_live(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "live", "Execute concurrent plans by the scheduler of `serve` on measured tables");
  auto options = std::make_shared<EvaluateLiveArguments>();
  ServingSweep& sweep = options->sweep;
  command->add_option("--train", options->train, "Table of the training")->required();
  command->add_option("--infer", options->infer, "Table of the inference")->required();
  add_accept_option(*command, options->accepted);
  command->add_option("--problems", options->problems, "Problems: paper, or a CSV file of budgets")
      ->capture_default_str();
  command->add_option("--every", sweep.every, "Take every so manieth problem; 1: all of them")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--modes", options->modes, "Power modes: paper (its 441) or all")
      ->capture_default_str();
  add_duration(*command, "--duration", [&sweep](Seconds time) { sweep.seconds = time.value; },
               "How long each plan is executed, in simulated time; default: 2min",
               {1, 86400, "1s to 24h"});
  command->add_option("--jitter", sweep.jitter, "Relative spread of a minibatch's time")
      ->check(CLI::Range(0.0, 2.0))
      ->capture_default_str();
  add_percentile(*command, sweep.percentile, "Share of requests that are to be in time");
  add_preference(*command, sweep.prefer);
  command->add_option("--traces", sweep.traces, "Dynamic traces to draw; 0: none")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  add_duration(*command, "--switch-cost", [&sweep](Seconds time) { sweep.switch_s = time.value; },
               "Time that a change of mode takes in them; default: 2s", {0, 3600, "0s to 1h"});
  add_seed(*command, sweep.seed);
  add_threads(*command, sweep.threads);
  add_json_flag(*command, options->json);
  add_quiet(*command, options->quiet);
  command->footer(
      "Example:\n  flyball evaluate live --train resnet18.csv --infer mobilenet_infer.csv");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
