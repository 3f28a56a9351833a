#include "cli/commands/import_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/file_version.h"
#include "base/text.h"
#include "cli/board.h"
#include "cli/output.h"
#include "cli/stored.h"
#include "telemetry/sampling/trace_export.h"
#include "tune/logged_power.h"

namespace flyball::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Equal logs are taken once.
std::string fingerprint_of(const std::string& text) {
  return fmt::format("tegrastats log of {} bytes, content {:016x}", text.size(),
                     content_hash(text));
}

Json figures_json(const Trace& trace) {
  double low = trace.samples.front().value, high = low, sum = 0;
  for (const Sample& sample : trace.samples) {
    low = std::min(low, sample.value);
    high = std::max(high, sample.value);
    sum += sample.value;
  }
  return {{"name", trace.info.name},
          {"unit", trace.info.unit},
          {"total", trace.info.total.empty() ? Json() : Json(trace.info.total)},
          {"samples", trace.samples.size()},
          {"mean", sum / static_cast<double>(trace.samples.size())},
          {"min", low},
          {"max", high}};
}

Json log_json(const TegrastatsLog& log) {
  Json traces = Json::array(), refused = Json::array();
  for (const Trace& trace : log.traces) traces.push_back(figures_json(trace));
  for (const Error& error : log.refused) refused.push_back(to_json(error));
  return {{"format", "tegrastats"},           {"lines", log.lines},
          {"skipped", log.skipped},           {"refused", refused},
          {"unknown", log.unknown},           {"timed", log.timed},
          {"module_rails", log.module_rails}, {"traces", traces}};
}

/// The samples, too: what the store keeps. Times in s since 1970, or since the first line.
Json stored_json(const TegrastatsLog& log, Json document) {
  const double offset_s = log.timed ? static_cast<double>(wall_minus_monotonic_ns()) * 1e-9 : 0;
  for (size_t i = 0; i < log.traces.size(); ++i) {
    Json times = Json::array(), values = Json::array();
    for (const Sample& sample : without_repeats(log.traces[i].samples)) {
      times.push_back(std::round((static_cast<double>(sample.time_ns) * 1e-9 + offset_s) * 1e3) /
                      1e3);
      values.push_back(sample.value);
    }
    document["traces"][i]["times_s"] = std::move(times);
    document["traces"][i]["values"] = std::move(values);
  }
  return document;
}

Result<Json> joined_json(Store& store, int64_t number, const Trace& power) {
  FLYBALL_ASSIGN(const StoredRun run, store.run(number));
  FLYBALL_ASSIGN(const auto trials, store.run_measurements(number));
  FLYBALL_ASSIGN(const auto logged, logged_trials(run, trials, power));
  Json list = Json::array();
  for (const LoggedTrial& one : logged) {
    const Measurement& m = one.trial->measurement;
    Json config = Json::object();
    for (const auto& [name, value] : all_settings(m.trial)) config[name] = value;
    list.push_back({{"id", one.trial->id},
                    {"config", config},
                    {"power_w", one.window ? Json(one.window->mean_w) : Json()},
                    {"energy_j", one.window ? Json(one.window->energy_j) : Json()},
                    {"covered_s", one.window ? Json(one.window->covered_s) : Json(0)},
                    {"stored_power_w", or_null(m.power_w())}});
  }
  return Json{{"run", number}, {"trials", list}};
}

Status write_traces(const std::string& out, const TegrastatsLog& log) {
  int64_t first = log.traces.front().samples.front().time_ns;
  for (const Trace& trace : log.traces) first = std::min(first, trace.samples.front().time_ns);
  return write_file(out, out.ends_with(".json") ? chrome_trace(log.traces, {}, first)
                                                : traces_csv(log.traces, first));
}

// The run that holds this log already, read in the same way, else a new one.
Result<Json> keep(Store& store, const ImportTraces& options, const TegrastatsOptions& clock,
                  const std::string& fingerprint, const Json& document, bool& there) {
  const Json asked = {{"import", "tegrastats log"},
                      {"run", or_null(options.run)},
                      {"utc_offset_s", clock.utc_offset_s},
                      {"clock_ahead_s", clock.clock_ahead_s},
                      {"begin_unix_s", or_null(clock.begin_unix_s)},
                      {"interval_s", clock.interval_s}};
  const RunRequest request{options.command, asked.dump(), "unknown", fingerprint, 0};
  FLYBALL_ASSIGN(const auto runs, store.runs());
  for (const StoredRun& run : runs)
    if (run.request.fingerprint == fingerprint && run.request.request == request.request) {
      there = true;
      return Json(run.id);
    }
  FLYBALL_ASSIGN(const int64_t run, store.add_run(request, {}, document.dump()));
  return Json(run);
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
    FLYBALL_ASSIGN(document["joined"], joined_json(*store, *options.run, power));
  }
  bool there = false;
  document["import"] = nullptr;
  document["already_there"] = false;
  if (!options.out.empty()) {
    FLYBALL_CHECK(write_traces(options.out, log));
  } else {
    if (!store) {
      FLYBALL_ASSIGN(store, open_store(options.store));
    }
    FLYBALL_ASSIGN(document["import"], keep(*store, options, clock, fingerprint_of(text),
                                            stored_json(log, document), there));
    document["already_there"] = there;
  }
  if (options.json)
    print_json(document);
  else
    print_text(options, document);
  return {};
}

}  // namespace flyball::cli
