#include "cli/action.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "answers/answer.h"
#include "answers/json_version.h"
#include "base/text.h"
#include "cli/option_scope.h"
#include "cli/output.h"
#include "cli/standard_output.h"

namespace flyball::cli {
namespace {

const CLI::App& program_of(const CLI::App& command) {
  const CLI::App* app = &command;
  while (app->get_parent()) app = app->get_parent();
  return *app;
}

// "--root tree", where this command was given it and the one that `words` name takes it.
std::vector<std::string> options_of_board(const CLI::App& command, const std::string& words,
                                          bool reads_table) {
  const CLI::App* other = &program_of(command);
  const CLI::App* group = nullptr;  // the first word's
  for (const std::string& word : split(words, ' ')) {
    const auto below =
        other->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (below.empty()) break;
    other = below.front();
    if (!group) group = other;
  }
  std::vector<std::string> options;
  for (const std::string name : {"--root", "--device"}) {
    const CLI::Option* own = command.get_option_no_throw(name);
    if (!own || own->count() == 0 || !other->get_option_no_throw(name)) continue;
    if (name == "--device" && reads_table) continue;  // which is of its own board
    if (name == "--device" && group != command.get_parent() && group != &command) continue;
    const std::string& value = own->results().front();
    options.push_back(name + " " +
                      (value.find(' ') == std::string::npos ? value : "'" + value + "'"));
  }
  return options;
}

}  // namespace

void add_json_flag(CLI::App& command, bool& json, const std::string& more) {
  command.add_flag_function(
      "--json{2}",
      [&json](int64_t version) {
        if (version != 1 && version != json_schema)
          throw CLI::ValidationError(
              "--json",
              fmt::format("there is no version {} (there are 1 and {})", version, json_schema));
        json = true;
        ask_json_version(static_cast<int>(version));
      },
      "Print one JSON document on stdout" + more);
}

std::string for_same_board(const CLI::App& command, const std::string& text) {
  static const std::regex named(R"(`flyball ((?:[a-z-]+ ?)+)[^`]*`)");
  std::string placed;
  auto rest = text.cbegin();
  for (std::sregex_iterator found(rest, text.cend(), named), end; found != end; ++found) {
    std::string words = found->str();
    const bool reads_table = words.find(".csv") != std::string::npos;
    for (const std::string& option : options_of_board(command, found->str(1), reads_table))
      if (words.find(option.substr(0, option.find(' '))) == std::string::npos)
        words.insert(std::min(words.find(" -- "), words.size() - 1), " " + option);
    placed.append(rest, text.cbegin() + found->position()).append(words);
    rest = text.cbegin() + found->position() + found->length();
  }
  return placed.append(rest, text.cend());
}

void set_action(CLI::App& command, Context& context, std::function<Status()> action) {
  command.callback([action = std::move(action), &command, &context] {
    const Status status = action();
    if (status.ok() || is_output_error(status.error())) return;
    Error error = status.error();
    error.hint = for_same_board(command, error.hint);
    const CLI::Option* json = command.get_option_no_throw("--json");
    if (json && given(*json)) print_refused(error);
    context.exit_code = report_error(error);
  });
}

}  // namespace flyball::cli
