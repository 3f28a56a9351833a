// `flyball import` and `flyball export`: measured tables into the store and out of it.
#include "store/exchange.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/stored.h"
#include "profile/trials/table_profiler.h"
#include "space/import_map.h"

namespace flyball::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ImportOptions {
  std::string file, out, store;
  std::vector<std::string> map;
  bool json = false;
};

Result<size_t> into_store(const ImportOptions& options, const Imported& imported,
                          const std::string& command) {
  FLYBALL_ASSIGN(Store store, open_store(options.store));
  size_t rows = 0;
  for (const WorkloadTable& table : imported.table.workloads) {
    const std::string fingerprint = make_table_profiler(table)->info().fingerprint;
    const auto measurements = measurements_of(table, fingerprint, wall_clock_utc());
    const RunRequest request{command, Json{{"import", table.title()}}.dump(), table.device,
                             fingerprint, 0};
    FLYBALL_ASSIGN([[maybe_unused]] const int64_t run, store.add_run(request, measurements, ""));
    rows += measurements.size();
  }
  return rows;
}

Status run_import(const ImportOptions& options, const Context& context) {
  FLYBALL_ASSIGN(const ImportMap map, parse_import_map(options.map));
  FLYBALL_ASSIGN(const Imported imported, import_table(options.file, map));
  size_t rows = 0;
  if (options.out.empty()) {
    FLYBALL_ASSIGN(rows, into_store(options, imported, context.command));
  } else {
    for (const WorkloadTable& table : imported.table.workloads) rows += table.size();
    FLYBALL_CHECK(write_file(options.out, format_table(imported.table.workloads)));
  }
  std::vector<std::string> titles;
  for (const WorkloadTable& table : imported.table.workloads) titles.push_back(table.title());
  if (options.json) {
    print_json({{"rows", rows}, {"workloads", titles}, {"ignored", imported.ignored_columns}});
    return {};
  }
  fmt::print("{} rows ({}) {}\n", rows, join(titles, ", "),
             options.out.empty() ? "are in the store" : "are in " + options.out);
  if (!imported.ignored_columns.empty())
    fmt::print("columns ignored: {}\n", join(imported.ignored_columns, ", "));
  return {};
}

struct ExportOptions {
  std::string out, store, device, workload;
  int64_t run = 0;
};

// A tidy table has no column for them.
void tell_mixed_conditions(const std::vector<StoredMeasurement>& measurements) {
  std::set<std::pair<std::string, std::optional<Conditions>>> distinct;
  for (const StoredMeasurement& stored : measurements) {
    const Measurement& m = stored.measurement;
    if (m.conditions != Conditions()) distinct.emplace(m.fingerprint, m.conditions);
  }
  if (distinct.size() > 1)
    fmt::print(stderr,
               "note: these were measured under {} different conditions (`flyball runs show` lists "
               "them); --run takes those of one run\n",
               distinct.size());
}

Status run_export(const ExportOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  MeasurementFilter filter;
  if (options.run > 0) filter.run = options.run;
  if (!options.device.empty()) filter.device = options.device;
  if (!options.workload.empty()) filter.workload = options.workload;
  FLYBALL_ASSIGN(const auto measurements, store.measurements(filter));
  tell_mixed_conditions(measurements);
  const std::vector<WorkloadTable> tables = tables_of(measurements);
  if (tables.empty())
    return Error{Code::not_found, "the store holds no such measurements",
                 "`flyball runs list` shows what there is"};
  // Tables of one file share its columns; what does not fit goes into a file of its own.
  for (const WorkloadTable& table : tables) {
    const auto names = [](const WorkloadTable& t) {
      std::vector<std::string> all;
      for (const Axis& axis : t.space.axes()) all.push_back(axis.name);
      return all;
    };
    if (names(table) != names(tables.front()))
      return Error{Code::invalid_argument, "these measurements have different axes",
                   "choose one workload or one run with --workload, --device or --run"};
  }
  const std::string text = format_table(tables);
  if (!options.out.empty()) return write_file(options.out, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace

void add_import(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("import", "take a measured table into the store");
  auto options = std::make_shared<ImportOptions>();
  command->add_option("file", options->file, "a CSV file")->required();
  command->add_option("--map", options->map,
                      "TARGET=COLUMN[:UNIT] or TARGET==VALUE, for foreign columns and units");
  command->add_option("--out", options->out, "write the tidy table here instead");
  command->add_option("--store", options->store, "the store")->check(not_empty());
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball import log.csv --map cpu_mhz=cpu_khz:kHz power_w=total_mw:mW "
      "device==orin_agx workload==resnet18 phase==train");
  set_action(*command, context, [options, &context] { return run_import(*options, context); });
}

void add_export(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("export", "measurements of the store as a tidy table");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("--out", options->out, "write here instead of on stdout");
  command->add_option("--run", options->run, "only those of this run");
  command->add_option("--device", options->device, "only those of this device");
  command->add_option("--workload", options->workload, "only those of this workload");
  command->add_option("--store", options->store, "the store")->check(not_empty());
  command->footer("Example:\n  flyball export --workload lenet5 --out lenet5.csv");
  set_action(*command, context, [options] { return run_export(*options); });
}

}  // namespace flyball::cli
