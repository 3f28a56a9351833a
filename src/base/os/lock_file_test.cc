#include "base/os/lock_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

// A process that holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& path) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto lock = LockFile::take(path, "it");
      (void)!::write(ready[1], lock.ok() ? "y" : "n", 1);
      ::pause();
      ::_exit(0);
    }
    char answer = 0;
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

TEST(LockFile, NamesItsHolderAndOutlivesNobody) {
  const TempFolder folder;
  const auto path = folder / "lock";
  Holder holder(path);
  const auto refused = LockFile::take(path, "the board");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_THAT(refused.error().message,
              HasSubstr("the board is held by process " + std::to_string(holder.pid()) + " ("));
  EXPECT_THAT(LockFile::holder(path), HasSubstr("base_test"));
  holder.kill();
  {
    const auto taken = LockFile::take(path, "the board");
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    EXPECT_THAT(*read_file(path), HasSubstr(std::to_string(::getpid())));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(LockFile::holder(path), "");
}

TEST(LockFile, IsGivenBackOnceAndNotByAForkedChild) {
  const TempFolder folder;
  const auto path = folder / "lock";
  auto lock = LockFile::take(path, "it");
  ASSERT_TRUE(lock.ok());
  const pid_t child = ::fork();
  if (child == 0) {
    { const LockFile copy = *std::move(lock); }
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(LockFile::take(path, "it", 0.01).error().code, Code::conflict);
}

TEST(LockFile, SaysWhyItCannotBeMade) {
  const auto refused = LockFile::take("/proc/no/lock", "it");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("/proc/no/lock"));
}

}  // namespace
}  // namespace flyball
