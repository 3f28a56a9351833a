#include "cli/line/help_formatter.h"

#include <fmt/format.h>

#include <regex>

#include "base/text.h"
#include "cli/line/groups.h"

namespace flyball::cli {
namespace {

/// What CLI11 calls the type, "UINT:INT in [1 - 10]", in two parts.
struct TypeName {
  explicit TypeName(const std::string& text)
      : type(text.substr(0, text.find(':'))),
        check(text.find(':') == std::string::npos ? "" : text.substr(text.find(':') + 1)) {}
  std::string type, check;
};

// Of "{a,b}" behind one of these beginnings.
std::vector<std::string> choices_of(const TypeName& name,
                                    std::initializer_list<std::string> beginnings = {""}) {
  for (const std::string& beginning : beginnings) {
    const size_t from = beginning.size() + 1, end = name.check.find('}');
    if (name.check.starts_with(beginning + "{") && end != std::string::npos)
      return split(name.check.substr(from, end - from), ',');
  }
  return {};
}

std::string value_words(const TypeName& name) {
  if (const auto choices = choices_of(name); !choices.empty()) return join(choices, "|");
  if (name.check == "FILE") return name.check;
  if (name.type == "INT" || name.type == "UINT") return "N";
  return name.type == "FLOAT" ? "NUMBER" : name.type;
}

/// "1 to 10" of "INT in [1 - 10]".
std::string range_words(const TypeName& name) {
  static const std::regex range(R"(in \[(\S+) - (\S+)\]$)");
  std::smatch found;
  if (std::regex_search(name.check, found, range))
    return fmt::format("{} to {}", found.str(1), found.str(2));
  return "";
}

/// "a,b" of "[a,b]".
std::string default_words(const std::string& text) {
  const bool list = text.starts_with('[') && text.ends_with(']');
  return list ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string text =
      make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
  for (const std::string& group : option_groups(*app)) {
    const auto options = app->get_options([&](const CLI::Option* option) {
      return option->get_group() == group && option->nonpositional();
    });
    if (!options.empty()) text += make_group(group, false, options);
  }
  return text + make_subcommands(app, mode) + "\n" + make_footer(app);
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  static const std::regex flag_value(R"(\{[^}]*\})");
  return std::regex_replace(CLI::Formatter::make_option_name(option, is_positional), flag_value,
                            "");
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (!option->get_option_text().empty()) return " " + option->get_option_text();
  if (option->get_type_size() == 0 || option->get_items_expected_max() == 0) return "";  // a flag
  std::string text = " " + value_words(TypeName(option->get_type_name()));
  if (!option->get_default_str().empty()) text += "=" + default_words(option->get_default_str());
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option->get_required()) text += " (required)";
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::vector<std::string> remarks;
  if (const std::string range = range_words(TypeName(option->get_type_name())); !range.empty())
    remarks.push_back(range);
  std::vector<std::string> others;
  for (const CLI::Option* other : option->get_excludes())
    if (!other->get_group().empty()) others.push_back(other->get_name());
  if (!others.empty()) remarks.push_back("not with " + join(others, ", "));
  const std::string& words = option->get_description();
  return remarks.empty() ? words : fmt::format("{} ({})", words, join(remarks, "; "));
}

std::vector<std::string> only_choices(const CLI::Option& option) {
  return choices_of(TypeName(option.get_type_name()), {"", "one of "});
}

std::vector<std::string> value_choices(const CLI::Option& option) {
  return choices_of(TypeName(option.get_type_name()), {"", "one of ", "such as "});
}

std::string without_trailing_zeros(const std::string& message) {
  const size_t range = message.rfind("not in range ");  // what the user typed stands before it
  if (range == std::string::npos) return message;
  static const std::regex zeros(R"((\d)(?:\.0+|(\.\d*[1-9])0+)(?!\d))");
  return message.substr(0, range) + std::regex_replace(message.substr(range), zeros, "$1$2");
}

}  // namespace flyball::cli
