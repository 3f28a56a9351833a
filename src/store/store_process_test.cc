#include "sql/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/os/process_name.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
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

// A container has numbers of its own: the first process in it is 1, as on the machine.
TEST(Process, OfAnotherContainerIsKnownOutsideAndElsewhereNotCalledDead) {
  const std::string text = process_identity();
  const std::vector<std::string> own = split(text, ' ');
  ASSERT_EQ(own.size(), 4u);
  const auto identity = [&](const std::string& space, const std::string& start) {
    return join({own[0], space, own[2], start}, " ");
  };
  EXPECT_TRUE(is_running(join({own[0], own[2], own[3]}, " "))) << "as earlier programs wrote it";
  EXPECT_TRUE(is_running(identity("1", own[3]))) << "it is seen from here";
  const bool outside = own[1] == "4026531836";
  EXPECT_EQ(is_running(identity("1", own[3] + "0")), !outside);
  // In a container the machine's own processes are not seen.
  const TempFolder folder;
  auto store = Store::open(folder.path());
  const int64_t run = store->begin_run(sample_request()).value();
  const std::string elsewhere = outside ? identity("1", own[3]) : identity("1", own[3] + "0");
  ASSERT_TRUE(
      Database::open(store->path(), {})->run("UPDATE runs SET process = ?", {elsewhere}).ok());
  EXPECT_EQ(store->run(run)->state, RunState::running);
  EXPECT_NE(store->begin_or_resume(sample_request()).value(), run);
  EXPECT_EQ(store->delete_run(run).error().code, Code::conflict);
}

// Where the system lets this user make a namespace: without, the test above has to do.
TEST(Process, InANamespaceOfItsOwnIsSeenFromOutside) {
  std::array<int, 2> said{};
  ASSERT_EQ(::pipe(said.data()), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) ::_exit(7);
    if (::fork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const std::string own = process_identity();
      if (::write(said[1], own.data(), own.size()) > 0) ::pause();
    }
    ::pause();
  }
  ::close(said[1]);
  std::array<char, 200> text{};
  const ssize_t read = ::read(said[0], text.data(), text.size());
  ::close(said[0]);
  const std::string identity(text.data(), read > 0 ? static_cast<size_t>(read) : 0);
  const bool seen = is_running(identity);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  if (identity.empty()) GTEST_SKIP() << "no namespaces for this user";
  EXPECT_TRUE(seen) << identity;
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
