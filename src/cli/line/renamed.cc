#include "cli/line/renamed.h"

#include <algorithm>
#include <array>

namespace flyball::cli {
namespace {

constexpr std::array renamed = {
    RenamedOption{"", "--anyway", "--force"},
    RenamedOption{"", "--for", "--duration"},
    RenamedOption{"", "--batch", "--batch-size"},
    RenamedOption{"", "--train-batch", "--train-batch-size"},
    RenamedOption{"", "--max-profiles", "--profiles"},
    RenamedOption{"", "--no-cache", "--fresh"},
    RenamedOption{"", "--dataset", "--data"},
    RenamedOption{"", "--device", "--board"},
    RenamedOption{"serve", "--profiles", "--measured"},
    RenamedOption{"evaluate predict", "--modes", "--profiles"},
    RenamedOption{"evaluate predict", "--target", "--truth"},
    RenamedOption{"evaluate predict", "--data", "--tables"},
    RenamedOption{"evaluate optimise", "--modes", "--profiles"},
    RenamedOption{"evaluate optimise", "--target", "--truth"},
    RenamedOption{"evaluate search", "--data", "--tables"},
    RenamedOption{"evaluate all", "--tables", "--each-table"},
    RenamedOption{"evaluate twin", "--target", "--truth"},
    RenamedOption{"twin calibrate", "--target", "--truth"},
    RenamedOption{"twin population", "--n", "--networks"},
};

bool has(const CLI::App& command, const std::string& option) {
  return command.get_option_no_throw(option) != nullptr;
}

bool applies(const RenamedOption& one, const NamedCommand& named) {
  if (*one.command != '\0') return named.path == one.command;
  return has(*named.command, one.new_name) && !has(*named.command, one.old_name);
}

}  // namespace

std::span<const RenamedOption> renamed_options() {
  return renamed;
}

NamedCommand named_command(CLI::App& app, const std::vector<std::string>& words) {
  NamedCommand named{&app, ""};
  for (const std::string& word : words) {
    const auto below = named.command->get_subcommands({});
    const auto found = std::ranges::find(below, word, &CLI::App::get_name);
    if (found == below.end()) break;
    named.command = *found;
    named.path += (named.path.empty() ? "" : " ") + word;
  }
  return named;
}

void rename_options(CLI::App& app, std::vector<std::string>& words) {
  const NamedCommand named = named_command(app, words);
  for (std::string& word : words) {
    if (word == "--") return;  // what follows is another program's
    const std::string name = word.substr(0, word.find('='));
    const auto one = std::ranges::find_if(renamed, [&](const RenamedOption& each) {
      return name == each.old_name && applies(each, named);
    });
    if (one != renamed.end()) word.replace(0, name.size(), one->new_name);
  }
}

}  // namespace flyball::cli
