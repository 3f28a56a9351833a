#include "cli/application.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/os/guard.h"
#include "base/text.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/help_formatter.h"
#include "cli/output.h"
#include "cli/report_left.h"
#include "cli/standard_output.h"
#include "device/journal.h"

namespace flyball::cli {

namespace {

// The one list of commands.
constexpr auto commands = {add_tune,     add_profile,   add_plan,     add_serve,      add_predict,
                           add_pareto,   add_measure,   add_twin,     add_experiment, add_doctor,
                           add_evaluate, add_reference, add_runs,     add_report,     add_import,
                           add_export,   add_workloads, add_describe, add_compare,    add_roofline,
                           add_devices,  add_dataset,   add_study,    add_mode,       add_helper,
                           add_manual,   add_completion};

constexpr const char* footer =
    "Exit codes: 0 fine, 1 the answer is no (infeasible), 2 bad use or failure, 130 stopped by "
    "Ctrl-C.\n"
    "`flyball COMMAND --help` shows an example of each command.";

// As it may be typed again.
std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n'\"$\\*?[](){}<>|&;`!#~") == std::string::npos)
    return word;
  std::string text = "'";
  for (char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

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
  const auto meant = closest(word, names);
  return {Code::invalid_argument, fmt::format("there is no command '{}'", named),
          meant ? fmt::format("did you mean '{}'?", *meant) : "one of: " + join(names, ", ")};
}

// CLI11's own words name the option; a wrong command gets the closest one.
int report_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App* command = &app;
  std::string path;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::string word = argv[i];
    const auto names = names_below(*command);
    if (std::ranges::find(names, word) == names.end()) {
      // Some commands take either a command or words of their own.
      if (command->get_require_subcommand_min() == 0) break;
      return report_error(no_command(path + word, word, names));
    }
    command = command->get_subcommand(word);
    path += word + " ";
  }
  const auto* const lacks = dynamic_cast<const CLI::RequiredError*>(&error);
  if (lacks && command->get_require_subcommand_min() > 0)
    return report_error({Code::invalid_argument, fmt::format("flyball {}needs a command", path),
                         "one of: " + join(names_below(*command), ", ")});
  return report_error({Code::invalid_argument, without_trailing_zeros(error.what()),
                       fmt::format("see `flyball {}--help`", path)});
}

// Takes "-- PROGRAM…" off the words of the commands that run one; returns how many are left.
int cut_program(int argc, char** argv, std::vector<std::string>& program) {
  if (argc < 2 || (argv[1] != std::string("profile") && argv[1] != std::string("tune") &&
                   argv[1] != std::string("mode")))
    return argc;
  for (int i = 2; i < argc; ++i)
    if (argv[i] == std::string("--")) {
      program.assign(argv + i + 1, argv + argc);
      return i;
    }
  return argc;
}

// Runs the command that is named.
int parse(CLI::App& app, int argc, char** argv, const Context& context) {
  try {
    app.parse(argc, argv);
    return context.exit_code;
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    const int code = app.exit(success, text, text);
    write_output(text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc, argv);
  }
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
  app.set_version_flag("--version", "flyball " FLYBALL_VERSION);
  app.require_subcommand(1);
  app.footer(footer);
  Context context;
  for (int i = 0; i < argc; ++i)
    context.command += (i ? " " : "") + quoted(i ? argv[i] : "flyball");
  for (const auto add : commands) add(app, context);
  check_every_option(app);
  argc = cut_program(argc, argv, context.program);
  try {
    return finish_output(parse(app, argc, argv, context));
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
