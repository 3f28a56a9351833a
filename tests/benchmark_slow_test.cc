// `flyball experiment benchmark run` trains an entry here until it is good enough.
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class BenchmarkSlowTest : public CommandTest {};

TEST_F(BenchmarkSlowTest, TrainsUntilTheTargetAndGoesOnWithWhatIsMissing) {
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  environment_["XDG_CACHE_HOME"] = (folder_ / "cache").string();
  const std::string file = (folder_ / "result.json").string();
  const std::vector<std::string> command = {"experiment", "benchmark", "run",     "--only",
                                            "lstm",       "--result",  file,      "--sign-off",
                                            "A. Person",  "--json",    "--force", "-q"};
  const Finished done = run(command);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto entry = done.json()["entries"][0];
  const int needed = entry["epochs_to_target"];
  EXPECT_LE(entry["epochs"][needed - 1]["quality"], entry["entry"]["target"]);
  EXPECT_TRUE(needed < 2 || entry["epochs"][needed - 2]["quality"] > entry["entry"]["target"]);
  const Finished checked = run({"experiment", "benchmark", "check", file, "--json"});
  for (const auto& rule : SortedJson(checked.json()["rules"])) {
    if (rule["rule"] == "alone" || rule["rule"] == "power") continue;  // of a machine that tests
    EXPECT_NE(rule["holds"], false) << rule;
  }
  const Finished again = run(command);  // nothing is trained anew
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.json()["entries"], done.json()["entries"]);
  const Finished ranked = run({"experiment", "benchmark", "table", file});
  EXPECT_THAT(ranked.out, HasSubstr("1.  host"));
}

}  // namespace
}  // namespace flyball::testing_tools
