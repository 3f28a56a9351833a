#include "base/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

size_t entries(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(Files, GoInAndOutWhole) {
  const TempFolder folder;
  const std::string content = std::string(200000, 'x') + '\0' + "end";
  ASSERT_TRUE(write_file(folder / "a/b/c.bin", content).ok());
  EXPECT_EQ(read_file(folder / "a/b/c.bin").value(), content);
  ASSERT_TRUE(write_file(folder / "a/b/c.bin", "short").ok());
  EXPECT_EQ(read_file(folder / "a/b/c.bin").value(), "short");
  EXPECT_EQ(entries(folder / "a/b"), 1u) << "no temporary file is left";
}

TEST(Files, AreNotReadBeyondTheLimit) {
  const TempFolder folder;
  ASSERT_TRUE(write_file(folder / "f", std::string(100, 'x')).ok());
  EXPECT_TRUE(read_file(folder / "f", 100).ok());
  const auto big = read_file(folder / "f", 99);
  ASSERT_FALSE(big.ok());
  EXPECT_EQ(big.error().code, Code::corrupt);
}

TEST(Files, FailuresNameTheFile) {
  const TempFolder folder;
  const auto missing = read_file(folder / "none");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr((folder / "none").string()));
  ASSERT_TRUE(write_file(folder / "file", "x").ok());
  EXPECT_FALSE(write_file(folder / "file/below", "x").ok());
  EXPECT_EQ(read_file(folder / "file").value(), "x");
  EXPECT_FALSE(read_file(folder.path()).ok()) << "a folder is not a file";
}

TEST(Files, AFailedWriteLeavesTheOldFile) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "taken");
  ASSERT_TRUE(write_file(folder / "taken/inside", "x").ok());
  EXPECT_FALSE(write_file(folder / "taken", "y").ok());
  EXPECT_EQ(read_file(folder / "taken/inside").value(), "x");
  EXPECT_EQ(entries(folder.path()), 1u) << "the temporary file is gone";
}

TEST(Files, ErrorsKnowTheirKind) {
  EXPECT_EQ(file_error("read", "f", EACCES).code, Code::permission);
  EXPECT_EQ(file_error("read", "f", EROFS).code, Code::permission);
  EXPECT_EQ(file_error("read", "f", ENOENT).code, Code::not_found);
  EXPECT_EQ(file_error("write", "f", ENOSPC).code, Code::io);
  EXPECT_THAT(file_error("write", "f", ENOSPC).hint, HasSubstr("disk space"));
  EXPECT_EQ(file_error("write", "f", EIO).code, Code::io);
}

TEST(TempFolder, IsGoneAfterwards) {
  std::filesystem::path path;
  {
    const TempFolder folder;
    path = folder.path();
    ASSERT_TRUE(write_file(folder / "a/b", "x").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(TempFolder("/nonexistent").path().empty());
}

}  // namespace
}  // namespace flyball
