#include "cli/line/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/os/guard.h"
#include "base/text.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/line/configured_options.h"
#include "cli/line/groups.h"
#include "cli/line/help_formatter.h"
#include "cli/line/renamed.h"
#include "cli/output.h"
#include "cli/report_left.h"
#include "cli/standard_output.h"
#include "device/doctor/version_report.h"
#include "device/journal.h"
#include "workload/workload.h"

namespace flyball::cli {

namespace {

// The one list of commands.
constexpr auto commands = {
    add_tune,         add_plan,     add_predict,   add_pareto,    add_compare,  add_fleet,
    add_campaign,     add_profile,  add_measure,   add_record,    add_monitor,  add_metrics_server,
    add_serve,        add_broker,   add_loadtest,  add_mode,      add_study,    add_doctor,
    add_verify_board, add_devices,  add_helper,    add_workloads, add_describe, add_dataset,
    add_runs,         add_collect,  add_report,    add_import,    add_export,   add_config,
    add_experiment,   add_roofline, add_reference, add_evaluate,  add_twin,     add_manual,
    add_completion};

constexpr const char* footer =
    "Exit codes: 0 fine, 1 the answer is no (infeasible), 2 bad use or failure, 130 stopped by "
    "Ctrl-C.\n"
    "`flyball COMMAND --help` shows an example of each command.";

using Words = std::vector<std::string>;

std::vector<std::string> names_below(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

Error no_command(const std::string& named, const std::string& word,
                 const std::vector<std::string>& names) {
  if (word == "help")
    return {Code::invalid_argument, fmt::format("there is no command '{}'", named),
            "`flyball --help` lists the commands, `flyball COMMAND --help` says what each takes"};
  return {Code::invalid_argument, fmt::format("there is no command '{}'", named),
          name_hint(word, names)};
}

// Where the words of a program stand without the "--" before them: the line as it was meant; ""
// where they are no program's.
std::string with_program_behind_dashes(const NamedCommand& named, const Words& words) {
  const bool hold = named.path == "mode hold";
  if (!hold && named.path != "tune" && named.path != "profile") return "";
  const CLI::Option* first = named.command->get_option_no_throw(hold ? "mode" : "workload");
  if (!first || first->count() == 0) return "";
  const std::string& taken = first->results().front();
  auto begins = std::ranges::find(words, taken);
  if (begins == words.end() || (!hold && find_workload(taken).ok())) return "";
  if (hold) ++begins;
  // An option that is not known is no program's second word.
  if (!hold && (begins + 1 == words.end() || begins[1].starts_with('-'))) return "";
  Words line = {"flyball"};
  line.insert(line.end(), words.begin(), begins);
  line.emplace_back("--");
  line.insert(line.end(), begins, words.end());
  return shell_line(line);
}

// Where a tune has its workload a plan names that of each role; "" where the word is none.
std::string with_role(const NamedCommand& named, const std::string& refused) {
  const std::string word = refused.substr(refused.rfind(' ') + 1);
  if (!named.path.starts_with("plan ") || !find_workload(word).ok()) return "";
  const char* role = named.command->get_option_no_throw("--train") ? "--train" : "--infer";
  return fmt::format("write {} {}", role, word);
}

// What takes an option of this name beside this command: "plan inference, plan concurrent".
std::string others_with(const NamedCommand& named, const std::string& name) {
  const CLI::App* parent = named.command->get_parent();
  if (!parent || !parent->get_parent()) return "";
  std::vector<std::string> have;
  for (const CLI::App* other : parent->get_subcommands([](const CLI::App*) { return true; }))
    if (other->get_option_no_throw(name))
      have.push_back(parent->get_name() + " " + other->get_name());
  return have.empty() ? "" : fmt::format("{} is of {}", name, join(have, ", "));
}

// The option that was meant by one that the command has not; "" where that is not clear.
std::string meant_option(const NamedCommand& named, const Words& words) {
  std::vector<std::string> names;
  for (const CLI::Option* option : named.command->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || std::ranges::find(names, name) != names.end()) continue;
    if (std::string others = others_with(named, name); !others.empty()) return others;
    if (const auto meant = closest(name, names)) return fmt::format("did you mean {}?", *meant);
  }
  return "";
}

// What was not expected, as it was typed: CLI11 names the last first.
std::string in_their_order(std::string text, const Words& words) {
  const size_t list = text.find(": ");
  if (list == std::string::npos) return text;
  std::vector<std::string> left = split(text.substr(list + 2), ' ');
  std::vector<std::string> ordered;
  for (const std::string& word : words)
    if (const auto found = std::ranges::find(left, word); found != left.end()) {
      ordered.push_back(word);
      left.erase(found);
    }
  return left.empty() ? text.substr(0, list + 2) + join(ordered, " ") : text;
}

// CLI11's own words name the option; a wrong command gets the closest one.
int report_usage(CLI::App& app, const CLI::ParseError& error, const Words& words,
                 const Words& program) {
  const NamedCommand named = named_command(app, words);
  const std::string path = named.path + (named.path.empty() ? "" : " ");
  if (named.command->get_require_subcommand_min() > 0) {
    const auto names = names_below(*named.command);
    const size_t next = static_cast<size_t>(std::ranges::count(path, ' '));
    if (next < words.size() && !words[next].starts_with('-'))
      return report_error(no_command(path + words[next], words[next], names));
    if (dynamic_cast<const CLI::RequiredError*>(&error))
      return report_error({Code::invalid_argument, fmt::format("flyball {}needs a command", path),
                           "one of: " + join(names, ", ")});
  }
  std::string hint = fmt::format("see `flyball {}--help`", path);
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::string line = program.empty() ? with_program_behind_dashes(named, words) : "";
    const std::string role = with_role(named, error.what()), option = meant_option(named, words);
    if (!line.empty())
      hint = "a program of your own goes behind `--`: " + line;
    else if (!role.empty() || !option.empty())
      hint = option.empty() ? role : option;
  }
  std::string said = without_trailing_zeros(error.what());
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) said = in_their_order(std::move(said), words);
  return report_error({Code::invalid_argument, std::move(said), hint});
}

// Takes "-- PROGRAM…" off the words of the commands that run one.
void cut_program(Words& words, Words& program) {
  if (words.empty() || (words[0] != "profile" && words[0] != "tune" && words[0] != "mode")) return;
  const auto end = std::ranges::find(words, "--");
  if (end == words.end()) return;
  program.assign(end + 1, words.end());
  words.erase(end, words.end());
}

// Runs the command that is named.
int parse(CLI::App& app, const Words& words, const Context& context) {
  try {
    app.parse(Words(words.rbegin(), words.rend()));  // CLI11 takes them from the end
    return context.exit_code;
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    const int code = app.exit(success, text, text);
    (void)write_output(text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, words, context.program);
  }
}

// What puts a board back, and what tells of the program itself, does so whatever a file says.
bool reads_configuration(const std::string& path) {
  const std::string first = path.substr(0, path.find(' '));
  constexpr std::array without = {"", "helper", "man", "completion", "config"};
  return path != "mode restore" && std::ranges::find(without, first) == without.end();
}

// Defaults of the files, for the command that the words name.
Status take_configuration(CLI::App& app, const Words& words) {
  const NamedCommand named = named_command(app, words);
  if (!reads_configuration(named.path)) return {};
  FLYBALL_ASSIGN(const ConfiguredDefaults configuration, read_configuration(configuration_files()));
  for (const std::string& note : configuration.notes)
    std::fprintf(stderr, "flyball: %s\n", note.c_str());
  FLYBALL_CHECK(check_configuration(app, configuration.values));
  return configure(named, configuration.values, words);
}

// What a flyball that died, or this one, could not put back of the board (device/journal.h). On
// stderr: the documents of stdout stay what they are. False when something is
// left.
bool put_board_back() {
  const auto put_back = recover_settings(board_journal());
  if (!put_back) report_error(put_back.error());
  if (put_back && *put_back > 0)
    std::fprintf(stderr,  // fmt::print would throw where stderr takes no more
                 "flyball: put back %zu settings of the board that an earlier flyball had left\n",
                 *put_back);
  return put_back.ok() && !something_left();
}

int report_unexpected(const std::exception& error) {
  return report_error({Code::internal, fmt::format("unexpected failure: {}", error.what()),
                       "this is a fault of flyball's own; please report it"});
}

int run_command(int argc, char** argv) {
  CLI::App app{
      "Finds the power mode in which a neural network should train or serve on this board.",
      "flyball"};
  app.formatter(std::make_shared<HelpFormatter>());  // of all commands
  app.set_version_flag("--version", [] { return version_text(read_version_facts()); });
  app.require_subcommand(1);
  app.footer(footer);
  Context context;
  add_commands(app, context);
  Words words(argv + 1, argv + std::max(argc, 1));
  rename_options(app, words);
  if (const Status status = take_configuration(app, words); !status.ok())
    return report_error(status.error());
  Words typed = words;
  typed.insert(typed.begin(), "flyball");
  context.command = shell_line(typed);
  cut_program(words, context.program);
  try {
    return finish_output(parse(app, words, context));
  } catch (const std::system_error& error) {
    // fmt::print throws where stdout or stderr takes no more.
    if (std::ferror(stdout) != 0) return finish_output(2, error.code().value());
    if (std::ferror(stderr) != 0) return 2;
    return report_unexpected(error);
  } catch (const std::exception& error) {
    return report_unexpected(error);
  }
}

}  // namespace

void add_commands(CLI::App& app, Context& context) {
  for (const auto add : commands) add(app, context);
  check_every_option(app);
  take_quiet_everywhere(app);
  arrange_help(app);
}

int run(int argc, char** argv) {
  // Any start of flyball puts back what a dead one left: its guard takes the quickest.
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) Guard::set_restorer({program.string(), "--version"});
  const bool clean = put_board_back();
  const int code = run_command(argc, argv);
  // The devices are gone, and what they could not put back stands in the journal.
  const bool put_back = put_board_back();
  return code == 0 && (something_left() || (clean && !put_back)) ? 2 : code;
}

}  // namespace flyball::cli
