// What is shown to others holds no secret: reports are sent around, and `doctor --json` is pasted.
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SecretsTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    const fs::path home = folder_ / home_of;
    fs::create_directories(home);
    environment_["HOME"] = home.string();
    environment_["FLYBALL_TOKEN"] = token;
    environment_["AWS_SECRET_ACCESS_KEY"] = other;
  }
  void expect_clean(const std::string& text, const std::string& what) {
    EXPECT_FALSE(text.empty()) << what;
    for (const char* secret : {token, other, home_of})
      EXPECT_THAT(text, Not(HasSubstr(secret))) << what;
  }

  static constexpr const char* token = "token-1f9c2b7e";
  static constexpr const char* other = "key-77d0a41c";
  static constexpr const char* home_of = "home-of-somebody";
};

TEST_F(SecretsTest, DoctorShowsNone) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"doctor", "--json"}, {"doctor"}, {"mode", "show", "--json"}})
    expect_clean(run(words).out, words[0]);
}

TEST_F(SecretsTest, ReportsOfTablesAndSimulatedBoardsHoldNone) {
  const std::string page = (folder_ / "page.html").string();
  const std::string table = small_table().string();
  const std::vector<std::vector<std::string>> commands = {
      {"tune", "net", "--device", "table:" + table, "--power-budget", "15W"},
      {"tune", "resnet18", "--device", "twin:orin_agx", "--power-budget", "30W"},
      {"plan", "training", "--train", table, "--power-budget", "15W"},
      {"profile", "resnet18", "--device", "twin:orin_agx", "--epochs", "1"},
      {"serve", "--infer", small_table("infer").string(), "--latency", "1s", "--arrivals",
       "poisson:3", "--duration", "10s"}};
  for (std::vector<std::string> words : commands) {
    words.insert(words.end(), {"--report", page});
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << words[0] << done.err;
    expect_clean(slurp(page), words[0] + " --report");
    expect_clean(done.out, words[0]);
  }
  const Finished program = run({"profile", "--report", page, "--", "true"});
  EXPECT_EQ(program.exit_code, 0) << program.err;
  expect_clean(slurp(page), "profile --report -- PROGRAM");
  expect_clean(run({"runs", "list", "--json"}).out, "runs list");
}

}  // namespace
}  // namespace flyball::testing_tools
