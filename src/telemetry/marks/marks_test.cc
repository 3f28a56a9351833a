#include "telemetry/marks/marks.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "base/clock.h"
#include "base/temp_folder.h"
#include "flyball/flyball_marks.h"
#include "telemetry/marks/window.h"

namespace flyball {
namespace {

// Runs `body` in a child that finds the ring as a profiled program does: a process opens it once.
template <class Body>
int in_child(const std::string& variable, const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::putenv(const_cast<char*>(variable.c_str()));
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

class MarksTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = MarkReader::create(folder_.path());
    ASSERT_TRUE(made.ok()) << made.error().message;
    reader_ = *std::move(made);
  }
  TempFolder folder_;
  std::unique_ptr<MarkReader> reader_;
};

TEST_F(MarksTest, MinibatchesArriveInOrderWithTheirStretches) {
  const int64_t before = monotonic_ns();
  in_child(reader_->environment(), [] {
    flyball_minibatch();
    flyball_stall_begin();
    ::usleep(3000);
    flyball_stall_end();
    flyball_stall_begin();
    ::usleep(2000);
    flyball_stall_end();
    flyball_minibatch();
    flyball_compute_begin();
    flyball_compute_end();
    flyball_stall_end();  // an end without a begin is nothing
    flyball_minibatch();
  });
  const auto marks = reader_->take();
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_EQ(marks[0].stall_ns, -1);
  EXPECT_EQ(marks[0].compute_ns, -1);
  EXPECT_GE(marks[1].stall_ns, 5'000'000);
  EXPECT_LT(marks[1].stall_ns, marks[1].time_ns - marks[0].time_ns);
  EXPECT_EQ(marks[2].stall_ns, -1);
  EXPECT_GE(marks[2].compute_ns, 0);
  EXPECT_GT(marks[0].time_ns, before);
  EXPECT_LT(marks[0].time_ns, marks[1].time_ns);
  EXPECT_TRUE(reader_->take().empty());
}

TEST_F(MarksTest, WindowsCarryTheirNames) {
  in_child(reader_->environment(), [] {
    Window epoch("epoch");
    { Window inner("validation"); }  // cancelled: its end never comes
    (void)epoch.end();
  });
  const auto marks = reader_->take();
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_EQ(marks[0].kind, MarkKind::window_begin);
  EXPECT_EQ(marks[0].name, "epoch");
  EXPECT_EQ(marks[1].name, "epoch/validation");
  EXPECT_EQ(marks[2].kind, MarkKind::window_end);
  EXPECT_EQ(marks[2].name, "epoch");
}

TEST_F(MarksTest, OnlyTheFirstProcessCounts) {
  in_child(reader_->environment(), [] {
    flyball_minibatch();
    if (::fork() == 0) {
      flyball_minibatch();
      ::_exit(0);
    }
    ::wait(nullptr);
    flyball_minibatch();
  });
  EXPECT_EQ(reader_->take().size(), 2u);
}

TEST_F(MarksTest, WhatIsOverwrittenIsCounted) {
  in_child(reader_->environment(), [] {
    for (int i = 0; i < 70000; ++i) flyball_minibatch();
  });
  EXPECT_EQ(reader_->take().size(), 65536u);
  EXPECT_EQ(reader_->lost(), 70000u - 65536u);
}

// A writer that laps the reader again and again, in marks whose parts belong together.
TEST_F(MarksTest, AMarkThatIsOverwrittenWhileItIsReadIsLostAndNotTorn) {
  const std::string variable = reader_->environment();
  const pid_t writer = ::fork();
  if (writer == 0) {
    ::putenv(const_cast<char*>(variable.c_str()));
    for (int64_t n = 1;; ++n)
      marks::write(MarkKind::window_begin, n, 7 * n, std::to_string(n).c_str());
  }
  int64_t taken = 0, torn = 0;
  for (const int64_t end = monotonic_ns() + 2'000'000'000; monotonic_ns() < end;) {
    const auto marks = reader_->take();
    for (const Mark& mark : marks)
      torn += mark.compute_ns != 7 * mark.stall_ns || mark.name != std::to_string(mark.stall_ns);
    taken += static_cast<int64_t>(marks.size());
  }
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  EXPECT_GT(taken, 100'000);
  EXPECT_GT(reader_->lost(), 0u) << "the reader was never lapped: this test shows nothing";
  EXPECT_EQ(torn, 0);
}

// On a file system of 1 MiB. Writing to a page that it cannot give ends a program by SIGBUS.
TEST_F(MarksTest, AFullFileSystemIsAnErrorAndNoSignal) {
  constexpr int cannot_mount = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
        ::mount("small", folder_.path().c_str(), "tmpfs", 0, "size=1m"))
      ::_exit(cannot_mount);
    const auto made = MarkReader::create(folder_.path());
    if (made.ok()) {
      const int ended = in_child((*made)->environment(), [] {
        for (int i = 0; i < 65536; ++i) flyball_minibatch();
      });
      ::_exit(WIFSIGNALED(ended) ? WTERMSIG(ended) : 1);
    }
    const bool clear = made.error().message.find("No space left") != std::string::npos &&
                       made.error().hint.find("TMPDIR") != std::string::npos;
    ::_exit(clear && std::filesystem::is_empty(folder_.path()) ? 0 : 2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == cannot_mount)
    GTEST_SKIP() << "needs root: mounts a file system of its own";
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(MarksTest, WithoutAReaderMarksDoNothing) {
  for (const std::string& variable :
       {std::string("FLYBALL_MARKS="), "FLYBALL_MARKS=" + (folder_ / "absent").string()})
    EXPECT_EQ(in_child(variable,
                       [] {
                         flyball_minibatch();
                         if (flyball_marked() != 0) ::_exit(1);
                       }),
              0);
}

TEST_F(MarksTest, AnotherFileIsLeftAlone) {
  const std::string path = (folder_ / "other").string();
  std::ofstream(path) << "precious";
  EXPECT_EQ(in_child("FLYBALL_MARKS=" + path, [] { flyball_minibatch(); }), 0);
  std::string content;
  std::ifstream(path) >> content;
  EXPECT_EQ(content, "precious");
}

TEST_F(MarksTest, TheFileGoesWithItsReader) {
  const std::string path = reader_->environment().substr(sizeof "FLYBALL_MARKS=" - 1);
  EXPECT_TRUE(std::filesystem::exists(path));
  reader_.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(MarkReader::create("/nowhere/at/all").ok());
}

}  // namespace
}  // namespace flyball
