// `flyball experiment benchmark` as a user types it, on simulated boards: results, rules, ranks.
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class BenchmarkTest : public CommandTest {
 protected:
  std::string simulated(const std::string& board) {
    const std::string file = (folder_ / (board + ".json")).string();
    const Finished done = run(
        {"experiment", "benchmark", "run", "--device", "twin:" + board, "--result", file, "-q"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("(simulated)"));
    return file;
  }
};

TEST_F(BenchmarkTest, SimulatedBoardsStandBesideEachOtherWithoutARank) {
  const std::string agx = simulated("orin_agx"), nano = simulated("orin_nano");
  const Finished done = run({"experiment", "benchmark", "table", nano, agx, "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto table = done.json();
  EXPECT_TRUE(table["overall"].empty());
  for (const auto& entry : table["entries"]) {
    ASSERT_EQ(entry["rows"].size(), 2U);
    EXPECT_EQ(entry["rows"][0]["board"], "orin_agx") << entry["id"];  // the faster one
    EXPECT_TRUE(entry["rows"][0]["rank"].is_null());
    EXPECT_GT(entry["rows"][1]["ratio"], 1);
  }
  const Finished checked = run({"experiment", "benchmark", "check", agx});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_THAT(checked.out, HasSubstr("it was simulated"));
}

// Whoever waits for an answer, a campaign say, is told that there is none yet.
TEST_F(BenchmarkTest, ATrainingThatFailsIsNoAnswer) {
  environment_["XDG_CACHE_HOME"] = write("file", "").string();  // where its data cannot be drawn
  const std::string file = (folder_ / "result.json").string();
  const Finished failed = run({"experiment", "benchmark", "run", "--only", "lenet5", "--result",
                               file, "--json", "--force", "-q"});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.err, HasSubstr("1 of 1 entries could not be trained: lenet5 ("));
  EXPECT_THAT(failed.err, HasSubstr("HINT: the same command trains them again"));
  EXPECT_FALSE(failed.json()["entries"][0]["failure"].is_null());
}

TEST_F(BenchmarkTest, BadInputIsNamed) {
  const Finished entry = run({"experiment", "benchmark", "run", "--only", "lenet6"});
  EXPECT_EQ(entry.exit_code, 2);
  EXPECT_THAT(entry.err, HasSubstr("no entry 'lenet6'"));
  EXPECT_THAT(entry.err, HasSubstr("did you mean 'lenet5'?"));
  const Finished none = run({"experiment", "benchmark", "check", (folder_ / "none.json").string()});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("none.json"));
  const std::string other = write("other.json", "{}").string();
  EXPECT_EQ(run({"experiment", "benchmark", "check", other}).exit_code, 2);
  EXPECT_EQ(run({"experiment", "benchmark", "table", other}).exit_code, 2);
  const Finished lost =
      run({"experiment", "benchmark", "run", "--only", "lenet5", "--result", other, "--force"});
  EXPECT_EQ(lost.exit_code, built_with_torch ? 2 : lost.exit_code);
  if (built_with_torch) {
    EXPECT_THAT(lost.err, HasSubstr("name another file with --result"));
  }
}

}  // namespace
}  // namespace flyball::testing_tools
