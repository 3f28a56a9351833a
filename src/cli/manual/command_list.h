// The commands as their help tells them, for whoever writes that down otherwise: pages,
// completions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace flyball::cli {

struct ListedOption {
  std::vector<std::string> names;    ///< {"-q", "--quiet"}; of a positional its one name
  std::string value;                 ///< as help shows it: "N=10"; empty for flags
  std::string text;                  ///< what it means
  std::vector<std::string> choices;  ///< where its value is one of few words
  bool takes_value = false;
  bool folder = false;  ///< its value is a folder
};

struct ListedCommand {
  std::string path;   ///< "flyball plan training"
  std::string text;   ///< what it does
  std::string usage;  ///< "flyball plan training [OPTIONS]"
  std::vector<ListedOption> positionals;
  std::vector<ListedOption> options;
  std::vector<std::string> commands;  ///< names of those below it
  std::string footer;                 ///< examples, and what else is to be said
};

/// Those directly below a command, in their order.
std::vector<const ListedCommand*> commands_below(const ListedCommand& command,
                                                 const std::vector<ListedCommand>& all);
/// "training" of "flyball plan training".
std::string last_word(const std::string& path);
/// "flyball plan" of "flyball plan training"; "" of the program itself.
std::string path_above(const std::string& path);

/// The app itself and every command below it, in the order of its help, each before those below it.
/// What help hides is left out.
std::vector<ListedCommand> list_commands(const CLI::App& app);

}  // namespace flyball::cli
