#include "cli/application.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

// The one list of commands.
constexpr auto commands = {add_tune,     add_profile,   add_plan,       add_predict,
                           add_pareto,   add_measure,   add_experiment, add_doctor,
                           add_evaluate, add_reference, add_runs,       add_import,
                           add_export,   add_workloads, add_devices,    add_dataset};

constexpr const char* footer =
    "Exit codes: 0 fine, 1 the answer is no (infeasible), 2 bad use or failure.\n"
    "`flyball COMMAND --help` shows an example of each command.";

// As it may be typed again.
std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n'\"$\\*?[](){}<>|&;`!#~") == std::string::npos)
    return word;
  std::string text = "'";
  for (char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

// CLI11's own words name the option; a wrong command gets the closest one.
int report_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    const auto meant = closest(argv[1], names);
    return report_error(
        {Code::invalid_argument, fmt::format("there is no command '{}'", argv[1]),
         meant ? fmt::format("did you mean '{}'?", *meant) : "one of: " + join(names, ", ")});
  }
  return report_error({Code::invalid_argument, error.what(),
                       argc > 1 ? fmt::format("see `flyball {} --help`", argv[1])
                                : std::string("see `flyball --help`")});
}

// Takes "-- PROGRAM…" off the words of the commands that run one; returns how many are left.
int cut_program(int argc, char** argv, std::vector<std::string>& program) {
  if (argc < 2 || (argv[1] != std::string("profile") && argv[1] != std::string("tune")))
    return argc;
  for (int i = 2; i < argc; ++i)
    if (argv[i] == std::string("--")) {
      program.assign(argv + i + 1, argv + argc);
      return i;
    }
  return argc;
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app{
      "Finds the power mode in which a neural network should train or serve on this board.",
      "flyball"};
  app.set_version_flag("--version", "flyball " FLYBALL_VERSION);
  app.require_subcommand(1);
  app.footer(footer);
  Context context;
  for (int i = 0; i < argc; ++i)
    context.command += (i ? " " : "") + quoted(i ? argv[i] : "flyball");
  for (const auto add : commands) add(app, context);
  argc = cut_program(argc, argv, context.program);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc, argv);
  } catch (const std::exception& error) {
    return report_error({Code::internal, fmt::format("unexpected failure: {}", error.what()),
                         "this is a fault of flyball's own; please report it"});
  }
  return context.exit_code;
}

}  // namespace flyball::cli
