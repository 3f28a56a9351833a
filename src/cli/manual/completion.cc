#include "cli/manual/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace flyball::cli {
namespace {

using OptionChoice = std::function<bool(const ListedOption&)>;

// The names of the options that are asked for, as words of one text.
std::string names_where(const ListedCommand& command, const OptionChoice& asked) {
  std::vector<std::string> names;
  for (const ListedOption& option : command.options)
    if (asked(option)) names.insert(names.end(), option.names.begin(), option.names.end());
  return join(names, " ");
}

std::string all_names(const ListedCommand& command) {
  return names_where(command, [](const ListedOption&) { return true; });
}

std::string valued_names(const ListedCommand& command) {
  return names_where(command, [](const ListedOption& option) { return option.takes_value; });
}

std::string folder_names(const ListedCommand& command) {
  return names_where(command, [](const ListedOption& option) { return option.folder; });
}

// "'flyball' | 'flyball plan'": patterns of a `case` that take the commands' paths but the
// program's.
std::string paths_below(const std::vector<ListedCommand>& commands) {
  std::vector<std::string> paths;
  for (const ListedCommand& command : commands)
    if (command.path.find(' ') != std::string::npos) paths.push_back(completion_word(command.path));
  return paths.empty() ? "''" : join(paths, " | ");
}

// What the argument of a command may be, where it is one of few words.
std::string argument_words(const ListedCommand& command) {
  return command.positionals.empty() ? "" : join(command.positionals.front().choices, " ");
}

// "'flyball tune --phase' | 'flyball tune -p') choices='a b'", for each option with choices.
std::string choice_cases(const std::vector<ListedCommand>& commands) {
  std::string text;
  for (const ListedCommand& command : commands)
    for (const ListedOption& option : command.options) {
      if (option.choices.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names)
        patterns.push_back(completion_word(command.path + " " + name));
      text += fmt::format("    {}) choices={} ;;\n", join(patterns, " | "),
                          completion_word(join(option.choices, " ")));
    }
  return text;
}

std::string filled(std::string text, const std::string& mark, const std::string& value) {
  const size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), value);
}

constexpr const char* bash_script =
    R"(# Completion of flyball for bash, as `flyball completion bash` prints it.
_flyball() {
  local at=flyball commands options valued folders arguments choices='' skip='' word i
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    case $at in
@COMMANDS@    esac
    ((i < COMP_CWORD)) || break
    word=${COMP_WORDS[i]}
    if [[ $word == -- ]]; then
      # A program of the user's own.
      if declare -F _command_offset >/dev/null; then
        _command_offset $((i + 1))
      else
        compopt -o default
      fi
      return
    fi
    if [[ $word == '=' ]]; then
      skip=yes
    elif [[ -n $skip ]]; then
      skip=''
    elif [[ " $valued " == *" $word "* ]]; then
      skip=yes
    else
      case "$at $word" in
        @PATHS@) at="$at $word" ;;
      esac
    fi
  done
  # --option=value comes as three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case "$at $previous" in
@CHOICES@  esac
  if [[ -n $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
  elif [[ " $folders " == *" $previous "* ]]; then
    compopt -o dirnames
  elif [[ " $valued " == *" $previous "* ]]; then
    compopt -o default
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $commands$arguments ]]; then
    COMPREPLY=($(compgen -W "$commands $arguments" -- "$current"))
  else
    compopt -o default
  fi
}
complete -F _flyball flyball
)";

constexpr const char* zsh_script = R"(#compdef flyball
# Completion of flyball for zsh, as `flyball completion zsh` prints it.
_flyball() {
  local at=flyball choices='' skip='' valued folders arguments word previous=${words[CURRENT-1]} i
  local -a below flags  # commands and options are zsh's own
  for ((i = 2; i <= CURRENT; i++)); do
    case $at in
@COMMANDS@    esac
    ((i < CURRENT)) || break
    word=${words[i]}
    if [[ $word == -- ]]; then
      # A program of the user's own.
      shift $i words
      ((CURRENT -= i))
      _normal
      return
    fi
    if [[ -n $skip ]]; then
      skip=''
    elif [[ " $valued " == *" $word "* ]]; then
      skip=yes
    else
      case "$at $word" in
        @PATHS@) at="$at $word" ;;
      esac
    fi
  done
  if [[ $PREFIX == --*=* ]]; then
    previous=${PREFIX%%=*}
    compset -P '*='
  fi
  case "$at $previous" in
@CHOICES@  esac
  if [[ -n $choices ]]; then
    compadd -- ${=choices}
  elif [[ " $folders " == *" $previous "* ]]; then
    _files -/
  elif [[ " $valued " == *" $previous "* ]]; then
    _files
  elif [[ $PREFIX == -* ]]; then
    _describe -o option flags
  elif [[ -n $arguments ]]; then
    compadd -- ${=arguments}
  elif (($#below)); then
    _describe command below
  else
    _files
  fi
}
if [[ $funcstack[1] == _flyball ]]; then
  _flyball "$@"
else
  compdef _flyball flyball
fi
)";

constexpr const char* fish_script =
    R"(# Completion of flyball for fish, as `flyball completion fish` prints it.
set -g __flyball_paths @PATHS@
# Is the command that was typed so far this one?
function __flyball_at
    set -l at flyball
    for word in (commandline -opc)[2..-1]
        if test "$word" = --
            return 1
        end
        if contains -- "$at $word" $__flyball_paths
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
@LINES@)";

// "name:what it does", as zsh's _describe takes it.
std::string described(const std::string& name, const std::string& text) {
  std::string escaped;
  for (char c : name) escaped += c == ':' ? "\\:" : std::string(1, c);
  return completion_word(escaped + ":" + text);
}

std::string fish_line(const ListedCommand& command, const std::string& rest,
                      const std::string& text) {
  return fmt::format("complete -c flyball -n {} {} -d {}\n",
                     completion_word("__flyball_at " + completion_word(command.path)), rest,
                     completion_word(text));
}

std::string fish_option(const ListedCommand& command, const ListedOption& option) {
  std::vector<std::string> words;
  for (const std::string& name : option.names)
    words.push_back(name.starts_with("--") ? "-l " + name.substr(2) : "-s " + name.substr(1));
  if (!option.choices.empty())
    words.push_back("-x -a " + completion_word(join(option.choices, " ")));
  else if (option.folder)
    words.push_back("-x -a '(__fish_complete_directories)'");
  else if (option.takes_value)
    words.push_back("-r -F");
  return fish_line(command, join(words, " "), option.text);
}

}  // namespace

std::string completion_word(const std::string& text) {
  std::string word = "'";
  for (char c : text) {
    // A quote ends the word, and a backslash, which fish alone reads within quotes, stands outside.
    if (c == '\'' || c == '\\')
      word += std::string("'\\") + c + "'";
    else
      word += c == '\n' ? ' ' : c;
  }
  return word + "'";
}

std::string bash_completion(const std::vector<ListedCommand>& commands) {
  std::string cases;
  for (const ListedCommand& command : commands)
    cases += fmt::format(
        "      {}) commands={} options={} valued={} folders={} arguments={} ;;\n",
        completion_word(command.path), completion_word(join(command.commands, " ")),
        completion_word(all_names(command)), completion_word(valued_names(command)),
        completion_word(folder_names(command)), completion_word(argument_words(command)));
  std::string script = filled(bash_script, "@COMMANDS@", cases);
  script = filled(script, "@PATHS@", paths_below(commands));
  return filled(script, "@CHOICES@", choice_cases(commands));
}

std::string zsh_completion(const std::vector<ListedCommand>& commands) {
  std::string cases;
  for (const ListedCommand& command : commands) {
    cases += fmt::format("      {})\n        below=(", completion_word(command.path));
    for (const ListedCommand* one : commands_below(command, commands))
      cases += "\n          " + described(last_word(one->path), one->text);
    cases += ")\n        flags=(";
    for (const ListedOption& option : command.options)
      for (const std::string& name : option.names)
        cases += "\n          " + described(name, option.text);
    cases += fmt::format(
        ")\n        valued={} folders={} arguments={} ;;\n", completion_word(valued_names(command)),
        completion_word(folder_names(command)), completion_word(argument_words(command)));
  }
  std::string script = filled(zsh_script, "@COMMANDS@", cases);
  script = filled(script, "@PATHS@", paths_below(commands));
  return filled(script, "@CHOICES@", choice_cases(commands));
}

std::string fish_completion(const std::vector<ListedCommand>& commands) {
  std::string lines;
  std::vector<std::string> paths;
  for (const ListedCommand& command : commands) {
    paths.push_back(completion_word(command.path));
    for (const ListedCommand* one : commands_below(command, commands))
      lines += fish_line(command, "-f -a " + completion_word(last_word(one->path)), one->text);
    if (const std::string words = argument_words(command); !words.empty())
      lines +=
          fish_line(command, "-f -a " + completion_word(words), command.positionals.front().text);
    for (const ListedOption& option : command.options) lines += fish_option(command, option);
  }
  std::string script = filled(fish_script, "@PATHS@", join(paths, " "));
  return filled(script, "@LINES@", lines);
}

}  // namespace flyball::cli
