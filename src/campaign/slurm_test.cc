#include "campaign/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Campaign campaign() {
  Campaign made;
  made.file = "/w/c.toml";
  made.executor = CampaignExecutor::slurm;
  made.parallel = 4;
  made.slurm = {.time = "30", .warn_s = 90, .partition = "edge", .options = {"--account=lab"}};
  return made;
}

TEST(Slurm, ArraysAskForTheBoardAndAreWarned) {
  const CampaignFolder folder("/w/c.campaign");
  CampaignBoard board;
  board.name = "nano";
  board.constraint = "orin_nano";
  const CommandWords options = sbatch_options(campaign(), board, folder, 6, {"7", "8"});
  for (const char* option :
       {"--array=0-5%4", "--constraint=orin_nano", "--requeue", "--signal=B:TERM@90", "--time=30",
        "--partition=edge", "--exclusive", "--dependency=afterany:7:8", "--account=lab"})
    EXPECT_THAT(options, Contains(option));
  board.simulated = true;
  EXPECT_THAT(sbatch_options(campaign(), board, folder, 6, {}), Not(Contains("--exclusive")));
}

TEST(Slurm, ScriptRunsOneCellATaskAndPutsTheBoardBack) {
  const std::string script =
      slurm_script(campaign(), CampaignFolder("/w/c.campaign"), {"a.x", "b.y"}, "/opt/fly ball");
  EXPECT_THAT(script, HasSubstr("cells=(a.x b.y)\n"));
  EXPECT_THAT(script, HasSubstr("'/opt/fly ball' campaign cell /w/c.toml"));
  EXPECT_THAT(script, HasSubstr("mode restore"));
  EXPECT_THAT(script, HasSubstr("scontrol requeue"));
}

TEST(Slurm, TasksAreReadAsTheQueueWritesThem) {
  EXPECT_THAT(*parse_tasks("7"), ElementsAre(7));
  EXPECT_THAT(*parse_tasks("[3-5,9%2]"), ElementsAre(3, 4, 5, 9));
  for (const char* wrong : {"", "N/A", "[5-3]", "1-", "[1-999999999]", "-1"})
    EXPECT_FALSE(parse_tasks(wrong)) << wrong;
}

TEST(Slurm, WithoutAFileNothingWasSubmitted) {
  const TempFolder folder;
  EXPECT_TRUE(read_jobs(CampaignFolder(folder.path()))->arrays.empty());
}

}  // namespace
}  // namespace flyball
