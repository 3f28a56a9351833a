#include "base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/os/privileges_testing.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

size_t entries(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(Files, OutputGoesIntoAnEmptyFileAndThroughNoLink) {
  const TempFolder folder;
  const auto file = folder.path() / "out", link = folder.path() / "link";
  ASSERT_TRUE(write_file(file, "before").ok());
  std::filesystem::create_symlink(file, link);
  EXPECT_FALSE(open_output(link).ok());
  EXPECT_EQ(*read_file(file), "before");
  ASSERT_TRUE(open_output(file).ok());
  EXPECT_EQ(*read_file(file), "");
  EXPECT_EQ(open_output(folder.path() / "none/out").error().code, Code::not_found);
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

TEST(Files, EveryCommonFailureHasARemedy) {
  for (const int reason : {EISDIR, ENOTDIR, EACCES, ENOSPC, EROFS, ENOENT, ELOOP})
    EXPECT_NE(file_error("write", "f", reason).hint, "") << reason;
  const TempFolder folder;
  EXPECT_THAT(read_file(folder.path()).error().hint, HasSubstr("folder"));
  EXPECT_THAT(write_file(folder.path(), "x").error().hint, HasSubstr("folder"));
  ASSERT_TRUE(write_file(folder / "file", "x").ok());
  EXPECT_NE(write_file(folder / "file/below/deep", "x").error().hint, "");
}

TEST(Files, AFolderThatCannotBeMadeIsTheReason) {
  const auto status = write_file("/proc/no/such/file", "x");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("cannot create the folder /proc/no"));
}

TEST(Files, AFolderThatMayNotBeWrittenToIsTheReason) {
  const TempFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const WithoutPrivileges user;
  if (!user.effective()) GTEST_SKIP() << "cannot drop privileges";
  const auto refused = write_file(folder / "a/b", "x");
  EXPECT_EQ(refused.error().code, Code::permission);
  EXPECT_THAT(refused.error().message, HasSubstr("Permission denied"));
}

TEST(Files, ALinkStaysAndItsTargetIsWritten) {
  const TempFolder folder;
  namespace fs = std::filesystem;
  ASSERT_TRUE(write_file(folder / "far/target", "old").ok());
  fs::create_symlink("far/target", folder / "near");
  fs::create_symlink(folder / "near", folder / "nearer");
  ASSERT_TRUE(write_file(folder / "nearer", "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder / "near"));
  EXPECT_TRUE(fs::is_symlink(folder / "nearer"));
  EXPECT_EQ(read_file(folder / "far/target").value(), "new");
  fs::create_symlink("later/file", folder / "dangling");
  ASSERT_TRUE(write_file(folder / "dangling", "first").ok());
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
  EXPECT_EQ(read_file(folder / "later/file").value(), "first");
  fs::create_symlink("round", folder / "round");
  EXPECT_THAT(write_file(folder / "round", "x").error().hint, HasSubstr("circle"));
}

TEST(Files, APipeIsWrittenToAndStaysAPipe) {
  const TempFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_file(pipe, "content").ok());
  char buffer[16] = {};
  EXPECT_EQ(::read(reader, buffer, sizeof buffer), 7);
  EXPECT_STREQ(buffer, "content");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Files, APipeThatNobodyReadsIsNotWaitedFor) {
  const TempFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refused = write_file(pipe, "content");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr(pipe.string()));
  EXPECT_THAT(refused.error().hint, HasSubstr("nobody reads"));
}

TEST(Files, WhatIsNoFileIsRefusedUnread) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto pipe = read_file(folder / "pipe");  // nobody writes: it would wait for ever
  ASSERT_FALSE(pipe.ok());
  EXPECT_EQ(pipe.error().code, Code::invalid_argument);
  EXPECT_THAT(pipe.error().message, HasSubstr((folder / "pipe").string() + ": it is a pipe"));
  EXPECT_THAT(read_file("/dev/zero").error().message, HasSubstr("it is a device"));
  EXPECT_FALSE(read_file("/proc/self/status").value().empty()) << "though it has no size";
}

TEST(Files, WhatIsTooLargeIsRefusedUnread) {
  const TempFolder folder;
  ASSERT_TRUE(write_file(folder / "f", "").ok());
  ASSERT_EQ(::truncate((folder / "f").c_str(), off_t{1} << 40), 0);
  EXPECT_THAT(read_file(folder / "f").error().message, HasSubstr("is larger than 268435456 bytes"));
}

TEST(Files, KeepTheirPermissionsAndTheirOwner) {
  const TempFolder folder;
  struct stat about {};
  const bool root = ::geteuid() == 0;
  for (const mode_t mode : {0600u, 0644u, 0640u, 0755u}) {
    ASSERT_TRUE(write_file(folder / "f", "old").ok());
    ASSERT_EQ(::chmod((folder / "f").c_str(), mode), 0);
    if (root) {
      ASSERT_EQ(::chown((folder / "f").c_str(), 12345, 23456), 0);
    }
    ASSERT_TRUE(write_file(folder / "f", "new").ok());
    ASSERT_EQ(::stat((folder / "f").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, mode);
    EXPECT_EQ(about.st_uid, root ? 12345 : ::geteuid());
    EXPECT_EQ(about.st_gid, root ? 23456 : ::getegid());
  }
}

// In a folder such as /tmp others may plant what the temporary file would have been.
TEST(Files, NothingThatIsPlantedBesideThemIsWrittenTo) {
  const TempFolder folder;
  ASSERT_TRUE(write_file(folder / "victim", "untouched").ok());
  for (int guess = -1; guess < 2; ++guess)
    std::filesystem::create_symlink("victim",
                                    folder / ("f.part" + std::to_string(::getpid() + guess)));
  ASSERT_TRUE(write_file(folder / "f", "x").ok());
  EXPECT_EQ(read_file(folder / "victim").value(), "untouched");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "f"));
  EXPECT_EQ(entries(folder.path()), 5u);
}

TEST(Files, ALinkThatSomebodyElsePlantedIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes files of others";
  const TempFolder folder;
  ASSERT_TRUE(write_file(folder / "victim", "untouched").ok());
  std::filesystem::create_directory(folder / "shared");
  ASSERT_EQ(::chmod((folder / "shared").c_str(), 01777), 0);
  const std::filesystem::path link = folder / "shared/report.html";
  std::filesystem::create_symlink(folder / "victim", link);
  ASSERT_EQ(::lchown(link.c_str(), 12345, 12345), 0);
  const auto refused = write_file(link, "x");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::permission);
  EXPECT_EQ(read_file(folder / "victim").value(), "untouched");
  ASSERT_EQ(::lchown(link.c_str(), 0, 0), 0);
  EXPECT_TRUE(write_file(link, "x").ok()) << "one's own link is followed";
  EXPECT_EQ(read_file(folder / "victim").value(), "x");
}

TEST(TempFolder, IsGoneAfterwards) {
  std::filesystem::path path;
  {
    const TempFolder folder;
    path = folder.path();
    ASSERT_TRUE(write_file(folder / "a/b", "x").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

// An empty path would put what is meant for the folder into the working directory.
TEST(TempFolder, ThatCannotBeMadeIsAnErrorAndNoEmptyPath) {
  const auto made = TempFolder::make("/nonexistent");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, Code::not_found);
  EXPECT_THAT(made.error().message, HasSubstr("/nonexistent"));
  EXPECT_THROW(TempFolder("/nonexistent"), std::system_error);
  const TempFolder parent;
  ASSERT_EQ(::setenv("TMPDIR", (parent / "gone").c_str(), 1), 0);
  const auto gone = TempFolder::make();
  ::unsetenv("TMPDIR");
  ASSERT_FALSE(gone.ok());
  EXPECT_THAT(gone.error().hint, HasSubstr("TMPDIR"));
}

TEST(TempFolder, MovesWithItsFolder) {
  const TempFolder parent;
  std::filesystem::path path;
  {
    auto made = TempFolder::make(parent.path());
    ASSERT_TRUE(made.ok());
    const TempFolder moved = *std::move(made);
    path = moved.path();
    EXPECT_EQ(path.parent_path(), parent.path());
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace flyball
