#include "base/os/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>

namespace flyball {
namespace {

namespace fs = std::filesystem;

TEST(TempFolder, GoesWithItsObjectOrWhenTheNextIsMade) {
  const TempFolder parent;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const TempFolder mine(parent.path());
    std::ofstream(mine / "marks") << "large";
    const std::string name = mine.path().string() + "\n";
    if (::write(ends[1], name.data(), name.size()) < 0) ::_exit(1);
    for (;;) ::pause();
  }
  std::string name;
  for (char next = 0; ::read(ends[0], &next, 1) == 1 && next != '\n';) name += next;
  fs::last_write_time(name, fs::last_write_time(name) - std::chrono::minutes(2));
  { const TempFolder other(parent.path()); }
  EXPECT_TRUE(fs::exists(fs::path(name) / "marks")) << "it is in use";
  fs::last_write_time(name, fs::file_time_type::clock::now());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  { const TempFolder soon(parent.path()); }
  EXPECT_TRUE(fs::exists(name)) << "its process might only have begun";
  fs::last_write_time(name, fs::last_write_time(name) - std::chrono::minutes(2));
  fs::path gone;
  {
    const TempFolder next(parent.path());
    EXPECT_FALSE(fs::exists(name)) << "nobody uses it any more";
    gone = next.path();
  }
  EXPECT_FALSE(fs::exists(gone));
  for (const int end : ends) ::close(end);
}

// Who calls a folder of his own so keeps it.
TEST(TempFolder, LeavesOthersFoldersAlone) {
  const TempFolder parent;
  fs::create_directory(parent / "elsewhere");
  std::ofstream(parent / "elsewhere/mine");
  fs::create_directory(parent / "flyball-report");
  fs::create_directory_symlink(parent / "elsewhere", parent / "flyball-temp-linked");
  for (const char* name : {"elsewhere", "flyball-report"}) {
    const fs::path folder = parent / name;
    fs::last_write_time(folder, fs::last_write_time(folder) - std::chrono::hours(1));
  }
  const TempFolder next(parent.path());
  EXPECT_TRUE(fs::exists(parent / "flyball-report"));
  EXPECT_TRUE(fs::exists(parent / "flyball-temp-linked"));
  EXPECT_TRUE(fs::exists(parent / "elsewhere/mine"));
}

}  // namespace
}  // namespace flyball
