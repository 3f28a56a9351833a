#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "answers/answer.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "benchmark/ranking.h"
#include "benchmark/result_file.h"
#include "benchmark/run_entry.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands/experiment/experiment.h"
#include "cli/common_options.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/text/benchmark_text.h"
#include "cli/training_options.h"
#include "report/page.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;

struct BenchmarkArguments {
  std::string device, root = "/", result, sign_off, precision = "fp32";
  std::vector<std::string> only, files;
  std::string by = "time", report;
  FreeSettings settings{.workers = 1};
  MeasuringOptions measuring;
  OptionScope scope;
  bool fresh = false, dry_run = false, json = false, quiet = false;
};

/// Error: there is no entry of this name.
Result<std::vector<BenchmarkEntry>> entries_of(const Benchmark& benchmark,
                                               const std::vector<std::string>& only) {
  std::vector<BenchmarkEntry> entries;
  std::vector<std::string> ids;
  for (const BenchmarkEntry& entry : benchmark.entries) {
    ids.push_back(entry.id);
    if (only.empty() || std::ranges::find(only, entry.id) != only.end()) entries.push_back(entry);
  }
  for (const std::string& id : only)
    if (std::ranges::find(ids, id) == ids.end())
      return Error{Code::invalid_argument, fmt::format("the benchmark has no entry '{}'", id),
                   name_hint(id, ids)};
  return entries;
}

fs::path result_file(const BenchmarkArguments& options, const Board& board) {
  if (!options.result.empty()) return options.result;
  return "benchmark-" + board.info().device.name + ".json";
}

Status simulate(const BenchmarkArguments& options, const Benchmark& benchmark,
                const std::vector<BenchmarkEntry>& entries, const Board& board,
                BenchmarkResult& result) {
  FLYBALL_CHECK(options.scope.check(Target::twin));
  for (const BenchmarkEntry& entry : entries) {
    auto one = simulate_entry(benchmark, entry, board, options.settings);
    if (!one) one = failed_entry(entry, options.settings, Provenance::simulated, one.error());
    result.entries.push_back(*std::move(one));
  }
  return {};
}

Status measure(const BenchmarkArguments& options, const Benchmark& benchmark,
               const std::vector<BenchmarkEntry>& entries, const Board& board, const fs::path& file,
               BenchmarkResult& result) {
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.measuring));
  FLYBALL_ASSIGN(const auto knobs, board.knobs());
  result.mode = result.mode_after = knobs->caps();
  if (!options.fresh) FLYBALL_CHECK(resume_result(file, options.settings, result));
  FLYBALL_ASSIGN(const fs::path root, root_folder(options.root));
  Progress progress(options.quiet);
  EntryOptions training;
  training.settings = options.settings;
  training.sensors = [&] { return open_trial_sensors(root, board.info().gpu); };
  training.interrupted = &interrupt_flag();
  training.note = [&](const std::string& what) {
    if (!options.quiet) fmt::print(stderr, "flyball: drawing {}\n", what);
  };
  training.progress = [&](double share, const std::string& what) {
    progress.show_share(static_cast<size_t>(100 * share), 100, what);
  };
  for (const BenchmarkEntry& entry : entries) {
    if (is_held(result, entry)) continue;
    auto one = run_entry(benchmark, entry, training);
    progress.finish();
    if (!one && one.error().code == Code::interrupted)
      return Error{Code::interrupted, one.error().message,
                   result.entries.empty()
                       ? ""
                       : fmt::format("{} of {} entries stand in {}: the same "
                                     "command goes on from there",
                                     result.entries.size(), entries.size(), file.string())};
    if (!one) one = failed_entry(entry, options.settings, Provenance::measured, one.error());
    add_entry(benchmark, *std::move(one), result);
    if (result.mode_after == result.mode) result.mode_after = knobs->caps();
    FLYBALL_CHECK(write_result(file, result));
  }
  return {};
}

Status show_plan(const BenchmarkArguments& options, const std::vector<BenchmarkEntry>& entries) {
  Json json{{"schema", json_schema}};
  json["entries"] = Json::array();
  TextTable table({"entry", "data", "batch size", "until", "at most"});
  for (const BenchmarkEntry& entry : entries) {
    table.add({entry.id, fmt::format("{} of {}", entry.samples, entry.dataset),
               std::to_string(entry.batch_size), entry.target_text(),
               fmt::format("{} epochs", entry.most_epochs)});
    json["entries"].push_back({{"id", entry.id},
                               {"network", entry.network},
                               {"dataset", entry.dataset},
                               {"samples", entry.samples},
                               {"batch_size", entry.batch_size},
                               {"quality", quality_name(entry.quality)},
                               {"target", entry.target},
                               {"reference_epochs", entry.epochs},
                               {"most_epochs", entry.most_epochs}});
  }
  if (options.json)
    print_json(json);
  else
    fmt::print("{}", table.str());
  return {};
}

/// Trainings that failed are no answer: why they did may be gone the next time.
Status failures_of(const BenchmarkResult& result) {
  std::vector<std::string> failed;
  for (const EntryResult& entry : result.entries)
    if (!entry.failure.empty())
      failed.push_back(fmt::format("{} ({})", entry.entry.id, entry.failure));
  if (failed.empty()) return {};
  return Error{Code::unavailable,
               fmt::format("{} of {} entries could not be trained: {}", failed.size(),
                           result.entries.size(), join(failed, "; ")),
               "the same command trains them again, and keeps the others"};
}

Status run(const BenchmarkArguments& given, Context& context) {
  BenchmarkArguments options = given;
  FLYBALL_ASSIGN(const Benchmark benchmark, edge_training());
  FLYBALL_ASSIGN(const auto entries, entries_of(benchmark, options.only));
  FLYBALL_ASSIGN(options.settings.precision, parse_precision(options.precision));
  if (options.settings.workers == 0) options.settings.prefetch = 0;
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (options.dry_run) return show_plan(options, entries);
  BenchmarkResult result = begin_result(benchmark, board->info().device);
  const fs::path file = result_file(options, *board);
  const bool simulated = board->twin() != nullptr;
  if (!simulated) result.machine = machine_digest(options.root);
  if (simulated) {
    if (!options.result.empty()) FLYBALL_CHECK(check_replaced(file));
    FLYBALL_CHECK(simulate(options, benchmark, entries, *board, result));
  } else {
    FLYBALL_ASSIGN(const BoardInfo info, experiment_place(*board, options.device, true));
    options.settings.compute = info.compute;
    FLYBALL_CHECK(check_writable(file.string()));
    FLYBALL_CHECK(measure(options, benchmark, entries, *board, file, result));
  }
  if (!options.sign_off.empty()) {
    result.signed_off_by = options.sign_off;
    result.signed_off_utc = wall_clock_utc();
  }
  if (!simulated || !options.result.empty()) FLYBALL_CHECK(write_result(file, result));
  if (options.json)
    print_json(benchmark_json(result));
  else
    fmt::print("{}", benchmark_text(result));
  if (!options.json && !simulated)
    fmt::print("{}{}: `flyball experiment benchmark check {}`\n", file.string(),
               result.signed_off_by.empty() ? ", signed off by nobody (--sign-off NAME)" : "",
               file.string());
  const bool missed = std::ranges::any_of(result.entries, [](const EntryResult& entry) {
    return !entry.time_to_target_s() && entry.failure.empty();
  });
  if (missed) context.exit_code = 1;
  return simulated ? Status() : failures_of(result);
}

Status check(const BenchmarkArguments& options, Context& context) {
  FLYBALL_ASSIGN(const Benchmark benchmark, edge_training());
  FLYBALL_ASSIGN(ReadResult read, read_benchmark_result(options.files.front()));
  const CheckedResult checked = check_result(std::move(read), benchmark);
  if (options.json)
    print_json(check_json(checked));
  else
    fmt::print("{}", check_text(checked));
  if (checked.any_broken()) context.exit_code = 1;
  return {};
}

Status rank(const BenchmarkArguments& options, Context& context) {
  FLYBALL_ASSIGN(const Benchmark benchmark, edge_training());
  std::vector<CheckedResult> results;
  std::vector<LeftOut> unread;
  for (const std::string& file : options.files) {
    auto read = read_benchmark_result(file);
    if (read)
      results.push_back(check_result(*std::move(read), benchmark));
    else if (options.files.size() == 1 || read.error().code == Code::not_found)
      return read.error();
    else
      unread.push_back({file, "", read.error().message});
  }
  Ranking ranking =
      rank_results(results, benchmark, options.by == "energy" ? RankedBy::energy : RankedBy::time);
  std::ranges::move(unread, std::back_inserter(ranking.left_out));
  if (options.json)
    print_json(ranking_json(ranking));
  else
    fmt::print("{}", ranking_text(ranking));
  FLYBALL_CHECK(write_report(options.report,
                             page_document("benchmark", context.command, ranking_json(ranking)),
                             options.json));
  if (ranking.entries.empty()) context.exit_code = 1;
  return {};
}

void add_run(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "run", "Train every network of the benchmark until it is good enough, as one result");
  auto options = std::make_shared<BenchmarkArguments>();
  add_device_option(*command, options->device, options->root, {.refused = {"table"}});
  command->add_option("--only", options->only, "Only these entries, by their ids")->delimiter(',');
  add_loader_options(*command, options->settings.workers, options->settings.prefetch);
  CLI::Option* threads = command
                             ->add_option("--threads", options->settings.threads,
                                          "Threads of one operation; 0: all usable cores")
                             ->check(CLI::Range(0, 4096))
                             ->capture_default_str();
  CLI::Option* precision =
      command->add_option("--precision", options->precision, "Precision: fp32 or bf16")
          ->check(CLI::IsMember({"fp32", "bf16"}))
          ->capture_default_str();
  CLI::Option* sign_off =
      command->add_option("--sign-off", options->sign_off, "Name of whom vouches for the result");
  options->scope.exclude({Target::twin},
                         {threads, precision, sign_off, add_fresh(*command, options->fresh)});
  writes(command->add_option("--result", options->result,
                             "File of the result; default: benchmark-BOARD.json here (a simulated "
                             "one is written only where this names it)"));
  command->add_flag("--dry-run", options->dry_run, "Only say what would be trained");
  add_measuring_options(*command, options->measuring);
  add_quiet(*command, options->quiet);
  add_json_flag(*command, options->json);
  command->footer(
      "Each entry is written before the next one starts: after a kill the same command goes on.\n"
      "Example:\n  flyball experiment benchmark run --only lenet5");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace

void add_experiment_benchmark(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "benchmark", "Run a benchmark of training on edge boards, in MLPerf's manner");
  command->require_subcommand(1);
  command->footer(
      "Its rules stand in docs/benchmark.md. Example:\n"
      "  flyball experiment benchmark check benchmark-host.json");
  add_run(*command, context);
  CLI::App* checker = command->add_subcommand("check", "Apply the rules to a result");
  auto checked = std::make_shared<BenchmarkArguments>();
  checker->add_option("file", checked->files, "A result")->required()->expected(1);
  add_json_flag(*checker, checked->json);
  checker->footer("Example:\n  flyball experiment benchmark check benchmark-host.json");
  set_action(*checker, context, [checked, &context] { return check(*checked, context); });
  CLI::App* ranker = command->add_subcommand("table", "Rank results beside each other");
  auto ranked = std::make_shared<BenchmarkArguments>();
  ranker->add_option("files", ranked->files, "Files of results")->required();
  ranker->add_option("--by", ranked->by, "Rank by time or energy to the target")
      ->check(CLI::IsMember({"time", "energy"}))
      ->capture_default_str();
  add_report_option(*ranker, ranked->report);
  add_json_flag(*ranker, ranked->json);
  ranker->footer("Example:\n  flyball experiment benchmark table benchmark-*.json --by energy");
  set_action(*ranker, context, [ranked, &context] { return rank(*ranked, context); });
}

}  // namespace flyball::cli
