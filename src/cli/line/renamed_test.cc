#include "cli/line/renamed.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace flyball::cli {
namespace {

using Words = std::vector<std::string>;

class RenamedOptions : public ::testing::Test {
 protected:
  RenamedOptions() {
    CLI::App* tune = app_.add_subcommand("tune");
    tune->add_flag("--force", force_);
    tune->add_option("--duration", text_);
    tune->add_option("--profiles", text_);
    CLI::App* serve = app_.add_subcommand("serve");
    serve->add_option("--measured", text_);
    CLI::App* search = app_.add_subcommand("evaluate")->add_subcommand("search");
    search->add_option("--tables", text_);
    search->add_option("--profiles", text_);
    CLI::App* both = app_.add_subcommand("both");
    both->add_flag("--force", force_);
    both->add_flag("--anyway", force_);
  }

  Words renamed(Words words) {
    rename_options(app_, words);
    return words;
  }

  CLI::App app_{"", "flyball"};
  bool force_ = false;
  std::string text_;
};

TEST_F(RenamedOptions, HaveTheirNamesOfToday) {
  EXPECT_EQ(renamed({"tune", "lenet5", "--anyway", "--for=10min"}),
            (Words{"tune", "lenet5", "--force", "--duration=10min"}));
  EXPECT_EQ(renamed({"serve", "--profiles", "a.csv"}), (Words{"serve", "--measured", "a.csv"}));
  EXPECT_EQ(renamed({"evaluate", "search", "--data", "x", "--max-profiles", "3"}),
            (Words{"evaluate", "search", "--tables", "x", "--profiles", "3"}));
}

TEST_F(RenamedOptions, LeaveAloneWhatIsNotMeant) {
  const Words other_command = {"tune", "--profiles", "3", "--data", "x"};
  EXPECT_EQ(renamed(other_command), other_command);
  const Words program = {"tune", "--", "train", "--anyway", "--for", "3"};
  EXPECT_EQ(renamed(program), program);
  const Words has_both = {"both", "--anyway"};
  EXPECT_EQ(renamed(has_both), has_both);
  const Words longer = {"tune", "--format", "--anyways"};
  EXPECT_EQ(renamed(longer), longer);
}

TEST_F(RenamedOptions, NamesTheCommandOfALine) {
  EXPECT_EQ(named_command(app_, {"evaluate", "search", "x"}).path, "evaluate search");
  EXPECT_EQ(named_command(app_, {"--version"}).path, "");
  EXPECT_EQ(named_command(app_, {"serve", "tune"}).path, "serve");
}

// Users read the list where it says what stays.
TEST(RenamedOptionsInDocs, AreAllThere) {
  std::ifstream file(FLYBALL_SOURCE_DIR "/docs/schema/contract.json");
  std::vector<std::string> told, held;
  const nlohmann::json contract = nlohmann::json::parse(file);
  for (const auto& one : contract["renamed"])
    told.push_back(one["command"].get<std::string>() + " " + one["old"].get<std::string>() + " " +
                   one["now"].get<std::string>());
  for (const RenamedOption& one : renamed_options())
    held.push_back(std::string(one.command) + " " + one.old_name + " " + one.new_name);
  EXPECT_EQ(told, held);
}

}  // namespace
}  // namespace flyball::cli
