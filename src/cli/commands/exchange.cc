// `flyball import` and `flyball export`: measured tables into the store and out of it.
#include "store/exchange.h"
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>

#include "base/files.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/commands/import_traces.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/recording/record_options.h"
#include "cli/standard_output.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "device/measuring.h"
#include "experiment/run_lines.h"
#include "experiment/stored_figures.h"
#include "recording/record_csv.h"
#include "recording/record_database.h"
#include "space/public_tables.h"

namespace flyball::cli {
namespace {

struct ImportOptions {
  std::string file, out, store, format = "tidy";
  std::vector<std::string> map;
  bool json = false;
  std::optional<int64_t> run;
  TraceFiles clock;
  AddedOptions clock_options;
  bool map_typed = false, store_typed = false;
};

std::string counted_rows(size_t rows) {
  return fmt::format("{} row{}", rows, rows == 1 ? "" : "s");
}

// Error: an option was typed that changes nothing of what is taken.
Status check_import(const ImportOptions& options) {
  const bool log = options.format == "tegrastats";
  for (const CLI::Option* option : options.clock_options)
    if (!log && given(*option))
      return Error{Code::invalid_argument,
                   fmt::format("{} is for logs: a table has no clock", option->get_name()),
                   "leave it out, or name --format tegrastats"};
  if (options.out.empty() || !options.store_typed || (log && options.run)) return {};
  return Error{Code::invalid_argument, "--out and --store are two places for what is taken",
               "name one of them"};
}

Status import_log(const ImportOptions& options, const Context& context) {
  if (options.map_typed)
    return Error{Code::invalid_argument, "--map is for the columns of tables",
                 "leave it out: a log of tegrastats has none"};
  return import_tegrastats({.file = options.file,
                            .out = options.out,
                            .store = options.store,
                            .command = context.command,
                            .run = options.run,
                            .clock = options.clock,
                            .json = options.json});
}

Result<TablesTaken> into_file(const ImportOptions& options, const Imported& imported) {
  TablesTaken taken;
  for (const WorkloadTable& table : imported.table.workloads) {
    taken.rows += table.size();
    taken.titles.push_back(table.title());
  }
  FLYBALL_CHECK(write_file(options.out, format_table(imported.table.workloads)));
  return taken;
}

// Runs of an experiment, as `flyball export --run` writes them.
Result<TablesTaken> runs_into_store(const ImportOptions& options, const std::string& command) {
  if (!options.out.empty() || options.map_typed)
    return Error{Code::invalid_argument, "--out and --map are for tables",
                 "leave them out: runs of an experiment are taken as they are"};
  FLYBALL_ASSIGN(Store store, open_store(options.store));
  FLYBALL_ASSIGN(const TakenIn in, take_in_lines(store, options.file, command));
  TablesTaken taken;
  if (in.there) {
    taken.there.push_back({"runs of an experiment", in.run});
  } else {
    taken.rows = in.run.experiment_runs;
    taken.titles = {"runs of an experiment"};
  }
  return taken;
}

void print_import_json(const Imported& imported, const TablesTaken& taken) {
  Json workloads = Json::array(), there = Json::array();
  for (const WorkloadTable& table : imported.table.workloads) workloads.push_back(table.title());
  for (const TablesTaken::There& one : taken.there)
    there.push_back({{"workload", one.title}, {"rows", one.run.rows()}, {"run", one.run.id}});
  print_json({{"rows", taken.rows},
              {"workloads", workloads},
              {"already_there", there},
              {"ignored", imported.ignored_columns},
              {"notes", imported.notes}});
}

Status run_import(const ImportOptions& options, const Context& context) {
  FLYBALL_CHECK(check_import(options));
  if (options.format == "tegrastats") return import_log(options, context);
  if (options.run)
    return Error{Code::invalid_argument, "--run is for logs: a table is a run of its own",
                 "leave it out, or name --format tegrastats"};
  Imported imported;
  TablesTaken taken;
  if (options.format == "experiment") {
    FLYBALL_ASSIGN(taken, runs_into_store(options, context.command));
  } else {
    FLYBALL_ASSIGN(const ImportMap map, parse_import_map(options.map));
    FLYBALL_ASSIGN(imported, options.format == "tidy"
                                 ? import_table(options.file, map)
                                 : import_public(options.format, options.file, map));
    if (options.out.empty()) {
      FLYBALL_ASSIGN(Store store, open_store(options.store));
      FLYBALL_ASSIGN(taken, take_in(store, imported, context.command));
    } else {
      FLYBALL_ASSIGN(taken, into_file(options, imported));
    }
  }
  if (options.json) {
    print_import_json(imported, taken);
    return {};
  }
  if (!taken.titles.empty())
    fmt::print("{} ({}) {} in {}\n", counted_rows(taken.rows), join(taken.titles, ", "),
               taken.rows == 1 ? "is" : "are", options.out.empty() ? "the store" : options.out);
  for (const TablesTaken::There& one : taken.there)
    fmt::print("{}: already there, {} of import {}\n", one.title, counted_rows(one.run.rows()),
               one.run.id);
  if (!imported.ignored_columns.empty())
    fmt::print("columns ignored: {}\n", join(imported.ignored_columns, ", "));
  for (const std::string& note : imported.notes) fmt::print("note: {}\n", note);
  return {};
}

struct ExportOptions {
  RecordStretch stretch;
  std::string out, store, board, workload;
  std::optional<int64_t> run;
};

std::string board_names(const std::vector<std::string>& boards) {
  constexpr size_t most = 4;
  std::vector<std::string> named;
  for (const std::string& board : std::span(boards).first(std::min(most, boards.size())))
    named.push_back(board.empty() ? "this store" : board);
  if (boards.size() > most) named.push_back(fmt::format("{} others", boards.size() - most));
  return join(named, ", ");
}

// None has a column in a tidy table.
void tell_what_no_column_has(const std::vector<StoredMeasurement>& measurements, bool one_run) {
  if (const std::vector<std::string> boards = boards_of(measurements); boards.size() > 1)
    fmt::print(stderr,
               "note: these were measured on {} boards ({}), and a table has no column for it; "
               "--board takes those of one\n",
               boards.size(), board_names(boards));
  if (const size_t conditions = count_conditions(measurements); conditions > 1)
    fmt::print(stderr,
               "note: these were measured under {} different conditions (`flyball runs show` lists "
               "them){}\n",
               conditions, one_run ? "" : "; --run takes those of one run");
  if (const size_t doubtful = count_doubtful(measurements); doubtful > 0)
    fmt::print(
        stderr,
        "note: {} of these rows were measured on a busy machine, and a table has no column for "
        "it; `flyball runs show` says which\n",
        doubtful);
}

// No workload is called like that.
bool names_record(const std::string& text) {
  if (text.ends_with(".flyrec")) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(text, ignored)) return false;
  const auto record = begins_as_record(text);
  return record && *record;
}

// A few minutes at a time: a day of samples is larger than memory may be.
Status export_record(const ExportOptions& options) {
  if (options.run || !options.board.empty())
    return Error{Code::invalid_argument, "a record has no runs and boards to choose from",
                 "leave out --run and --board"};
  FLYBALL_ASSIGN(RecordReader reader, RecordReader::open(options.workload));
  FLYBALL_ASSIGN(const RecordView view, options.stretch.in(reader));
  std::ofstream file;
  if (!options.out.empty()) {
    FLYBALL_CHECK(check_other_file(options.out, options.workload));
    FLYBALL_CHECK(check_writable(options.out));
    file.open(options.out, std::ios::binary | std::ios::trunc);
  }
  const auto write = [&](const std::string& text) -> Status {
    if (options.out.empty()) return write_output(text);
    if (file.write(text.data(), static_cast<std::streamsize>(text.size()))) return {};
    return file_error("write", options.out, errno);
  };
  FLYBALL_ASSIGN(const size_t rows, record_csv(reader, view.begin, view.end, write));
  for (const std::string& damaged : reader.damaged())
    fmt::print(stderr, "note: left out: {}\n", damaged);
  if (options.out.empty()) return {};
  file.close();
  if (!file) return file_error("write", options.out, errno);
  fmt::print(stderr, "{}: {}\n", options.out, counted_rows(rows));
  return {};
}

Status run_export(const ExportOptions& options) {
  if (names_record(options.workload)) return export_record(options);
  if (options.stretch.given())
    return Error{Code::invalid_argument, "--from and --to are for records",
                 "name the file of one, or leave them out"};
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  if (options.run) {
    FLYBALL_ASSIGN(const auto of_experiment, stored_figures(store, {.run = options.run}));
    std::string lines;
    for (const StoredFigures& one : of_experiment) lines += run_line(one.figures);
    if (!lines.empty() && !(options.board.empty() && options.workload.empty()))
      return Error{Code::invalid_argument,
                   fmt::format("run {} is an experiment: its runs are written as they are, all of "
                               "them",
                               *options.run),
                   "leave out --board and the workload"};
    if (!lines.empty()) return write_or_print(options.out, lines, of_experiment.size());
  }
  MeasurementFilter filter;
  filter.run = options.run;
  if (!options.board.empty()) filter.board = options.board;
  if (!options.workload.empty()) filter.workload = options.workload;
  // A tidy table says how a row is known, but not that a figure is none of the board alone.
  const Accepted accepted{.simulated = true, .predicted = true};
  FLYBALL_ASSIGN(StoredTrials all, stored_trials(store, filter, accepted));
  const StoredTrials stored = of_minibatches(std::move(all));
  const std::vector<StoredMeasurement>& measurements = stored.trials;
  tell_what_no_column_has(measurements, options.run.has_value());
  const std::vector<WorkloadTable> tables = tables_of(measurements);
  if (tables.empty() && stored.left_out.whole_runs > 0) return no_minibatches(stored.left_out);
  if (tables.empty() && stored.left_out.all() > 0)
    return Error{
        Code::not_found,
        fmt::format("of these measurements {} are all that there are", stored.left_out.words()),
        "measure again while nothing else runs and the board is cool"};
  if (tables.empty())
    return Error{Code::not_found, "the store holds no such measurements",
                 "`flyball runs list` shows what there is"};
  tell_left_out(stored.left_out);
  FLYBALL_CHECK(check_one_file(tables));
  return write_or_print(options.out, tables);
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("import", "Take a measured table, or a log, into the store");
  auto options = std::make_shared<ImportOptions>();
  command->add_option("file", options->file, "A CSV file, a log, or a folder of logs")->required();
  std::string formats = "Format: tidy (or foreign, with --map)";
  for (const PublicFormat& format : public_formats())
    formats += fmt::format("; {}: {}", format.name, format.summary);
  formats += "; experiment: runs of an experiment, as export --run writes them";
  formats += "; tegrastats: a log of a Jetson, as traces";
  command->add_option("--format", options->format, formats)->capture_default_str();
  note_given(command->add_option("--map", options->map,
                                 "Foreign columns and units: TARGET=COLUMN[:UNIT] or "
                                 "TARGET==VALUE"),
             options->map_typed);
  writes(command->add_option(
      "--out", options->out,
      "Write the tidy table (of a log: the traces, as CSV or .json) here instead"));
  add_store_option(*command, options->store);
  note_given(command->get_option("--store"), options->store_typed);
  command->add_option("--run", options->run, "Run that a log is joined to, by time");
  options->clock_options = options->clock.add_plug_clock(*command);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball import log.csv --map cpu_mhz=cpu_khz:kHz power_w=total_mw:mW "
      "device==orin_agx workload==resnet18 phase==train\n"
      "  flyball import --format powertrain resnet_train_data_final.csv --out resnet18.csv\n"
      "  flyball import --format powertrain-logs Orin-nano2/runs/ResNet --out nano.csv\n"
      "  flyball import --format tegrastats tegrastats.log --run 3");
  set_action(*command, context, [options, &context] { return run_import(*options, context); });
}

void add_export(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "export",
      "Write measurements of the store as a tidy table, the runs of an experiment, or a record");
  auto options = std::make_shared<ExportOptions>();
  writes(command->add_option("--out", options->out, "Write here instead of on stdout"));
  command->add_option("--run", options->run,
                      "Only those of this run; of an experiment as lines of JSON");
  command
      ->add_option("--board", options->board,
                   "Only of boards of this kind, such as orin_agx, or of the collected board of "
                   "this name (fleet show)")
      ->option_text("NAME");
  command->add_option(
      "workload,--workload", options->workload,
      "Only those of this workload; or a file of `flyball record`, sample by sample");
  options->stretch.add_options(*command);
  add_store_option(*command, options->store);
  command->footer(
      "Examples:\n  flyball export lenet5 --out lenet5.csv\n"
      "  flyball export day.flyrec --from 10:00 --to 10:05 --out part.csv");
  set_action(*command, context, [options] { return run_export(*options); });
}

}  // namespace flyball::cli
