#include "cli/line/application.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>

#include "base/text.h"
#include "cli/manual/command_list.h"

namespace flyball::cli {
namespace {

class WholeHelp : public ::testing::Test {
 protected:
  WholeHelp() { add_commands(app_, context_); }

  CLI::App app_{"Finds things.", "flyball"};
  Context context_;
};

// "" where a text has the one form that help is written in.
std::string fault_of(const std::string& text) {
  static const std::vector<std::string> fragments = {"Of ", "That ", "To ", "Likewise", "Between "};
  if (text.empty()) return "says nothing";
  if (std::islower(static_cast<unsigned char>(text.front()))) return "begins with a small letter";
  if (text.ends_with(".") || text.ends_with(";") || text.ends_with(",")) return "ends with a stop";
  for (const std::string& fragment : fragments)
    if (text.starts_with(fragment)) return "is the end of a sentence";
  if (text.find("; else ") != std::string::npos || text.find(", else what") != std::string::npos)
    return "names its default as \"else\": it is \"default:\"";
  return "";
}

TEST_F(WholeHelp, HasOneForm) {
  size_t texts = 0;
  const auto expect_form = [&](const std::string& what, const std::string& text) {
    ++texts;
    EXPECT_EQ(fault_of(text), "") << what << ": " << text;
  };
  for (const ListedCommand& command : list_commands(app_)) {
    if (command.path != "flyball") expect_form(command.path, command.text);
    for (const ListedOption& option : command.positionals)
      expect_form(command.path + " " + option.names.front(), option.text);
    for (const ListedOption& option : command.options)
      expect_form(command.path + " " + option.names.back(), option.text);
  }
  EXPECT_GT(texts, 500u);  // all of them
}

TEST_F(WholeHelp, TellsADefaultOnce) {
  for (const ListedCommand& command : list_commands(app_))
    for (const ListedOption& option : command.options) {
      const bool shown = option.value.find('=') != std::string::npos;
      EXPECT_FALSE(shown && option.text.find("; default: ") != std::string::npos)
          << command.path << " " << option.names.back() << ": " << option.text;
    }
}

// Where a description lists the words, completion has them, too.
TEST_F(WholeHelp, OffersTheWordsThatAnOptionTakes) {
  std::map<std::string, std::vector<std::string>> choices;
  for (const ListedCommand& command : list_commands(app_))
    for (const ListedOption& option : command.options)
      choices[command.path + " " + option.names.back()] = option.choices;
  for (const char* option :
       {"flyball tune --objective", "flyball tune --phase", "flyball tune --strategy",
        "flyball tune --predictor", "flyball tune --optimizer", "flyball tune --precision",
        "flyball tune --accept", "flyball tune --modes", "flyball tune --device",
        "flyball plan concurrent --objective", "flyball plan concurrent --prefer",
        "flyball plan training --export", "flyball serve --overload", "flyball describe --rules",
        "flyball evaluate search --problem", "flyball predict --prior"})
    EXPECT_FALSE(choices[option].empty()) << option;
}

}  // namespace
}  // namespace flyball::cli
