#include "base/folder_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

TEST(FolderEntries, AreThoseOfThePrefixByName) {
  const TempFolder folder;
  for (const char* name : {"cpu1", "cpu0", "cpufreq", "present"})
    ASSERT_TRUE(write_file(folder / name, "").ok());
  EXPECT_THAT(folder_entries(folder.path(), "cpu"),
              testing::ElementsAre(folder / "cpu0", folder / "cpu1", folder / "cpufreq"));
  EXPECT_EQ(folder_entries(folder.path()).size(), 4u);
  EXPECT_TRUE(folder_entries(folder / "missing").empty());
}

}  // namespace
}  // namespace flyball
