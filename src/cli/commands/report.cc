// flyball report: a stored run, or a record, as a page.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/recording/record_options.h"
#include "cli/report_file.h"
#include "cli/stored.h"
#include "recording/record_json.h"
#include "report/page.h"
#include "report/run_report.h"

namespace flyball::cli {
namespace {

struct ReportOptions {
  std::string what;
  RecordStretch stretch;
  std::string out, store;
};

// A whole number is that of a run, all else the name of a file.
std::optional<int64_t> run_number(const std::string& text) {
  int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number < 0) return {};
  return number;
}

// The page of a record as a file.
Status write_record(RecordReader& reader, const RecordStretch& stretch, const std::string& file) {
  FLYBALL_ASSIGN(const RecordView view, stretch.in(reader));
  FLYBALL_ASSIGN(Json shown, record_page_json(reader, view));
  Json page = page_document("record", reader.info().command, shown["answer"]);
  for (const char* key : {"width_s", "begin_s", "curves"}) page[key] = std::move(shown[key]);
  for (const std::string& damaged : reader.damaged())
    fmt::print(stderr, "note: left out: {}\n", damaged);
  return write_report(file, page, false);
}

// The record in which the run is, as both say.
Result<RecordReader> record_of(Store& store, const StoredRun& run) {
  FLYBALL_ASSIGN(const std::string identity, store.identity());
  FLYBALL_ASSIGN(RecordReader reader, RecordReader::open(run.request.record));
  const bool holds_it = std::ranges::any_of(reader.info().runs, [&](const RecordedRun& one) {
    return one.store == identity && one.number == run.id;
  });
  if (holds_it) return reader;
  return Error{Code::not_found, fmt::format("{} is of another run", run.request.record),
               "it was written anew, or the run was not over when the record ended"};
}

Status report_run(const ReportOptions& options, int64_t number) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_ASSIGN(const ShownRun shown, run_or_fact(store, number));
  const std::string file =
      options.out.empty() ? fmt::format("flyball-run-{}.html", number) : options.out;
  std::optional<RecordReader> record;
  if (!shown.run.request.record.empty() && !shown.run.origin) {
    auto opened = record_of(store, shown.run);
    if (!opened) fmt::print(stderr, "note: without its record: {}\n", opened.error().message);
    if (opened) record.emplace(*std::move(opened));
  }
  const std::string kind = recorded_kind(shown.run);
  if (record && (kind == "record" || kind == "measure"))  // that is all there is of it
    return write_record(*record, options.stretch, file);
  if (options.stretch.given())
    return Error{Code::invalid_argument, "--from and --to are for records",
                 "leave them out: a run is shown whole"};
  // Facts that cannot be read take nothing but their own figures from the page.
  const auto costs = board_costs(store);
  if (!costs) fmt::print(stderr, "note: without idle power: {}\n", costs.error().message);
  Json page =
      run_report(shown.run, shown.trials, costs ? *costs : BoardCosts(), shown.experiment_runs);
  if (!record) return write_report(file, page, false);
  const std::filesystem::path beside = std::filesystem::path(file).replace_extension("record.html");
  page["record"] = {{"file", record->path().string()}, {"page", beside.filename().string()}};
  FLYBALL_CHECK(write_report(file, page, false));
  return write_record(*record, {}, beside.string());
}

Status report_record(const ReportOptions& options) {
  const std::filesystem::path record = options.what;
  const std::string file = options.out.empty() ? record.stem().string() + ".html" : options.out;
  FLYBALL_CHECK(check_other_file(file, record));
  FLYBALL_ASSIGN(RecordReader reader, RecordReader::open(record));
  return write_record(reader, options.stretch, file);
}

Status run(const ReportOptions& options) {
  if (const auto number = run_number(options.what)) return report_run(options, *number);
  return report_record(options);
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("report", "Write the HTML report of a stored run, or of a record");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("run", options->what,
                   "Number of the run, as `flyball runs list` shows it, or a file of `flyball "
                   "record`")
      ->required();
  options->stretch.add_options(*command);
  writes(command->add_option("--out,-o", options->out,
                             "File to write; default: flyball-run-RUN.html, or the record's name"));
  add_store_option(*command, options->store);
  command->footer(
      "Examples:\n  flyball report 3 --out run3.html\n"
      "  flyball report day.flyrec --from 10:00 --to 10:05");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
