#include "report/profile_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/text.h"
#include "report/sheet.h"
#include "report/stored_json.h"
#include "space/measurement.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_bars = 12;  // epochs; of more, the first one and the mean of the rest

double number_at(const Json& holder, const char* key) {
  const Json value = value_at(holder, key);
  return value.is_number() ? value.get<double>() : 0;
}

Json megabytes_at(const Json& holder, const char* key) {
  const Json value = value_at(holder, key);
  return value.is_number() ? Json(value.get<double>() * 1e-6) : Json(nullptr);
}

Json bar(const std::string& label, const std::string& which, const Json& part) {
  return {{"label", label},
          {"which", which},
          {"e2e_s", number_at(part, "e2e_s")},
          {"stall_s", number_at(part, "stall_s")},
          {"compute_s", number_at(part, "compute_s")},
          {"overhead_s", number_at(part, "overhead_s")}};
}

// "82 % compute, 12 % waiting for data, 6 % overhead".
std::string shares(const Json& part) {
  const double whole = number_at(part, "e2e_s");
  if (whole <= 0 || value_at(part, "compute_s").is_null()) return "";
  return fmt::format("{:.0f} % of it compute, {:.0f} % visible waiting for data, {:.0f} % overhead",
                     100 * number_at(part, "compute_s") / whole,
                     100 * number_at(part, "stall_s") / whole,
                     100 * number_at(part, "overhead_s") / whole);
}

Json energy_of(const Json& part, const char* key) {
  return value_at(value_at(part, "energy"), key);
}

bool tells_of_gpu(const Json& parts) {
  return std::ranges::any_of(parts,
                             [](const Json& part) { return value_at(part, "gpu").is_object(); });
}

void add_gpu_columns(std::vector<std::pair<std::string, std::string>>& columns) {
  columns.insert(columns.end(),
                 {{"GPU load", "%"}, {"GPU clock", "MHz"}, {"GPU memory in use", "MB"}});
}

void add_gpu_cells(Json& cells, const Json& part) {
  const Json gpu = value_at(part, "gpu");
  cells.push_back(value_at(gpu, "load_pct"));
  cells.push_back(value_at(gpu, "clock_mhz"));
  cells.push_back(megabytes_at(gpu, "memory_bytes"));
}

void add_gpu_figures(Json& sheet, const Json& part) {
  const Json gpu = value_at(part, "gpu");
  if (const Json load = value_at(gpu, "load_pct"); !load.is_null())
    sheet["figures"].push_back(sheet_figure("GPU load", load, "%", "measured"));
  if (const Json clock = value_at(gpu, "clock_mhz"); !clock.is_null())
    sheet["figures"].push_back(sheet_figure("GPU clock", clock, "MHz", "measured"));
}

void add_gap_and_end(Json& sheet, const Json& profile) {
  if (const std::string gap = text_of(profile, "power_gap"); !gap.empty()) {
    const std::string brief = brief_power_gap(gap);
    add_note(sheet, "gap", brief, brief == gap ? "" : gap);
  }
  if (const std::string by = text_of(profile, "disturbed"); !by.empty())
    add_note(sheet, "warning", "measured beside " + by + ": its times deserve doubt");
  if (const std::string stopped = text_of(profile, "stopped"); !stopped.empty())
    add_note(sheet, "warning", "ended early: " + stopped);
}

// What training showed beside its loss in any epoch: "perplexity".
std::vector<std::string> shown_names(const Json& epochs) {
  std::vector<std::string> names;
  for (const Json& e : epochs)
    if (const Json figures = value_at(e, "figures"); figures.is_object())
      for (const auto& [name, value] : figures.items())
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

void add_epochs(Json& sheet, const Json& epochs) {
  const std::vector<std::string> shown = shown_names(epochs);
  std::vector<std::pair<std::string, std::string>> columns = {{"epoch", ""},
                                                              {"minibatches", ""},
                                                              {"end to end", "s"},
                                                              {"stall", "s"},
                                                              {"compute", "s"},
                                                              {"overhead", "s"},
                                                              {"fetching", "s"},
                                                              {"pre-processing", "s"},
                                                              {"minibatch", "ms"},
                                                              {"CPU", "%"},
                                                              {"in page cache", "%"},
                                                              {"from files", "MB"},
                                                              {"from own cache", "MB"},
                                                              {"energy", "J"},
                                                              {"power", "W"},
                                                              {"loss", ""}};
  for (const std::string& name : shown) columns.emplace_back(name, "");
  const bool gpu = tells_of_gpu(epochs);
  if (gpu) add_gpu_columns(columns);
  Json table =
      sheet_table("Epoch by epoch",
                  "Fetching and pre-processing are the loader's work, hidden or not.", columns);
  for (const Json& e : epochs) {
    Json cells = {value_at(e, "epoch"),
                  value_at(e, "minibatches"),
                  value_at(e, "e2e_s"),
                  value_at(e, "stall_s"),
                  value_at(e, "compute_s"),
                  value_at(e, "overhead_s"),
                  value_at(e, "fetch_s"),
                  value_at(e, "preprocess_s"),
                  value_at(e, "minibatch_ms"),
                  value_at(e, "cpu_pct"),
                  value_at(e, "cached_before_pct"),
                  megabytes_at(e, "file_bytes"),
                  megabytes_at(e, "cache_bytes"),
                  energy_of(e, "energy_j"),
                  energy_of(e, "mean_w"),
                  value_at(e, "loss")};
    for (const std::string& name : shown)
      cells.push_back(value_at(value_at(e, "figures"), name.c_str()));
    if (gpu) add_gpu_cells(cells, e);
    table["rows"].push_back(sheet_row(std::move(cells)));
  }
  sheet["tables"].push_back(std::move(table));
}

void add_request(Json& sheet, const Json& profile) {
  const Json request = value_at(profile, "request"), data = value_at(profile, "dataset");
  std::vector<std::pair<std::string, std::string>> settings, machine;
  for (const auto& [name, value] : request.items())
    if (!value.is_null())
      settings.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  sheet["facts"].push_back(fact_list("Settings", settings));
  machine = {{"fingerprint", text_of(profile, "fingerprint")},
             {"power total", text_of(profile, "power_total")},
             {"started", text_of(profile, "started_utc")}};
  for (const auto& [name, value] : data.items())
    machine.emplace_back("dataset " + name, name == "bytes"     ? format_bytes(value.get<double>())
                                            : value.is_string() ? value.get<std::string>()
                                                                : value.dump());
  sheet["facts"].push_back(fact_list("Machine and data", machine));
  std::vector<std::pair<std::string, std::string>> cache;
  if (const Json found = value_at(profile, "cache"); found.is_object())
    for (const auto& [name, value] : found.items())
      cache.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  if (!cache.empty()) sheet["facts"].push_back(fact_list("Sample cache", cache));
}

// Every mark is shown, a window below all marked minibatches.
void add_parts(Json& sheet, const Json& profile) {
  std::vector<std::pair<std::string, std::string>> columns = {
      {"stretch", ""},   {"minibatches", ""}, {"end to end", "s"}, {"stall", "s"}, {"compute", "s"},
      {"overhead", "s"}, {"minibatch", "ms"}, {"energy", "J"},     {"power", "W"}};
  const bool gpu = value_at(profile, "gpu").is_object();
  if (gpu) add_gpu_columns(columns);
  Json table =
      sheet_table("What it marked", "A window is a stretch that the program named.", columns);
  const auto add = [&](const std::string& name, const Json& part) {
    Json cells = {name,
                  value_at(part, "minibatches"),
                  value_at(part, "e2e_s"),
                  value_at(part, "stall_s"),
                  value_at(part, "compute_s"),
                  value_at(part, "overhead_s"),
                  value_at(part, "minibatch_ms"),
                  energy_of(part, "energy_j"),
                  energy_of(part, "mean_w")};
    if (gpu) add_gpu_cells(cells, part);
    table["rows"].push_back(sheet_row(std::move(cells)));
    if (value_at(part, "compute_s").is_number() && sheet["bars"].size() < most_bars)
      sheet["bars"].push_back(bar(name, "", part));
  };
  if (const Json marked = value_at(profile, "marked"); marked.is_object())
    add("all marked minibatches", marked);
  for (const Json& window : list_of(profile, "windows")) add(text_of(window, "name"), window);
  if (!table["rows"].empty()) sheet["tables"].push_back(std::move(table));
}

}  // namespace

Json epochs_report(const Json& profile, const std::string& command) {
  const Json request = value_at(profile, "request"), epochs = list_of(profile, "epochs");
  const Json later = value_at(profile, "later");
  const Json usual = later.is_object() ? later : epochs.empty() ? Json::object() : epochs[0];
  const std::string workload = text_of(request, "workload");
  const std::string doing = text_of(request, "phase") == "infer" ? "inference" : "training";
  const bool simulated = text_of(profile, "provenance") == provenance_name(Provenance::simulated);
  const std::string title =
      fmt::format("{} {}{}", workload, doing, simulated ? " (simulated)" : "");
  Json sheet =
      new_sheet({"profile", "profile of " + title,
                 fmt::format("Profile · {} · {}", title, text_of(request, "device")),
                 fmt::format("An epoch of {} takes {:.4g} s.", title, number_at(usual, "e2e_s")),
                 command, text_of(profile, "started_utc")});
  if (const std::string words = shares(usual); !words.empty())
    sheet["lines"].push_back(words + ".");
  const std::string known = text_of(profile, "provenance");
  const char* which = later.is_object() ? "mean of the epochs after the first" : "first epoch";
  sheet["figures"].push_back(sheet_figure("epoch", value_at(usual, "e2e_s"), "s", known, which));
  sheet["figures"].push_back(
      sheet_figure("minibatch", value_at(usual, "minibatch_ms"), "ms", known));
  sheet["figures"].push_back(sheet_figure("CPU", value_at(usual, "cpu_pct"), "% of one core"));
  const bool means = later.is_object();
  const Json energy = means ? value_at(later, "energy_j") : energy_of(usual, "energy_j");
  const Json power = means ? value_at(later, "mean_w") : energy_of(usual, "mean_w");
  if (!energy.is_null()) {
    sheet["figures"].push_back(sheet_figure("energy of an epoch", energy, "J", known));
    sheet["figures"].push_back(sheet_figure("power", power, "W", known));
  }
  if (const Json idle = value_at(profile, "idle"); idle.is_object())
    sheet["figures"].push_back(
        sheet_figure("of it idle power", idle["power_w"], "W", "measured",
                     fmt::format("{:.0f} %, measured {} (run {})", 100 * number_at(idle, "share"),
                                 text_of(idle, "measured_utc"), value_at(idle, "run").dump())));
  for (const Json& e : epochs)
    if (epochs.size() <= most_bars || sheet["bars"].empty())
      sheet["bars"].push_back(bar(workload, fmt::format("epoch {}", e["epoch"].get<int>()), e));
  if (epochs.size() > most_bars && means)
    sheet["bars"].push_back(bar(workload, "mean of the others", later));
  if (!epochs.empty()) add_epochs(sheet, epochs);
  add_gap_and_end(sheet, profile);
  if (const double skipped = number_at(profile, "skipped"); skipped > 0)
    add_note(sheet, "warning", fmt::format("{:.0f} bad samples were left out", skipped));
  add_request(sheet, profile);
  return sheet;
}

Json program_report(const Json& profile, const std::string& command) {
  std::vector<std::string> words;
  for (const Json& word : list_of(profile, "command")) words.push_back(word);
  const std::string program = join(words, " ");
  const Json marked = value_at(profile, "marked");
  const std::string headline =
      marked.is_object()
          ? fmt::format("{} took {:.4g} s: {} marked minibatches of {:.4g} ms.", program,
                        number_at(profile, "wall_s"), value_at(marked, "minibatches").dump(),
                        number_at(marked, "minibatch_ms"))
          : fmt::format("{} took {:.4g} s.", program, number_at(profile, "wall_s"));
  Json sheet = new_sheet({"profile", "profile of " + program, "Profile · a program on this machine",
                          headline, command, text_of(profile, "started_utc")});
  if (const std::string parts = shares(marked); !parts.empty())
    sheet["lines"].push_back("Of the marked minibatches: " + parts + ".");
  if (!marked.is_object())
    sheet["lines"].push_back("It marked no minibatches, so only the whole of it is known.");
  sheet["figures"].push_back(
      sheet_figure("whole run", value_at(profile, "wall_s"), "s", "measured"));
  sheet["figures"].push_back(
      sheet_figure("to the first minibatch", value_at(profile, "start_up_s"), "s", "measured"));
  sheet["figures"].push_back(sheet_figure("CPU", value_at(profile, "cpu_pct"), "% of one core"));
  if (const Json energy = energy_of(profile, "energy_j"); !energy.is_null()) {
    sheet["figures"].push_back(sheet_figure("energy", energy, "J", "measured"));
    sheet["figures"].push_back(
        sheet_figure("power", energy_of(profile, "mean_w"), "W", "measured"));
  }
  add_gpu_figures(sheet, profile);
  add_parts(sheet, profile);
  add_gap_and_end(sheet, profile);
  if (const double lost = number_at(profile, "lost_marks"); lost > 0)
    add_note(sheet, "warning", fmt::format("{:.0f} marks were lost", lost));
  sheet["facts"].push_back(
      fact_list("Run", {{"started", text_of(profile, "started_utc")},
                        {"exit code", value_at(profile, "exit_code").dump()},
                        {"power total", text_of(profile, "power_total")},
                        {"processes at most", value_at(profile, "peak_processes").dump()}}));
  return sheet;
}

}  // namespace flyball
