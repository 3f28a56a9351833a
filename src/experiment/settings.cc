// The settings of a run by their names.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/json.h"
#include "base/text.h"
#include "experiment/spec.h"

namespace flyball {
namespace {

struct Entry {
  const char* name;
  std::function<Status(RunSettings&, const SettingValue&)> set;
  std::function<Json(const RunSettings&)> get;
};

Error wrong(const char* name, const SettingValue& value, const std::string& hint) {
  return {Code::invalid_argument, fmt::format("{} cannot be {}", name, setting_text(value)), hint};
}

/// Of what takes numbers: one in quotes looks like one.
Error no_number(const char* name, const SettingValue& value, const std::string& hint) {
  const std::string* text = std::get_if<std::string>(&value);
  if (!text) return wrong(name, value, hint);
  return {Code::invalid_argument,
          fmt::format("{} cannot be \"{}\": it is text, since it stands in quotes", name, *text),
          hint + ", without quotes"};
}

template <class T>
Entry whole(const char* name, T RunSettings::*field, double low, double high) {
  const auto set = [=](RunSettings& settings, const SettingValue& value) -> Status {
    const double* number = std::get_if<double>(&value);
    if (!number || *number != std::floor(*number) || *number < low || *number > high)
      return no_number(name, value, fmt::format("a whole number from {:.0f} to {:.0f}", low, high));
    settings.*field = static_cast<T>(*number);
    return {};
  };
  return {name, set, [=](const RunSettings& settings) { return settings.*field; }};
}

Entry text(const char* name, std::string RunSettings::*field, std::vector<std::string> allowed) {
  const auto set = [=](RunSettings& settings, const SettingValue& value) -> Status {
    const std::string* word = std::get_if<std::string>(&value);
    if (!word) return wrong(name, value, "a text in quotes");
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), *word) == allowed.end())
      return wrong(name, value, "one of: " + join(allowed, ", "));
    settings.*field = *word;
    return {};
  };
  return {name, set, [=](const RunSettings& settings) { return settings.*field; }};
}

Status set_phase(RunSettings& settings, const SettingValue& value) {
  const std::string* word = std::get_if<std::string>(&value);
  if (!word || (*word != "train" && *word != "infer"))
    return wrong("phase", value, "one of: train, infer");
  settings.phase = *word == "train" ? Phase::train : Phase::infer;
  return {};
}

Status set_clear(RunSettings& settings, const SettingValue& value) {
  const std::string* word = std::get_if<std::string>(&value);
  for (const Clear clear : {Clear::never, Clear::start, Clear::epoch})
    if (word && *word == clear_name(clear)) {
      settings.clear = clear;
      return {};
    }
  return wrong("clear", value, "one of: never, start (of each run), epoch (each one)");
}

Status set_memory(RunSettings& settings, const SettingValue& value) {
  const double* number = std::get_if<double>(&value);
  if (!number || !(*number == 0 || (*number >= 16 && *number <= 1e9)))
    return no_number("memory_mb", value, "at least 16, or 0 for no limit");
  settings.memory_mb = *number;
  return {};
}

Entry percent(const char* name, double RunSettings::*field, double most) {
  const auto set = [=](RunSettings& settings, const SettingValue& value) -> Status {
    const double* number = std::get_if<double>(&value);
    if (!number || !(*number == 0 || (*number >= 1 && *number <= most)))
      return no_number(name, value,
                       fmt::format("a percentage from 1 to {:g}, or 0 for none", most));
    settings.*field = *number;
    return {};
  };
  return {name, set, [=](const RunSettings& settings) { return settings.*field; }};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      text("workload", &RunSettings::workload, {}),
      {"phase", set_phase, [](const RunSettings& s) { return phase_name(s.phase); }},
      whole("batch_size", &RunSettings::batch_size, 1, 65536),
      whole("workers", &RunSettings::workers, 0, 256),
      whole("prefetch", &RunSettings::prefetch, 1, 256),
      whole("threads", &RunSettings::threads, 0, 1024),
      whole("epochs", &RunSettings::epochs, 1, 10000),
      whole("steps", &RunSettings::steps, 0, 1e9),
      {"clear", set_clear, [](const RunSettings& s) { return clear_name(s.clear); }},
      text("medium", &RunSettings::medium, {}),
      {"memory_mb", set_memory, [](const RunSettings& s) { return s.memory_mb; }},
      percent("memory_pct", &RunSettings::memory_pct, 10000),
      percent("cache_pct", &RunSettings::cache_pct, 100),
      text("state", &RunSettings::state, {"idle", "sampling", "training", "suspended"}),
      whole("seconds", &RunSettings::seconds, 1, 1e5),
      text("power_mode", &RunSettings::power_mode, {}),
      text("runtime", &RunSettings::runtime,
           {"bare", "docker", "podman", "runc", "bwrap", "nspawn"}),
      text("dvfs", &RunSettings::dvfs, {"on", "off"}),
      whole("seed", &RunSettings::seed, 0, 1e15),
  };
  return all;
}

}  // namespace

const char* question_name(Question question) {
  switch (question) {
    case Question::workers:
      return "workers";
    case Question::cache:
      return "cache";
    case Question::pipelining_energy:
      return "pipelining_energy";
    case Question::storage:
      return "storage";
    case Question::batch_size:
      return "batch_size";
    case Question::variability:
      return "variability";
    case Question::base_load:
      return "base_load";
    case Question::dvfs:
      return "dvfs";
    case Question::power_modes:
      return "power_modes";
    case Question::containers:
      return "containers";
  }
  return "workers";
}

const char* clear_name(Clear clear) {
  return clear == Clear::never ? "never" : clear == Clear::start ? "start" : "epoch";
}

std::string setting_text(const SettingValue& value) {
  if (const double* number = std::get_if<double>(&value)) return format_number(*number);
  return std::get<std::string>(value);
}

const std::vector<std::string>& setting_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Entry& entry : entries()) list.emplace_back(entry.name);
    return list;
  }();
  return names;
}

Status set_setting(RunSettings& settings, const std::string& name, const SettingValue& value) {
  for (const Entry& entry : entries())
    if (entry.name == name) return entry.set(settings, value);
  return Error{Code::invalid_argument, fmt::format("there is no setting '{}'", name),
               name_hint(name, setting_names())};
}

std::string settings_label(const std::vector<std::string>& names, const RunSettings& settings) {
  const auto json = settings_json(settings);
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    const auto& value = json[name];
    parts.push_back(
        name + " " +
        (value.is_string() ? value.get<std::string>() : format_number(value.get<double>())));
  }
  return parts.empty() ? settings.workload : join(parts, ", ");
}

Json settings_json(const RunSettings& settings) {
  Json json;
  for (const Entry& entry : entries()) json[entry.name] = entry.get(settings);
  return json;
}

}  // namespace flyball
