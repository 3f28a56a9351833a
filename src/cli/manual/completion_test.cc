#include "cli/manual/completion.h"

#include <gmock/gmock.h>

#include "cli/manual/manual_testing.h"

namespace flyball::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<ListedCommand> tested_commands() {
  const TestedProgram program;
  return list_commands(program.app);
}

TEST(Completion, BashKnowsCommandsOptionsAndChoices) {
  const std::string script = bash_completion(tested_commands());
  EXPECT_THAT(script, HasSubstr("'flyball') commands='tune plan' options='-h --help' valued='' "));
  EXPECT_THAT(script,
              HasSubstr("options='-h --help --workload -p --phase --device --out -q --quiet' "
                        "valued='--workload -p --phase --device --out' folders='--out'"));
  EXPECT_THAT(script, HasSubstr("'flyball tune' | 'flyball plan' | 'flyball plan training') at="));
  EXPECT_THAT(script,
              HasSubstr("'flyball tune -p' | 'flyball tune --phase') choices='train infer' ;;"));
  EXPECT_THAT(script, Not(HasSubstr("secret")));
  EXPECT_THAT(script, Not(HasSubstr("@COMMANDS@")));
}

TEST(Completion, ZshSaysWhatEachOptionMeans) {
  const std::string script = zsh_completion(tested_commands());
  EXPECT_THAT(script, HasSubstr("'--device:the user'\\''s board'\\''s '\\\\' name'\n"));
  EXPECT_THAT(script, HasSubstr("'plan:advice')"));
  EXPECT_THAT(script, Not(HasSubstr("secret")));
}

TEST(Completion, FishHasALineForEachOption) {
  const std::string script = fish_completion(tested_commands());
  EXPECT_THAT(script, HasSubstr("complete -c flyball -n '__flyball_at '\\''flyball tune'\\''' "
                                "-s p -l phase -x -a 'train infer' -d 'which one'\n"));
  EXPECT_THAT(script, HasSubstr("-s q -l quiet -d 'no progress'\n"));
  EXPECT_THAT(script, Not(HasSubstr("--old")));
}

}  // namespace
}  // namespace flyball::cli
