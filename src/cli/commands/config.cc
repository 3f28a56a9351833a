// `flyball config`: which defaults come from where.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/json.h"
#include "base/own_variables.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/commands.h"
#include "cli/line/configured_options.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

struct ConfigArguments {
  std::vector<std::string> command;
  bool json = false;
};

/// An option of a command, with what counts where the command line does not say it.
struct OptionDefault {
  std::string option, value, from;
};

// A secret is not shown.
std::string shown_value(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return variable == "FLYBALL_TOKEN" ? "(set)" : std::string(value ? value : "");
}

std::vector<std::string> set_variables() {
  std::vector<std::string> set;
  for (const std::string_view name : own_variables) {
    const char* value = std::getenv(std::string(name).c_str());
    if (value && *value) set.emplace_back(name);
  }
  return set;
}

std::string option_in_place(const std::string& variable) {
  for (const OptionVariable& one : option_variables())
    if (variable == one.variable) return one.option;
  return "";
}

std::vector<OptionDefault> defaults_of(const NamedCommand& named,
                                       std::span<const ConfiguredValue> values) {
  const auto configured = values_of(named, values);
  std::vector<OptionDefault> defaults;
  for (const CLI::Option* option : named.command->get_options()) {
    if (option->get_group().empty() || !option->nonpositional() || option->get_name() == "--help")
      continue;
    const std::string name = option->get_name();
    const auto found = std::ranges::find_if(configured, [&](const ConfiguredValue* value) {
      return option->check_name(value->option);
    });
    if (const char* variable = variable_in_place_of(name))
      defaults.push_back({name, shown_value(variable), variable});
    else if (found != configured.end())
      defaults.push_back({name, join((*found)->values, ", "), (*found)->place()});
    else
      defaults.push_back({name, option->get_default_str(), "built in"});
  }
  return defaults;
}

// Does nothing that comes later replace it?
bool counts(const ConfiguredValue& value, std::span<const ConfiguredValue> values) {
  if (variable_in_place_of(value.option)) return false;
  const auto later =
      std::find_if(values.begin() + (&value - values.data()) + 1, values.end(),
                   [&](const ConfiguredValue& other) {
                     return other.option == value.option && other.is_meant_for(value.command);
                   });
  return later == values.end();
}

Json values_json(std::span<const ConfiguredValue> values) {
  Json all = Json::array();
  for (const ConfiguredValue& value : values)
    all.push_back({{"command", value.command.empty() ? Json(nullptr) : Json(value.command)},
                   {"option", value.option},
                   {"values", value.values},
                   {"file", value.file},
                   {"line", value.line},
                   {"counts", counts(value, values)}});
  return all;
}

Json environment_json() {
  Json all = Json::array();
  for (const std::string& variable : set_variables()) {
    const std::string option = option_in_place(variable);
    all.push_back({{"name", variable},
                   {"value", shown_value(variable)},
                   {"option", option.empty() ? Json(nullptr) : Json(option)}});
  }
  return all;
}

void print_values(const ConfigurationFiles& files, const ConfiguredDefaults& configuration) {
  std::error_code unknown;
  fmt::print("user:    {}{}\n", files.user.string(),
             std::filesystem::exists(files.user, unknown) ? "" : " (not there)");
  fmt::print("project: {}\n", files.project.empty() ? "no flyball.toml in this folder or above it"
                                                    : files.project.string());
  TextTable table({"command", "option", "value", "from", ""});
  for (const ConfiguredValue& value : configuration.values)
    table.add({value.command.empty() ? "every" : value.command, value.option,
               join(value.values, ", "), value.place(),
               counts(value, configuration.values) ? "" : "replaced"});
  for (const std::string& variable : set_variables())
    table.add({"", option_in_place(variable), shown_value(variable), variable, ""});
  if (!table.empty()) fmt::print("\n{}", table.str());
}

Result<NamedCommand> find_named(CLI::App& app, const std::vector<std::string>& words) {
  const NamedCommand named = named_command(app, words);
  const std::string wanted = join(words, " ");
  if (named.path == wanted && named.command->get_require_subcommand_min() == 0) return named;
  return Error{Code::invalid_argument, fmt::format("'{}' is no command with options", wanted),
               "`flyball --help` lists the commands, such as `flyball config show plan training`"};
}

Status show(CLI::App& app, const ConfigArguments& options) {
  const ConfigurationFiles files = configuration_files();
  FLYBALL_ASSIGN(const ConfiguredDefaults configuration, read_configuration(files));
  for (const std::string& note : configuration.notes) fmt::print(stderr, "note: {}\n", note);
  FLYBALL_CHECK(check_configuration(app, configuration.values));
  std::vector<OptionDefault> defaults;
  if (!options.command.empty()) {
    FLYBALL_ASSIGN(const NamedCommand named, find_named(app, options.command));
    defaults = defaults_of(named, configuration.values);
  }
  if (options.json) {
    Json list = Json::array();
    for (const OptionDefault& one : defaults)
      list.push_back({{"option", one.option}, {"value", one.value}, {"from", one.from}});
    print_json(
        {{"user_file", files.user.string()},
         {"project_file", files.project.empty() ? Json(nullptr) : Json(files.project.string())},
         {"values", values_json(configuration.values)},
         {"environment", environment_json()},
         {"defaults", list}});
  } else if (options.command.empty()) {
    print_values(files, configuration);
  } else {
    TextTable table({"option", "value", "from"});
    for (const OptionDefault& one : defaults) table.add({one.option, one.value, one.from});
    fmt::print("{}", table.str());
  }
  return {};
}

}  // namespace

void add_config(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("config", "Show defaults of options, kept in files");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball config show tune");
  CLI::App* command =
      group->add_subcommand("show", "Show what the files and the environment settle, and where");
  auto options = std::make_shared<ConfigArguments>();
  command->add_option(
      "command", options->command,
      "Command whose options are shown, each with its default and where that comes from");
  add_json_flag(*command, options->json);
  command->footer("Example:\n  flyball config show\n  flyball config show plan training");
  set_action(*command, context, [&app, options] { return show(app, *options); });
}

}  // namespace flyball::cli
