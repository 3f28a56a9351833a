#include "telemetry/marks/marks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/os/temp_folder.h"
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

// A second loader within the step, say: no moment is both.
TEST_F(MarksTest, AStallWithinComputingIsNoComputing) {
  const int64_t before = monotonic_ns();
  in_child(reader_->environment(), [] {
    flyball_compute_begin();
    ::usleep(2000);
    for (int i = 0; i < 2; ++i) {
      flyball_stall_begin();
      ::usleep(20'000);
      flyball_stall_end();
    }
    ::usleep(2000);
    flyball_compute_end();
    flyball_minibatch();
    // Ends that came in the wrong order: what is over does not go on.
    flyball_compute_begin();
    flyball_stall_begin();
    flyball_compute_end();
    flyball_stall_end();
    ::usleep(20'000);
    flyball_compute_end();
    flyball_minibatch();
  });
  const auto marks = reader_->take();
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_GE(marks[0].stall_ns, 40'000'000);
  EXPECT_GE(marks[0].compute_ns, 4'000'000);
  EXPECT_LE(marks[0].stall_ns + marks[0].compute_ns, marks[0].time_ns - before);
  EXPECT_GE(marks[1].compute_ns, 0);
  EXPECT_LE(marks[1].stall_ns + marks[1].compute_ns,
            marks[1].time_ns - marks[0].time_ns - 20'000'000);
}

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

// Names are cut after 23 bytes, which two that nest often share; threads may use one name at once;
// and what is cancelled never ends.
TEST_F(MarksTest, EachWindowEndsItsOwn) {
  in_child(reader_->environment(), [] {
    Window outer("evaluation of all pictures"), same("of all pictures, each");
    { Window cancelled("again"); }
    std::thread([] { (void)Window("evaluation of all pictures").end(); }).join();
    (void)same.end();
    (void)outer.end();
  });
  const auto marks = reader_->take();
  ASSERT_EQ(marks.size(), 7u);
  WindowMarks windows;
  std::vector<int64_t> begins;
  for (const Mark& mark : marks) {
    EXPECT_EQ(mark.name, "evaluation of all pictu");
    if (const auto begin_ns = windows.begin_ns(mark)) begins.push_back(*begin_ns);
  }
  EXPECT_EQ(begins, (std::vector{marks[3].time_ns, marks[1].time_ns, marks[0].time_ns}));
}

TEST(WindowMarks, WithoutNumbersTheNewestOfANameEnds) {
  WindowMarks windows;
  const auto mark = [](MarkKind kind, int64_t time_ns) {
    return Mark{.time_ns = time_ns, .kind = kind, .name = "epoch"};
  };
  EXPECT_EQ(windows.begin_ns(mark(MarkKind::window_begin, 1)), std::nullopt);
  EXPECT_EQ(windows.begin_ns(mark(MarkKind::window_begin, 2)), std::nullopt);
  EXPECT_EQ(windows.begin_ns(mark(MarkKind::minibatch, 3)), std::nullopt);
  EXPECT_EQ(windows.begin_ns(mark(MarkKind::window_end, 4)), 2);
  EXPECT_EQ(windows.begin_ns(mark(MarkKind::window_end, 5)), 1);
  EXPECT_EQ(windows.begin_ns(mark(MarkKind::window_end, 6)), std::nullopt);
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
  EXPECT_EQ(reader_->lost(), 70000u + 1 - 65536u);  // the library's own word is one
}

TEST_F(MarksTest, WhatTheProgramReadsIsKnown) {
  const int status = in_child(reader_->environment(), [] {
    ::setenv("FLYBALL_BATCH_SIZE", "32", 1);
    ::setenv("FLYBALL_LEARNING_RATE_OF_THE_HEAD", "0.5", 1);
    if (flyball_setting("batch_size", 16) != 32) ::_exit(1);
    if (flyball_setting("learning_rate_of_the_head", 1) != 0.5) ::_exit(1);
    if (flyball_setting("threads", 7) != 7) ::_exit(1);
    ::setenv("FLYBALL_STORE", "3", 1);
    if (flyball_setting("store", 5) != 5) ::_exit(1);  // where measurements are kept
    if (::fork() == 0) {                               // a launcher's child is the program, too
      flyball_setting("prefetch", 1);
      flyball_minibatch();
      ::_exit(0);
    }
    ::wait(nullptr);
  });
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(reader_->was_read("batch_size"));
  EXPECT_EQ(reader_->take().size(), 1u);  // who read first need not be who marks
  EXPECT_TRUE(reader_->tells_settings());
  for (const char* name : {"batch_size", "learning_rate_of_the_head", "threads", "prefetch"})
    EXPECT_TRUE(reader_->was_read(name)) << name;
  EXPECT_FALSE(reader_->was_read("loader_workers"));
}

TEST_F(MarksTest, TheLastOfWhatIsReportedCounts) {
  in_child(reader_->environment(), [] {
    flyball_report("accuracy", 0.25);
    flyball_minibatch();
    flyball_report("accuracy", 0.75);
    flyball_report("loss", -1.5);
    flyball_report("loss", NAN);  // it diverged, whatever it was before
    flyball_report("norm", INFINITY);
    flyball_report("norm", 2);
  });
  EXPECT_EQ(reader_->take().size(), 1u);
  const std::map<std::string, double> wanted = {{"accuracy", 0.75}, {"norm", 2}};
  EXPECT_EQ(reader_->figures(), wanted);
  EXPECT_EQ(reader_->not_finite(), std::set<std::string>{"loss"});
}

// A program that was built with an older library: its minibatches count, and of its settings
// nothing is known.
TEST_F(MarksTest, AnOlderLibrarySaysNothingOfSettings) {
  const std::string path = reader_->environment().substr(sizeof "FLYBALL_MARKS=" - 1);
  const auto bytes = static_cast<size_t>(std::filesystem::file_size(path));
  const int file = ::open(path.c_str(), O_RDWR);
  auto* ring = static_cast<marks::Ring*>(
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  ::close(file);
  ASSERT_NE(ring, MAP_FAILED);
  marks::Slot& slot = ring->slot(ring->head++);
  slot.kind = static_cast<uint32_t>(MarkKind::minibatch);
  slot.pid = 7;
  slot.sequence = 1;
  ::munmap(ring, bytes);
  EXPECT_EQ(reader_->take().size(), 1u);
  EXPECT_FALSE(reader_->tells_settings());
  EXPECT_FALSE(reader_->was_read("batch_size"));
}

// The ring as a program has it mapped, which writes into it when the reader comes to a page.
class Overtaker {
 public:
  Overtaker(const std::string& variable, uint64_t page)
      : path_(variable.substr(sizeof "FLYBALL_MARKS=" - 1)), page_(page * 4096) {
    const auto bytes = static_cast<size_t>(std::filesystem::file_size(path_));
    readers_ = mapping();
    const int file = ::open(path_.c_str(), O_RDWR);
    ours_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
  }
  marks::Ring& ring() { return *static_cast<marks::Ring*>(ours_); }
  // Writes as a program does; all parts follow from the number.
  void put(uint64_t number) {
    marks::Slot& slot = ring().slot(number);
    slot.sequence = 0;
    slot.time_ns = static_cast<int64_t>(number);
    slot.stall_ns = slot.compute_ns = -1;
    slot.kind = static_cast<uint32_t>(MarkKind::window_begin);
    slot.pid = 1;
    char name[24] = {};
    std::snprintf(name, sizeof name, "mark %u", static_cast<unsigned>(number));
    uint64_t words[3];
    std::memcpy(words, name, sizeof words);
    for (size_t i = 0; i < 3; ++i) slot.name[i] = words[i];
    slot.sequence = number + 1;
  }
  // When the reader touches the page, mark `number` is written first.
  void lie_in_wait(uint64_t number) {
    waiting_ = this;
    number_ = number;
    struct sigaction action {};
    action.sa_handler = [](int) { waiting_->overtake(); };
    ::sigaction(SIGSEGV, &action, &before_);
    ::mprotect(readers_ + page_, 4096, PROT_NONE);
  }
  bool has_overtaken() const { return overtaken_; }

 private:
  void overtake() {
    ::mprotect(readers_ + page_, 4096, PROT_READ | PROT_WRITE);
    ::sigaction(SIGSEGV, &before_, nullptr);
    put(number_);
    overtaken_ = true;
  }
  char* mapping() const {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      if (line.ends_with(path_)) return reinterpret_cast<char*>(std::stoull(line, nullptr, 16));
    return nullptr;
  }

  static inline Overtaker* waiting_ = nullptr;
  std::string path_;
  uint64_t page_, number_ = 0;
  char* readers_ = nullptr;
  void* ours_ = nullptr;
  struct sigaction before_ {};
  bool overtaken_ = false;
};

// Mark 63 lies across two pages: its name is in the second one.
TEST_F(MarksTest, AMarkThatIsOverwrittenWhileItIsReadIsLostAndNotTorn) {
  Overtaker writer(reader_->environment(), 1);
  for (uint64_t n = 0; n < 64; ++n) writer.put(n);
  writer.ring().head = 64;
  writer.lie_in_wait(63 + writer.ring().capacity);
  const auto marks = reader_->take();
  ASSERT_TRUE(writer.has_overtaken());
  EXPECT_EQ(marks.size(), 63u);
  for (const Mark& mark : marks) EXPECT_EQ(mark.name, "mark " + std::to_string(mark.time_ns));
  EXPECT_EQ(reader_->lost(), 1u);
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
