#include "tune/study_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/distinct.h"
#include "base/text.h"
#include "base/units.h"

namespace flyball {
namespace {

Error bad(const std::string& complaint, const std::string& hint) {
  return {Code::invalid_argument, complaint, hint};
}

Error bad_value(const std::string& key, const std::string& wanted) {
  return bad(fmt::format("'{}' is not {}", key, wanted), "docs/json.md, flyball study");
}

// Reads the value of a key into a message; empty keys are null or left out.
template <class Message>
using Readers = std::map<std::string, std::function<Status(const Json&, Message&)>>;

template <class Message>
Status read_keys(const Json& object, const Readers<Message>& readers, Message& message) {
  for (const auto& [key, value] : object.items()) {
    if (key == "do" || value.is_null()) continue;
    const auto reader = readers.find(key);
    if (reader != readers.end()) {
      FLYBALL_CHECK(reader->second(value, message));
      continue;
    }
    std::vector<std::string> names;
    for (const auto& [name, read] : readers) names.push_back(name);
    return bad(
        fmt::format("there is no key '{}' in this message", text_fault(key).empty() ? key : "?"),
        "it has: " + join(names, ", "));
  }
  return {};
}

Result<double> number(const std::string& key, const Json& value) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return bad_value(key, "a number");
  return value.get<double>();
}

Result<double> above_zero(const std::string& key, const Json& value) {
  FLYBALL_ASSIGN(const double read, number(key, value));
  if (read <= 0) return bad_value(key, "a number above zero");
  return read;
}

Result<size_t> count(const std::string& key, const Json& value, size_t most) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
    return bad_value(key, fmt::format("a whole number from 0 to {}", most));
  return value.get<size_t>();
}

Result<std::string> text(const std::string& key, const Json& value) {
  if (!value.is_string() || !text_fault(value.get<std::string>()).empty() ||
      value.get<std::string>().empty())
    return bad_value(key, "a text");
  return value.get<std::string>();
}

Status read_flag(const std::string& key, const Json& value, bool& flag) {
  if (!value.is_boolean()) return bad_value(key, "true or false");
  flag = value.get<bool>();
  return {};
}

// Numbers by name.
Status read_figures(const std::string& key, const Json& values, Figures& figures) {
  if (!values.is_object()) return bad_value(key, "an object of names and numbers");
  for (const auto& [name, value] : values.items()) {
    if (name.empty() || !text_fault(name).empty()) return bad_value(key, "named by plain text");
    FLYBALL_ASSIGN(figures[name], number(key + "." + name, value));
  }
  return {};
}

// {"slowdown": "5%"}: of the time against the default's.
Status read_slowdown(bool at_most, Json& values, StudyCreate& create) {
  const auto found = values.find(slowdown_figure);
  if (found == values.end()) return {};
  if (!at_most) return bad("a slowdown has no lower bound", "give it as at_most");
  if (!found->is_string()) return bad_value("at_most.slowdown", "a text such as \"5%\"");
  FLYBALL_ASSIGN(create.request.slowdown, parse_slowdown(found->get<std::string>()));
  values.erase(slowdown_figure);
  return {};
}

Status read_limits(const std::string& key, bool at_most, Json values, StudyCreate& create) {
  if (values.is_object()) FLYBALL_CHECK(read_slowdown(at_most, values, create));
  Figures figures;
  FLYBALL_CHECK(read_figures(key, values, figures));
  for (const auto& [name, value] : figures) create.request.limits.push_back({name, value, at_most});
  return {};
}

Result<Axis> read_axis(const std::string& name, const Json& values, Settings& usual) {
  if (name.empty() || !text_fault(name).empty()) return bad_value("axes", "named by plain text");
  if (!values.is_array() || values.empty() || values.size() > 100000)
    return bad_value("axes." + name, "a list of numbers");
  Axis axis = named_axis(name);
  axis.scope = Scope::run;
  for (const Json& value : values) {
    FLYBALL_ASSIGN(const double read, number("axes." + name, value));
    if (const std::string fault = axis_value_fault(name, read); !fault.empty())
      return bad(fmt::format("{} cannot be {}: {}", name, format_number(read), fault),
                 "leave that value out");
    axis.values.push_back(read);
  }
  usual[name] = axis.values.front();
  make_distinct(axis.values);
  return axis;
}

Status read_axes(const Json& axes, StudyCreate& create) {
  if (!axes.is_object()) return bad_value("axes", "an object of names and lists of numbers");
  double configurations = 1;
  Settings usual;
  for (const auto& [name, values] : axes.items()) {
    FLYBALL_ASSIGN(Axis axis, read_axis(name, values, usual));
    configurations *= static_cast<double>(axis.values.size());
    create.axes.push_back(std::move(axis));
  }
  if (configurations > 1e6)
    return bad(fmt::format("these axes have {} configurations, and a million is the most",
                           format_number(configurations)),
               "name fewer values");
  for (const auto& [name, value] : usual) create.usual.emplace(name, value);
  return {};
}

Status read_usual(const Json& values, StudyCreate& create) {
  if (!values.is_object()) return bad_value("default", "an object of names and numbers");
  for (const auto& [name, value] : values.items()) {
    FLYBALL_ASSIGN(const double read, number("default." + name, value));
    create.usual[name] = read;
  }
  return {};
}

Status read_argv(const Json& words, StudyCreate& create) {
  if (!words.is_array()) return bad_value("program", "a list of words");
  for (const Json& word : words) {
    if (!word.is_string()) return bad_value("program", "a list of words");
    create.argv.push_back(word.get<std::string>());
  }
  return {};
}

Status read_objective(const Json& value, StudyCreate& create) {
  for (const Objective objective : {Objective::time, Objective::energy, Objective::power})
    if (value.is_string() && value.get<std::string>() == objective_name(objective)) {
      create.request.objective = objective;
      return {};
    }
  return bad_value("objective", "one of time, energy, power");
}

// "30W" by the parser of the command line.
template <class Unit>
Result<double> quantity(const std::string& key, const Json& value,
                        Result<Unit> (*parse)(std::string_view)) {
  FLYBALL_ASSIGN(const std::string written, text(key, value));
  FLYBALL_ASSIGN(const Unit read, parse(written));
  if (read.value <= 0) return bad_value(key, "above zero");
  return read.value;
}

const Readers<StudyCreate>& create_readers() {
  static const Readers<StudyCreate> readers = {
      {"axes", read_axes},
      {"default", read_usual},
      {"program", read_argv},
      {"at_most", [](const Json& value,
                     StudyCreate& create) { return read_limits("at_most", true, value, create); }},
      {"at_least",
       [](const Json& value, StudyCreate& create) {
         return read_limits("at_least", false, value, create);
       }},
      {"objective", read_objective},
      {"power_budget",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.request.power_budget_w,
                        quantity("power_budget", value, parse_watts));
         return {};
       }},
      {"time_budget",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.request.time_budget_s,
                        quantity("time_budget", value, parse_seconds));
         return {};
       }},
      {"energy_budget",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.request.energy_budget_j,
                        quantity("energy_budget", value, parse_joules));
         return {};
       }},
      {"samples",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.request.samples, above_zero("samples", value));
         return {};
       }},
      {"strategy",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.request.strategy, text("strategy", value));
         return {};
       }},
      {"predictor",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.request.predictor, text("predictor", value));
         return {};
       }},
      {"profiles",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.request.profiles, count("profiles", value, 1000000));
         create.request.profiles_asked = true;
         if (create.request.profiles == 0) return bad_value("profiles", "at least 1");
         return {};
       }},
      {"seed",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.request.seed, count("seed", value, SIZE_MAX));
         return {};
       }},
      {"fresh",
       [](const Json& value, StudyCreate& create) {
         return read_flag("fresh", value, create.request.fresh);
       }},
      {"wait", [](const Json& value,
                  StudyCreate& create) { return read_flag("wait", value, create.wait); }},
      {"force", [](const Json& value,
                   StudyCreate& create) { return read_flag("force", value, create.force); }},
      {"anyway",  // its name before 0.1
       [](const Json& value, StudyCreate& create) {
         return read_flag("anyway", value, create.force);
       }},
      {"name",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(create.name, text("name", value));
         return {};
       }},
      {"phase",
       [](const Json& value, StudyCreate& create) -> Status {
         FLYBALL_ASSIGN(const std::string name, text("phase", value));
         FLYBALL_ASSIGN(create.phase, parse_phase(name));
         return {};
       }},
  };
  return readers;
}

Result<StudyMessage> parse_create(const Json& object) {
  StudyCreate create;
  create.request.caller = Caller::program;
  FLYBALL_CHECK(read_keys(object, create_readers(), create));
  if (create.wait && create.force)
    return bad("wait and force exclude each other", "give one of the two");
  if (create.request.slowdown != unlimited && !object.contains("default"))
    return bad("a slowdown is against the default, and the study is told without one",
               "give \"default\": the settings that the program has today");
  if (create.axes.empty())
    return bad("a study needs axes", "such as \"axes\": {\"batch_size\": [8, 16, 32]}");
  for (const auto& [name, value] : create.usual) {
    const Axis* axis = find_axis(create.axes, name);
    if (!axis || std::ranges::find(axis->values, value) == axis->values.end())
      return bad(
          fmt::format("the default {} = {} is not among the axes", name, format_number(value)),
          "name it in axes");
  }
  return StudyMessage(std::move(create));
}

Status read_times(const Json& values, StudyTell& tell) {
  if (!values.is_array() || values.empty()) return bad_value("minibatches_ms", "a list of numbers");
  for (const Json& value : values) {
    FLYBALL_ASSIGN(const double read, above_zero("minibatches_ms", value));
    tell.minibatches_ms.push_back(read);
  }
  return {};
}

Result<StudyMessage> parse_tell(const Json& object) {
  static const Readers<StudyTell> readers = {
      {"trial",
       [](const Json& value, StudyTell& tell) -> Status {
         FLYBALL_ASSIGN(tell.trial, count("trial", value, SIZE_MAX));
         return {};
       }},
      {"minibatch_ms",
       [](const Json& value, StudyTell& tell) -> Status {
         FLYBALL_ASSIGN(const double read, above_zero("minibatch_ms", value));
         tell.minibatches_ms.push_back(read);
         return {};
       }},
      {"minibatches_ms", read_times},
      {"power_w",
       [](const Json& value, StudyTell& tell) -> Status {
         FLYBALL_ASSIGN(tell.power_w, above_zero("power_w", value));
         return {};
       }},
      {"figures", [](const Json& value,
                     StudyTell& tell) { return read_figures("figures", value, tell.figures); }},
      {"failure",
       [](const Json& value, StudyTell& tell) -> Status {
         FLYBALL_ASSIGN(tell.failure, text("failure", value));
         return {};
       }},
  };
  StudyTell tell;
  FLYBALL_CHECK(read_keys(object, readers, tell));
  if (tell.figures.contains(slowdown_figure)) return reported_slowdown();
  if (!object.contains("trial")) return bad("tell names no trial", "give its number as \"trial\"");
  const int given = int(object.contains("minibatch_ms")) + int(object.contains("minibatches_ms"));
  if (given > 1 || tell.minibatches_ms.empty() == tell.failure.empty())
    return bad("a trial is told by minibatch_ms, by minibatches_ms or by failure",
               "give one of the three");
  return StudyMessage(std::move(tell));
}

}  // namespace

Result<StudyMessage> parse_study_message(const std::string& line) {
  if (line.size() > longest_study_line)
    return bad("the line is longer than 16 MiB", "send one message a line");
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object())
    return bad("this line is not a JSON object", "such as {\"do\": \"ask\"}");
  const auto verb = object.find("do");
  const std::string name =
      verb != object.end() && verb->is_string() ? verb->get<std::string>() : "";
  if (name == "create") return parse_create(object);
  if (name == "tell") return parse_tell(object);
  if (object.size() == 1) {
    if (name == "ask") return StudyMessage(StudyAsk{});
    if (name == "best") return StudyMessage(StudyBest{});
    if (name == "answer") return StudyMessage(StudyAnswer{});
  }
  return bad("this message has no \"do\" that is known",
             "one of: create (with axes), ask, tell (with trial), best, answer");
}

}  // namespace flyball
