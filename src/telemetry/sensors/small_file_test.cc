#include "telemetry/sensors/small_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(files), end(files)));
}

TEST(KeptFile, ReadsAnewWhatIsWrittenInPlace) {
  TestTree tree;
  KeptFile file(tree.put("power", "1500\n"));
  EXPECT_EQ(file.read_number().value(), 1500);
  tree.put("power", "25\n");
  EXPECT_EQ(file.read_number().value(), 25);
}

TEST(KeptFile, NoticesAFileThatWasReplacedOrVanished) {
  TestTree tree;
  const auto path = tree.put("power", "1500\n");
  KeptFile file(path);
  EXPECT_EQ(file.read_number().value(), 1500);
  std::filesystem::rename(tree.put("other", "7\n"), path);
  EXPECT_EQ(file.read_number().value(), 7);
  std::filesystem::remove(path);
  const auto gone = file.read_number();
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, Code::not_found);
  tree.put("power", "8\n");
  EXPECT_EQ(file.read_number().value(), 8);
}

// The kernel makes their text anew for each read from the beginning.
TEST(KeptFile, FilesOfTheKernelAreReadAsTheyAreNow) {
  KeptFile file("/proc/self/stat");
  std::array<char, 1024> first{}, second{};
  ASSERT_TRUE(file.read(first).ok());
  std::vector<char> touched(64 << 20, 1);
  ASSERT_TRUE(file.read(second).ok());
  EXPECT_NE(std::string(first.data()), std::string(second.data())) << touched.size();
}

TEST(KeptFile, ALongFileIsReadInAllItsPieces) {
  TestTree tree;
  const std::string text(100'000, 'x');
  KeptFile file(tree.put("long", text));
  std::vector<char> buffer(200'000), short_buffer(10);
  EXPECT_EQ(file.read(buffer).value(), text);
  EXPECT_EQ(file.read(short_buffer).value(), text.substr(0, 10));
}

TEST(KeptFile, DescriptorsAreBoundedAndGivenBack) {
  TestTree tree;
  const auto path = tree.put("power", "3\n");
  const size_t before = open_files();
  {
    std::vector<KeptFile> files;
    for (int i = 0; i < KeptFile::most_open + 50; ++i) {
      files.emplace_back(path);
      EXPECT_EQ(files.back().read_number().value(), 3);
    }
    EXPECT_GT(open_files(), before + 100);
    EXPECT_LE(open_files(), before + KeptFile::most_open);
    EXPECT_EQ(files.back().read_number().value(), 3);
  }
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace flyball
