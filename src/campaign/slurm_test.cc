#include "campaign/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

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
       {"--array=0-5%1", "--constraint=orin_nano", "--requeue", "--signal=B:USR1@90", "--time=30",
        "--partition=edge", "--exclusive", "--dependency=afterany:7:8", "--account=lab"})
    EXPECT_THAT(options, Contains(option));
  EXPECT_THAT(options, Not(Contains(StartsWith("--nodelist"))));
  board.node = "n7";
  EXPECT_THAT(sbatch_options(campaign(), board, folder, 6, {}), Contains("--nodelist=n7"));
  board.simulated = true;
  EXPECT_THAT(sbatch_options(campaign(), board, folder, 6, {}), Not(Contains("--exclusive")));
}

// Each array has a limit of its own in Slurm; the campaign's is of all.
TEST(Slurm, SimulatedBoardsShareOutHowManyCellsRunAtOnce) {
  const CampaignFolder folder("/w/c.campaign");
  Campaign of = campaign();
  of.boards.resize(2);
  for (CampaignBoard& board : of.boards) board.simulated = true;
  EXPECT_THAT(sbatch_options(of, of.boards[0], folder, 6, {}), Contains("--array=0-5%2"));
  of.boards.resize(9, of.boards[0]);
  EXPECT_THAT(sbatch_options(of, of.boards[0], folder, 6, {}), Contains("--array=0-5%1"));
}

TEST(Slurm, NodesOfAFeatureAreKnown) {
  const std::string listed =
      "n1|all*|edge,orin\nn2|all*|edge\nn3|all*|(null)\nn3|other|edge\nn1|other|edge,orin\n";
  EXPECT_THAT(*nodes_for("edge", "", listed), ElementsAre("n1", "n2"));
  EXPECT_THAT(*nodes_for("orin", "", listed), ElementsAre("n1"));
  EXPECT_THAT(*nodes_for("edge", "other", listed), ElementsAre("n1", "n3"));
  EXPECT_THAT(*nodes_for("", "", listed), ElementsAre("n1", "n2", "n3"));
  EXPECT_FALSE(nodes_for("edge&orin", "", listed));
}

TEST(Slurm, ScriptRunsOneCellATaskAndPutsTheBoardBack) {
  Campaign of = campaign();
  of.cool_down_s = 45;
  CampaignBoard board;
  const CampaignFolder folder("/w/50 %.campaign");
  const std::string script = slurm_script(of, folder, board, {"a.x", "b.y"}, "/opt/fly ball");
  EXPECT_THAT(script, HasSubstr("cells=(a.x b.y)\n"));
  EXPECT_THAT(script, HasSubstr("'/opt/fly ball' campaign cell /w/c.toml"));
  EXPECT_THAT(script, HasSubstr("log='/w/50 %.campaign'/cells/$name/log.txt\n"));
  EXPECT_THAT(script, HasSubstr("mode restore"));
  EXPECT_THAT(script, HasSubstr("scontrol requeue"));
  EXPECT_THAT(script, HasSubstr("[ ! -e '/w/50 %.campaign/cancelled' ]"));
  EXPECT_THAT(script, HasSubstr("sleep 45 &"));
  EXPECT_THAT(sbatch_options(of, board, folder, 2, {}),
              Contains("--output=/w/50 %%.campaign/slurm/%A_%a.txt"));
  board.simulated = true;
  // What a user set on this machine is none of a simulated board's.
  EXPECT_THAT(slurm_script(of, folder, board, {"a.x"}, "/flyball"),
              Not(AnyOf(HasSubstr("mode restore"), HasSubstr("sleep"))));
}

// By SIGUSR1, before the time limit, the task is queued again; by SIGTERM, of who takes it out of
// the queue, it is not.
TEST(Slurm, OnlyWhatTheTimeLimitEndsIsQueuedAgain) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path();
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(path / name) << text;
    std::filesystem::permissions(path / name, std::filesystem::perms::owner_all);
  };
  write("flyball", "#!/bin/sh\n[ \"$1\" = campaign ] || exit 0\necho $$ >cell\nexec sleep 20\n");
  write("scontrol", "#!/bin/sh\necho \"$@\" >>requeued\n");
  CampaignBoard board;
  board.simulated = true;
  const CampaignFolder in(path / "c.campaign");
  std::filesystem::create_directories(in.path());
  write("array.sh", slurm_script(campaign(), in, board, {"a.x"}, path / "flyball"));
  const auto requeued_after = [&](const std::string& signal) {
    std::filesystem::remove(path / "requeued");
    std::filesystem::remove(path / "cell");
    const std::string line =
        "cd " + path.string() +
        " && export PATH=$PWD:$PATH SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=0; ./array.sh & p=$!; "
        "while [ ! -s cell ]; do sleep 0.02; done; kill -" +
        signal + " $p; wait $p";
    EXPECT_NE(std::system(line.c_str()), 0);
    return std::filesystem::exists(path / "requeued");
  };
  EXPECT_TRUE(requeued_after("USR1"));
  EXPECT_FALSE(requeued_after("TERM"));
  ASSERT_TRUE(mark_cancelled(in).ok());
  EXPECT_FALSE(requeued_after("USR1"));
}

TEST(Slurm, TasksAreReadAsTheQueueWritesThem) {
  EXPECT_THAT(*parse_tasks("7"), ElementsAre(7));
  EXPECT_THAT(*parse_tasks("[3-5,9%2]"), ElementsAre(3, 4, 5, 9));
  for (const char* wrong : {"", "N/A", "[5-3]", "1-", "[1-999999999]", "-1"})
    EXPECT_FALSE(parse_tasks(wrong)) << wrong;
}

// Stand-ins for Slurm's programs: a submitter that was killed before its last job is followed by
// one that submits it, and only it.
TEST(Slurm, AJobThatCollectsFollowsWhatIsQueued) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path();
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(path / name) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(path / name, std::filesystem::perms::owner_all);
  };
  write("sbatch",
        "n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n >n; echo \"$@\" >>asked; "
        "echo \"$n|0|PENDING|None\" >>queue; echo $n\n");
  write("squeue", "case \"$*\" in *%K*) cat queue;; *) cut -d'|' -f1 queue;; esac\n");
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (path.string() + ":" + before).c_str(), 1);
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(path);
  Campaign of = *parse_campaign(
      "[[boards]]\nname = \"a\"\ndevice = \"twin:orin_nano\"\n[[questions]]\nname = \"tune\"\n",
      path / "c.toml");
  const auto cells = *cells_of(of);
  const CampaignFolder in(path / "c.campaign");
  std::ofstream(path / "queue").flush();
  const auto asked = [&] {
    std::ifstream file(path / "asked");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  SlurmRun run{.program = "/flyball", .collect = {}};
  ASSERT_TRUE(submit(of, cells, in, run).ok());  // as far as the one who was killed came
  EXPECT_EQ(asked(), 1);
  run.collect = {"campaign", "collect"};
  const auto second = submit(of, cells, in, run);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->collect, "2");
  EXPECT_EQ(asked(), 2);
  ASSERT_TRUE(submit(of, cells, in, run).ok());
  EXPECT_EQ(asked(), 2);
  std::ofstream(path / "queue") << "1|0|PENDING|None\n";  // the job that collects was taken out
  EXPECT_EQ(submit(of, cells, in, run)->collect, "3");
  std::filesystem::current_path(here);
  ::setenv("PATH", before.c_str(), 1);
}

TEST(Slurm, WithoutAFileNothingWasSubmitted) {
  const TempFolder folder;
  EXPECT_TRUE(read_jobs(CampaignFolder(folder.path()))->arrays.empty());
}

}  // namespace
}  // namespace flyball
