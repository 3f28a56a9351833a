#include "sql/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/os/process_name.h"
#include "base/os/temp_folder.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball {
namespace {

using testing::HasSubstr;

// A child that does `work`, tells so by a byte, and waits until the parent is done with it.
class Child {
 public:
  explicit Child(const std::function<void()>& work) {
    std::array<int, 2> said{};
    EXPECT_EQ(::pipe(said.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      work();
      if (::write(said[1], "x", 1) == 1) ::pause();
      ::_exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(said[0], &byte, 1), 1);
    ::close(said[0]);
    ::close(said[1]);
  }
  ~Child() { stop(); }
  void stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  int pid() const { return pid_; }

 private:
  int pid_ = 0;
};

TEST(Process, KnowsThisOne) {
  EXPECT_TRUE(is_running(process_identity()));
  EXPECT_THAT(command_of(::getpid()), HasSubstr("store_test"));
}

TEST(Process, NoticesWhenAnotherEnds) {
  const TempFolder folder;
  int64_t run = 0;
  Child child([&] {
    auto store = Store::open(folder.path());
    if (!store.ok() || !store->begin_run(sample_request()).ok()) ::_exit(1);
  });
  auto store = Store::open(folder.path());
  ASSERT_TRUE(store.ok());
  run = store->runs()->at(0).id;
  EXPECT_EQ(store->run(run)->state, RunState::running);
  EXPECT_NE(store->begin_or_resume(sample_request()).value(), run) << "it is not interrupted";
  child.stop();
  EXPECT_EQ(store->run(run)->state, RunState::interrupted);
}

TEST(Process, IsNotTakenForAnotherOfItsNumberOrBoot) {
  const std::string own = process_identity();
  EXPECT_FALSE(is_running(own + "0"));
  EXPECT_FALSE(is_running("0" + own));
  EXPECT_FALSE(is_running(""));
  EXPECT_FALSE(is_running("a b c d"));
}

TEST(Process, NamesWhoHoldsTheLock) {
  const TempFolder folder;
  const auto file = folder / "store.db";
  ASSERT_TRUE(Store::open(file).ok());
  EXPECT_EQ(lock_holder(file), "another process") << "nobody holds it";
  const Child child([&] {
    const std::string name = file.string() + "-shm";
    const int fd = ::open(name.c_str(), O_RDWR | O_CREAT, 0644);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 120;
    lock.l_len = 1;
    if (::ftruncate(fd, 32768) != 0 || ::fcntl(fd, F_SETLK, &lock) != 0) ::_exit(1);
  });
  EXPECT_THAT(lock_holder(file), HasSubstr("(process " + std::to_string(child.pid()) + ")"));
}

}  // namespace
}  // namespace flyball
