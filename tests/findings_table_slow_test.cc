// The table of docs/study.md beside what the command of the same page answers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "base/text.h"
#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class FindingsTableTest : public CommandTest {
 protected:
  std::string page_ = slurp(fs::path(FLYBALL_SOURCE_DIR) / "docs/study.md");

  /// The words of the command above the table.
  std::vector<std::string> command() const {
    const size_t heading = page_.find("## All of them");
    const size_t begin = page_.find("flyball experiment", heading);
    std::vector<std::string> words =
        split(page_.substr(begin, page_.find('\n', begin) - begin), ' ');
    words.erase(words.begin());
    words.insert(words.end(), {"--json", "-q"});
    return words;
  }

  /// By id: section, claim, verdict, how many hold, the figure shown.
  std::map<std::string, std::vector<std::string>> rows() const {
    std::map<std::string, std::vector<std::string>> rows;
    for (const std::string& line : split(page_.substr(page_.find("## All of them")), '\n')) {
      if (!line.starts_with("| `")) continue;
      std::vector<std::string> cells = split(line, '|');
      for (std::string& cell : cells) cell = trim(cell);
      const std::string id = cells.at(1).substr(1, cells[1].size() - 2);
      rows[id] = {cells.begin() + 2, cells.end()};
    }
    return rows;
  }
};

/// Is `text`, such as "-72.2 %" or "× 107", the value to the digits that it has?
void expect_shown(const SortedJson& figure, const std::string& text) {
  if (!figure["text"].is_null()) {
    EXPECT_EQ(text, figure["text"].get<std::string>());
    return;
  }
  const bool times = text.starts_with("× ");  // of a change that is told in percent
  std::string number = times ? text.substr(std::string("× ").size()) : text;
  number = number.substr(0, number.find(' '));
  const size_t point = number.find('.');
  const double digit = point == std::string::npos
                           ? 1
                           : std::pow(10, -static_cast<double>(number.size() - point - 1));
  const auto shown = parse_double(number);
  ASSERT_TRUE(shown) << text;
  ASSERT_FALSE(figure["value"].is_null()) << text;
  const double value = figure["value"].get<double>();
  EXPECT_NEAR(*shown, times ? 1 + value / 100 : value, 0.51 * digit) << text;
}

TEST_F(FindingsTableTest, SaysWhatTheCommandAnswers) {
  const Finished done = run(command());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson answer = SortedJson::parse(done.out);
  const auto table = rows();
  EXPECT_THAT(table, SizeIs(answer["findings"].size()));
  for (const SortedJson& finding : answer["findings"]) {
    const std::string id = finding["id"];
    SCOPED_TRACE(id);
    ASSERT_TRUE(table.contains(id));
    const std::vector<std::string>& row = table.at(id);
    EXPECT_EQ(row[0], finding["section"].get<std::string>());
    EXPECT_EQ(row[1], finding["claim"].get<std::string>());
    const bool asked = !finding["verdict"].is_null();
    EXPECT_EQ(row[2], (asked ? finding["verdict"].get<std::string>() : "–") +
                          (finding["use"] == "held" ? ", held" : ""));
    size_t holds = 0;
    for (const SortedJson& figure : finding["ours"]) holds += figure["verdict"] == "holds";
    EXPECT_EQ(row[3], fmt::format("{} of {}", holds, finding["ours"].size()));
    if (!asked) continue;
    size_t shown = 0;
    for (const SortedJson& figure : finding["ours"]) {
      if (!row[4].starts_with(figure["name"].get<std::string>() + ": ")) continue;
      ++shown;
      expect_shown(figure, row[4].substr(row[4].rfind(", here ") + std::string(", here ").size()));
    }
    EXPECT_EQ(shown, 1u) << row[4];
  }
  EXPECT_THAT(page_, HasSubstr(fmt::format("{} of the {} hold, {} differ", answer["holds"].dump(),
                                           answer["findings"].size(), answer["differ"].dump())));
}

}  // namespace
}  // namespace flyball::testing_tools
