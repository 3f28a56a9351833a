#include "cli/commands/import_traces.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/board.h"
#include "cli/output.h"
#include "cli/stored.h"
#include "telemetry/sampling/trace_export.h"
#include "tune/imported_log.h"

namespace flyball::cli {
namespace {

Status write_traces(const std::string& out, const TegrastatsLog& log) {
  int64_t first = log.traces.front().samples.front().time_ns;
  for (const Trace& trace : log.traces) first = std::min(first, trace.samples.front().time_ns);
  return write_file(out, out.ends_with(".json") ? chrome_trace(log.traces, {}, first)
                                                : traces_csv(log.traces, first));
}

void print_text(const ImportTraces& options, const Json& document) {
  fmt::print("{} line{} of {}{}\n", document["lines"].get<size_t>(),
             document["lines"] == 1 ? "" : "s", options.file,
             options.out.empty() ? fmt::format(" are in the store{} as run {}",
                                               document["already_there"] == true ? " already," : "",
                                               document["import"].get<int64_t>())
                                 : " are in " + options.out);
  TextTable table({"trace", "unit", "samples", "mean", "min", "max", "total"});
  for (const Json& trace : document["traces"])
    table.add({trace["name"], trace["unit"], fmt::format("{}", trace["samples"].get<size_t>()),
               number(trace["mean"]), number(trace["min"]), number(trace["max"]),
               trace["total"].is_null() ? "" : trace["total"].get<std::string>()});
  fmt::print("{}", table.str());
  if (const size_t skipped = document["skipped"]; skipped > 0) {
    fmt::print("{} line{} skipped", skipped, skipped == 1 ? " was" : "s were");
    for (const Json& refused : document["refused"])
      fmt::print("\n  {}", refused["message"].get<std::string>());
    fmt::print("{}\n", skipped > document["refused"].size() ? "\n  …" : "");
  }
  if (!document["unknown"].empty())
    fmt::print("fields left out: {}\n",
               join(document["unknown"].get<std::vector<std::string>>(), ", "));
  if (document["timed"] == false)
    fmt::print(
        "its lines name no times, which count from the first one; --plug-begin says when it "
        "began\n");
  if (document["joined"].is_null()) return;
  fmt::print("\nrun {}:\n", document["joined"]["run"].get<int64_t>());
  TextTable trials({"trial", "configuration", "W by the log", "J", "covered s", "W in the store"});
  const auto cell = [](const Json& value) { return value.is_null() ? "-" : number(value); };
  for (const Json& trial : document["joined"]["trials"])
    trials.add({fmt::format("{}", trial["id"].get<int64_t>()),
                describe(trial["config"].get<Settings>()), cell(trial["power_w"]),
                cell(trial["energy_j"]), cell(trial["covered_s"]), cell(trial["stored_power_w"])});
  fmt::print("{}", trials.str());
}

}  // namespace

Status import_tegrastats(const ImportTraces& options) {
  FLYBALL_ASSIGN(const TegrastatsOptions clock, options.clock.tegrastats_options());
  FLYBALL_ASSIGN(const std::string text, read_file(options.file));
  FLYBALL_ASSIGN(const TegrastatsLog log, parse_tegrastats(text, options.file, clock));
  Json document = log_json(log);
  document["joined"] = nullptr;
  std::optional<Store> store;
  if (options.run) {
    FLYBALL_ASSIGN(const Trace power, tegrastats_power(log, options.file));
    FLYBALL_ASSIGN(store, open_stored(options.store));
    FLYBALL_ASSIGN(document["joined"], joined_log_json(*store, *options.run, power));
  }
  document["import"] = nullptr;
  document["already_there"] = false;
  if (!options.out.empty()) {
    FLYBALL_CHECK(write_traces(options.out, log));
  } else {
    if (!store) {
      FLYBALL_ASSIGN(store, open_store(options.store));
    }
    FLYBALL_ASSIGN(const KeptLog kept,
                   keep_log(*store, {options.command, options.run, clock}, text, log, document));
    document["import"] = kept.run;
    document["already_there"] = kept.there;
  }
  if (options.json)
    print_json(document);
  else
    print_text(options, document);
  return {};
}

}  // namespace flyball::cli
