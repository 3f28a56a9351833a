#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/manual/command_list.h"
#include "cli/manual/completion.h"
#include "cli/manual/man_page.h"

namespace flyball::cli {
namespace {

struct ManualArguments {
  std::vector<std::string> command;
  std::string folder;
};

// Today, or the day that SOURCE_DATE_EPOCH names: packages made twice are then equal.
std::string manual_date() {
  const char* const named = std::getenv("SOURCE_DATE_EPOCH");
  const auto seconds = named ? parse_integer(named) : std::nullopt;
  if (!seconds) return wall_clock_utc().substr(0, 10);
  const std::time_t moment = *seconds;
  std::tm parts{};
  if (!::gmtime_r(&moment, &parts)) return wall_clock_utc().substr(0, 10);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Status write_pages(const std::vector<ListedCommand>& commands, const ManualImprint& imprint,
                   const std::filesystem::path& folder) {
  for (const ListedCommand& command : commands)
    FLYBALL_CHECK(write_file(folder / (page_name(command.path) + ".1"),
                             man_page(command, commands, imprint)));
  fmt::print("{} pages in {}\n", commands.size(), folder.string());
  return {};
}

Status show_manual(const CLI::App& app, const ManualArguments& options) {
  const auto commands = list_commands(app);
  const ManualImprint imprint{.date = manual_date(),
                              .version = app.get_name() + " " FLYBALL_VERSION};
  if (!options.folder.empty()) return write_pages(commands, imprint, options.folder);
  std::string path = app.get_name();
  for (const std::string& word : options.command) path += " " + word;
  std::vector<std::string> paths;
  for (const ListedCommand& command : commands) {
    if (command.path == path) {
      fmt::print("{}", man_page(command, commands, imprint));
      return {};
    }
    paths.push_back(command.path);
  }
  return Error{Code::invalid_argument, fmt::format("there is no command '{}'", path),
               name_hint(path, paths, "`flyball --help` lists them")};
}

}  // namespace

void add_manual(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("man", "Print pages for man, out of the help");
  auto options = std::make_shared<ManualArguments>();
  CLI::Option* named = command->add_option(
      "command", options->command, "Command whose page is printed; default: flyball itself");
  writes(command->add_option("--out", options->folder, "Write the page of every command there"),
         "FOLDER")
      ->excludes(named);
  command->footer("Example:\n  flyball man tune | man -l -\n  flyball man --out pages");
  set_action(*command, context, [&app, options] { return show_manual(app, *options); });
}

void add_completion(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print a script by which a shell completes commands and options");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "Shell that completes")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  command->footer("Example:\n  flyball completion bash >flyball.bash && . ./flyball.bash");
  set_action(*command, context, [&app, shell]() -> Status {
    const auto commands = list_commands(app);
    fmt::print("{}", *shell == "bash"  ? bash_completion(commands)
                     : *shell == "zsh" ? zsh_completion(commands)
                                       : fish_completion(commands));
    return {};
  });
}

}  // namespace flyball::cli
