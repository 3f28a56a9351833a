#include "cli/line/configured_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "cli/line/help_formatter.h"
#include "cli/option_scope.h"

namespace flyball::cli {
namespace {

constexpr std::array variables = {OptionVariable{"--store", "FLYBALL_STORE"},
                                  OptionVariable{"--board", "FLYBALL_BOARD"},
                                  OptionVariable{"--token-file", "FLYBALL_TOKEN"}};

// Said each time: rights, what is done once, where one answer goes, what runs.
constexpr std::array<std::string_view, 44> said_each_time = {
    "--apply",          "--force",    "--insecure", "--root",       "--dry-run", "--json",
    "--help",           "--version",  "--fresh",    "--out",        "--report",  "--csv",
    "--trace",          "--cases",    "--save",     "--resume",     "--run",     "--name",
    "--stage",          "--export",   "--plug",     "--plug-begin", "--preset",  "--pin-max",
    "--oracle",         "--truth",    "--tables",   "--arrivals",   "--listen",  "--token-file",
    "--separate-modes", "--workload", "--infer",    "--train",      "--from",    "--group",
    "--socket",         "--mode",     "--server",   "--record",     "--asked",   "--rate",
    "--board",          "--replay"};

Error refused(const ConfiguredValue& value, const std::string& complaint, std::string hint) {
  return {Code::invalid_argument, fmt::format("{}: {}", value.place(), complaint), std::move(hint)};
}

std::string key_of(const ConfiguredValue& value) {
  return value.option.substr(2);
}

// The names of the options of a command and all below it.
void add_names(const CLI::App& command, std::vector<std::string>& names) {
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back(name);
  for (const CLI::App* below : command.get_subcommands({})) add_names(*below, names);
}

Status check_value(CLI::App& app, const ConfiguredValue& value) {
  const NamedCommand named = named_command(app, split(value.command, ' '));
  if (named.path != value.command)
    return refused(
        value, fmt::format("there is no command '{}'", value.command),
        "`flyball --help` lists the commands; [plan.training] is `flyball plan training`");
  std::vector<std::string> names;
  add_names(*named.command, names);
  const std::string key = key_of(value);
  if (std::ranges::find(names, key) == names.end()) {
    const auto renamed =
        std::ranges::find(renamed_options(), value.option, &RenamedOption::old_name);
    const std::string meant = renamed != renamed_options().end() ? renamed->new_name + 2 : key;
    return refused(value,
                   fmt::format("{} has no option --{}",
                               value.command.empty() ? "no command" : value.command, key),
                   name_hint(meant, names, "`flyball COMMAND --help` lists the options"));
  }
  if (std::ranges::find(said_each_time, value.option) != said_each_time.end())
    return refused(value, fmt::format("{} is said each time, and has no default", value.option),
                   "take it out of the file, and give it on the command line");
  return {};
}

// Does a word give the option, by one of its names?
bool is_given(const CLI::Option& option, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string name = word.substr(0, word.find('='));
    if (option.check_name(name)) return name.starts_with('-');
  }
  return false;
}

bool excluded(const CLI::Option& option, const std::vector<std::string>& words) {
  return std::ranges::any_of(const_cast<CLI::Option&>(option).get_excludes(),
                             [&](const CLI::Option* other) { return is_given(*other, words); });
}

// --root and --board tell of a machine, which a simulated board or a table is not.
bool is_no_machine(CLI::App& command, const ConfiguredValue& value,
                   const std::vector<std::string>& words) {
  const std::string& device = value.values.front();
  if (value.option != "--device" || !(device.starts_with("twin:") || device.starts_with("table:")))
    return false;
  return std::ranges::any_of(std::array{"--root", "--board"}, [&](const char* name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    return option && is_given(*option, words);
  });
}

// As the option takes them: where it has one value, a list is that: batch-size = [8, 16].
std::vector<std::string> results_of(const CLI::Option& option, const ConfiguredValue& value) {
  if (option.get_items_expected_max() == 1) return {join(value.values, ",")};
  return value.values;
}

// While it stands, takes_default() is true of the option.
class TakesDefault {
 public:
  explicit TakesDefault(CLI::Option& option) : option_(option) { option_.configurable(false); }
  ~TakesDefault() { option_.configurable(true); }
  TakesDefault(const TakesDefault&) = delete;
  TakesDefault& operator=(const TakesDefault&) = delete;

 private:
  CLI::Option& option_;
};

// What its checks say to the values; "" where they take them.
std::string refusal_of(CLI::Option& checked, const std::vector<std::string>& values) {
  const CLI::Option& option = checked;
  const TakesDefault asking(checked);  // among the checks are those that note what was given
  const bool flag = option.get_items_expected_max() == 0;
  const std::vector<std::string> words = only_choices(option);
  for (const std::string& value : values) {
    if (!words.empty())
      for (const std::string& one : split(value, ','))
        if (std::ranges::find(words, std::string(trim(one))) == words.end())
          return fmt::format("{}: '{}' is none of {}", option.get_name(), one, join(words, ", "));
    if (flag && value != "true" && value != "false")
      return fmt::format("{}: '{}' is neither true nor false", option.get_name(), value);
    for (int index = 0; !flag; ++index) try {
        std::string text = value;
        if (const std::string complaint = (*checked.get_validator(index))(text); !complaint.empty())
          return option.get_name() + ": " + without_trailing_zeros(complaint);
      } catch (const CLI::OptionNotFound&) {
        break;  // there is no further one
      }
  }
  return "";
}

constexpr const char* what_stands_there = "docs/reference/configuration.md says what stands there";

// Adds what each option of the commands that the value is meant for says to it.
void ask_options(CLI::App& command, const std::string& path, const ConfiguredValue& value,
                 std::vector<std::string>& refusals) {
  CLI::Option* option =
      value.is_meant_for(path) ? command.get_option_no_throw(value.option) : nullptr;
  if (option) refusals.push_back(refusal_of(*option, results_of(*option, value)));
  for (CLI::App* below : command.get_subcommands({}))
    ask_options(*below, path + (path.empty() ? "" : " ") + below->get_name(), value, refusals);
}

// What one of the commands takes may be meant for that one.
Status check_taken(CLI::App& app, const ConfiguredValue& value) {
  std::vector<std::string> refusals;
  ask_options(app, "", value, refusals);
  if (refusals.empty() || std::ranges::count(refusals, "") > 0) return {};
  return refused(value, refusals.front(), what_stands_there);
}

Status set_default(CLI::Option& option, const ConfiguredValue& value) {
  if (const std::string complaint = refusal_of(option, results_of(option, value));
      !complaint.empty())
    return refused(value, complaint, what_stands_there);
  try {
    const TakesDefault taking(option);
    for (const std::string& one : results_of(option, value)) option.add_result(one);
    option.run_callback();
    option.clear();
  } catch (const CLI::Error& error) {
    return refused(value, error.what(), what_stands_there);
  }
  option.default_str(join(value.values, ","));
  option.required(false);
  return {};
}

}  // namespace

std::span<const OptionVariable> option_variables() {
  return variables;
}

const char* variable_in_place_of(const std::string& option) {
  for (const OptionVariable& one : variables) {
    const char* value = option == one.option ? std::getenv(one.variable) : nullptr;
    if (value && *value) return one.variable;
  }
  return nullptr;
}

Status check_configuration(CLI::App& app, std::span<const ConfiguredValue> values) {
  for (const ConfiguredValue& value : values) {
    FLYBALL_CHECK(check_value(app, value));
    FLYBALL_CHECK(check_taken(app, value));
  }
  return {};
}

std::vector<const ConfiguredValue*> values_of(const NamedCommand& named,
                                              std::span<const ConfiguredValue> values) {
  std::vector<const ConfiguredValue*> found;
  for (const CLI::Option* option : named.command->get_options()) {
    const ConfiguredValue* last = nullptr;
    for (const ConfiguredValue& value : values)
      if (value.is_meant_for(named.path) &&
          named.command->get_option_no_throw(value.option) == option)
        last = &value;
    if (last) found.push_back(last);
  }
  return found;
}

Status configure(const NamedCommand& named, std::span<const ConfiguredValue> values,
                 const std::vector<std::string>& words) {
  for (const ConfiguredValue* value : values_of(named, values)) {
    CLI::Option* option = named.command->get_option(value->option);
    if (is_given(*option, words) || excluded(*option, words) ||
        variable_in_place_of(value->option) || is_no_machine(*named.command, *value, words))
      continue;
    FLYBALL_CHECK(set_default(*option, *value));
  }
  return {};
}

}  // namespace flyball::cli
