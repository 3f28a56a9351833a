#include "base/os/as_root.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

TEST(AsRoot, NamesAProgramOfAPackageAlone) {
  EXPECT_EQ(as_root("helper install", "/usr/bin/flyball", "/usr/bin:/bin"),
            "sudo flyball helper install");
  EXPECT_EQ(as_root("helper install", "", ""), "sudo flyball helper install");
}

// Neither is found by root: the first because only this user's PATH has it.
TEST(AsRoot, SaysWhereRootFindsABuildFromSource) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder.ok());
  const std::string program = (folder->path() / "flyball").string();
  ASSERT_TRUE(write_file(program, "").ok());
  const std::string path = "/nowhere:" + folder->path().string();
  EXPECT_EQ(as_root("verify-board", program, path), "sudo \"$(command -v flyball)\" verify-board");
  EXPECT_EQ(as_root("verify-board", program, "/usr/bin"), "sudo " + program + " verify-board");
  EXPECT_EQ(as_root("verify-board", "/a b/flyball", path), "sudo '/a b/flyball' verify-board");
}

TEST(AsRoot, ElsewhereTheShellLooks) {
  EXPECT_EQ(as_root_elsewhere("mode restore"), "sudo \"$(command -v flyball)\" mode restore");
}

}  // namespace
}  // namespace flyball
