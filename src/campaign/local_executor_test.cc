// Cells as processes, by a program that says when it begins and ends.
#include "campaign/local_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/text.h"

namespace flyball {
namespace {

class LocalExecutorTest : public testing::Test {
 protected:
  /// What the program said of two cells that may run at a time: "begin", "end", … Each waits a
  /// second for the other one.
  std::vector<std::string> said(const std::string& text) {
    const std::filesystem::path program = folder_ / "program", log = folder_ / "said";
    EXPECT_TRUE(write_file(log, "").ok());
    EXPECT_TRUE(
        write_file(program, "#!/bin/sh\nlog='" + log.string() +
                                "'\necho begin >>$log\nfor i in 1 2 3 4 5 6 7 8 9 10; do\n"
                                "[ $(grep -c begin $log) -gt 1 ] && break\nsleep 0.1\ndone\n"
                                "sleep 0.1\necho end >>$log\n")
            .ok());
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const Campaign campaign =
        parse_campaign("parallel = 2\n" + text + "[[questions]]\nname = \"tune\"\n",
                       folder_ / "c.toml")
            .value();
    const auto cells = cells_of(campaign).value();
    const auto done =
        run_locally(campaign, cells, CampaignFolder(folder_ / "c.campaign"), {.program = program});
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
    return split(std::string(trim(read_file(log, 4096).value())), '\n');
  }

  const TempFolder folder_;
};

TEST_F(LocalExecutorTest, MeasuresOneBoardOfAMachineAtATime) {
  using testing::ElementsAre;
  const std::string both = "[[boards]]\nname = \"cpu\"\ndevice = \"host\"\n";
  const auto one_by_one = ElementsAre("begin", "end", "begin", "end");
  const auto together = ElementsAre("begin", "begin", "end", "end");
  EXPECT_THAT(said(both + "[[boards]]\nname = \"gpu\"\ndevice = \"cuda:0\"\n"), one_by_one);
  const auto by_ssh = [&](const std::string& a, const std::string& b) {
    return said("executor = \"ssh\"\n[[boards]]\nname = \"a\"\nhost = \"" + a +
                "\"\n[[boards]]\nname = \"b\"\nhost = \"" + b + "\"\n");
  };
  EXPECT_THAT(by_ssh("me@one", "one"), one_by_one);
  EXPECT_THAT(by_ssh("one", "two"), together);
  EXPECT_THAT(said("[[boards]]\nname = \"a\"\ncount = 2\ndevice = \"twin:orin_nano@{n}\"\n"),
              together);
}

}  // namespace
}  // namespace flyball
