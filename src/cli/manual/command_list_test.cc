#include "cli/manual/command_list.h"

#include <gmock/gmock.h>

#include "cli/manual/manual_testing.h"

namespace flyball::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> paths_of(const std::vector<ListedCommand>& commands) {
  std::vector<std::string> paths;
  for (const ListedCommand& command : commands) paths.push_back(command.path);
  return paths;
}

TEST(CommandList, HasEveryCommandBeforeThoseBelowItAndNoneThatIsHidden) {
  const TestedProgram program;
  const auto commands = list_commands(program.app);
  EXPECT_THAT(paths_of(commands),
              ElementsAre("flyball", "flyball tune", "flyball plan", "flyball plan training"));
  EXPECT_THAT(commands[0].commands, ElementsAre("tune", "plan"));
  EXPECT_THAT(commands[2].commands, ElementsAre("training"));
}

TEST(CommandList, OptionsHaveTheirNamesAndWhatTheyTake) {
  const TestedProgram program;
  const ListedCommand tune = list_commands(program.app).at(1);
  ASSERT_EQ(tune.positionals.size(), 1U);
  EXPECT_THAT(tune.positionals[0].names, ElementsAre("workload"));
  ASSERT_EQ(tune.options.size(), 6U);  // all but --old
  EXPECT_THAT(tune.options[0].names, ElementsAre("-h", "--help"));
  EXPECT_FALSE(tune.options[0].takes_value);
  EXPECT_THAT(tune.options[1].names, ElementsAre("--workload"));
  EXPECT_TRUE(tune.options[1].takes_value);
  EXPECT_THAT(tune.options[2].names, ElementsAre("-p", "--phase"));
  EXPECT_THAT(tune.options[2].choices, ElementsAre("train", "infer"));
  EXPECT_EQ(tune.options[2].value, "train|infer");
  EXPECT_THAT(tune.options[3].choices, IsEmpty());
  EXPECT_TRUE(tune.options[4].folder);
  EXPECT_FALSE(tune.options[5].takes_value);
  EXPECT_EQ(tune.usage, "flyball tune [OPTIONS] [workload]");
}

}  // namespace
}  // namespace flyball::cli
