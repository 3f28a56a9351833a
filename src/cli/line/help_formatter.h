// What `--help` shows of options, in words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace flyball::cli {

/// N, NUMBER, TEXT, FILE or the words that may be chosen from; ranges, and what else may not be
/// given beside an option, stand behind its description. Options stand under headings
/// (cli/line/groups.h).
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

/// The words that its value is chosen from (takes_one_of()); none where any other value is taken.
std::vector<std::string> only_choices(const CLI::Option& option);
/// The words that completion offers: those, or some of the values that it may have (offers()).
std::vector<std::string> value_choices(const CLI::Option& option);

/// "not in range 50 to 99.99" of CLI11's "not in range 50.000000 to 99.990000".
std::string without_trailing_zeros(const std::string& message);

}  // namespace flyball::cli
