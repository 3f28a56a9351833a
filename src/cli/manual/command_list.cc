#include "cli/manual/command_list.h"

#include "base/text.h"
#include "cli/line/help_formatter.h"

namespace flyball::cli {
namespace {

// One that may be given either way is listed twice, as help has it.
ListedOption listed(const CLI::Option& option, bool positional, const HelpFormatter& formatter) {
  ListedOption one;
  if (positional) {
    one.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) one.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) one.names.push_back("--" + name);
  }
  one.value = trim(formatter.make_option_opts(&option));
  one.text = formatter.make_option_desc(&option);
  one.choices = value_choices(option);
  one.takes_value = option.get_items_expected_min() > 0;
  one.folder =
      option.get_type_name().starts_with("FOLDER") || option.get_type_name().ends_with(":DIR");
  return one;
}

std::string usage_of(const CLI::App& app, const std::string& path, const HelpFormatter& formatter) {
  const std::string usage = formatter.make_usage(&app, path);
  return std::string(trim(usage.substr(usage.find(':') + 1)));
}

void add_commands(const CLI::App& app, const std::string& path, std::vector<ListedCommand>& all) {
  const HelpFormatter formatter;
  ListedCommand command;
  command.path = path;
  command.text = app.get_description();
  command.usage = usage_of(app, path, formatter);
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) command.positionals.push_back(listed(*option, true, formatter));
    if (option->nonpositional()) command.options.push_back(listed(*option, false, formatter));
  }
  std::vector<const CLI::App*> below;
  for (const CLI::App* one : app.get_subcommands({}))
    if (!one->get_group().empty()) below.push_back(one);
  for (const CLI::App* one : below) command.commands.push_back(one->get_name());
  all.push_back(std::move(command));
  for (const CLI::App* one : below) add_commands(*one, path + " " + one->get_name(), all);
}

}  // namespace

std::string last_word(const std::string& path) {
  return path.substr(path.rfind(' ') + 1);
}

std::string path_above(const std::string& path) {
  const size_t blank = path.rfind(' ');
  return blank == std::string::npos ? "" : path.substr(0, blank);
}

std::vector<const ListedCommand*> commands_below(const ListedCommand& command,
                                                 const std::vector<ListedCommand>& all) {
  std::vector<const ListedCommand*> found;
  for (const ListedCommand& one : all)
    if (path_above(one.path) == command.path) found.push_back(&one);
  return found;
}

std::vector<ListedCommand> list_commands(const CLI::App& app) {
  std::vector<ListedCommand> all;
  add_commands(app, app.get_name(), all);
  return all;
}

}  // namespace flyball::cli
