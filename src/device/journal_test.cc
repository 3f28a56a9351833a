#include "device/journal.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "base/text.h"
#include "device/host/board_tree_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class JournalTest : public testing::Test {
 protected:
  Result<std::shared_ptr<SettingsJournal>> open() {
    return SettingsJournal::open(tree_.journal(), tree_.root());
  }
  Result<size_t> recover() { return recover_settings(tree_.journal()); }

  // A process that was killed while it had set the clocks.
  void killed_in_a_mode() {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto host = open_host(tree_.options());
      const bool applied = host.ok() && (*host)->apply({{{"cpu_mhz", 729.6}}}).ok();
      ::kill(::getpid(), applied ? SIGKILL : SIGTERM);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
  }
  // Without the disk's part in write_file(): some tests do it a thousand times.
  void replace_journal(const std::string& text) {
    std::ofstream(tree_.journal(), std::ios::trunc | std::ios::binary) << text;
  }
  static unsigned long crc_of(const std::string& text) {
    return ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  }
  std::string journal_text() const { return *read_file(tree_.journal()); }

  BoardTree tree_;
  const std::map<std::string, std::string> start_ = tree_.content();
};

TEST_F(JournalTest, AStartPutsBackWhatAKilledProcessLeft) {
  killed_in_a_mode();
  ASSERT_EQ(tree_.get(0, "scaling_max_freq"), "729600");
  const auto put_back = recover();
  ASSERT_TRUE(put_back.ok()) << put_back.error().message;
  EXPECT_EQ(*put_back, 4u);
  EXPECT_EQ(tree_.content(), start_);
  EXPECT_FALSE(fs::exists(tree_.journal()));
  EXPECT_EQ(recover().value(), 0u);
}

TEST_F(JournalTest, OpeningADevicePutsBackBeforeAnythingIsSet) {
  killed_in_a_mode();
  const auto host = open_host(tree_.options());
  ASSERT_TRUE(host.ok());
  EXPECT_EQ(tree_.content(), start_);
  EXPECT_TRUE((*host)->gaps().empty());
}

TEST_F(JournalTest, WithoutAJournalAStartLeavesNothingBehind) {
  EXPECT_EQ(recover().value(), 0u);
  EXPECT_FALSE(fs::exists(tree_.state()));
}

TEST_F(JournalTest, WhatALivingProcessSetsIsLeftAlone) {
  int ready[2], done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 'n';
    {
      const auto host = open_host(tree_.options());
      if (host.ok() && (*host)->apply({{{"cpu_mhz", 729.6}}}).ok()) byte = 'y';
      (void)!::write(ready[1], &byte, 1);
      (void)!::read(done[0], &byte, 1);
    }
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  EXPECT_EQ(recover().value(), 0u);
  EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "729600");
  const auto host = open_host(tree_.options());
  ASSERT_TRUE(host.ok());
  EXPECT_TRUE((*host)->gaps().empty());
  for (const Status& refused : {(*host)->claim(), (*host)->apply({{{"cpu_mhz", 115.2}}})}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::conflict);
    EXPECT_THAT(refused.error().message, HasSubstr(fmt::format("process {} (", child)));
    EXPECT_THAT(refused.error().hint, HasSubstr("wait until it ends"));
  }
  ASSERT_EQ(::write(done[1], "x", 1), 1);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(tree_.content(), start_);
  EXPECT_TRUE((*host)->claim().ok());
}

TEST_F(JournalTest, OneProcessSharesItsJournalButSetsOneBoard) {
  const auto first = open(), second = open();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
  const BoardTree other;
  const auto third = SettingsJournal::open(tree_.journal(), other.root());
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.error().code, Code::conflict);
}

TEST_F(JournalTest, AForkedChildPutsNothingBack) {
  auto journal = *open();
  ASSERT_TRUE(journal->set(tree_.file(0, "scaling_max_freq"), "729600").ok());
  const pid_t child = ::fork();
  if (child == 0) {
    journal.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "729600");
  EXPECT_TRUE(fs::exists(tree_.journal()));
}

// A knob that is gone: the rest is put back, and this one is reported and kept.
TEST_F(JournalTest, WhatCannotBePutBackIsReportedAndKept) {
  killed_in_a_mode();
  const fs::path lost = tree_.file(1, "scaling_max_freq");
  fs::remove(lost);
  for (int start = 0; start < 2; ++start) {
    const auto put_back = recover();
    ASSERT_FALSE(put_back.ok());
    EXPECT_THAT(put_back.error().message,
                HasSubstr("could not be put back: cannot set " + lost.string() + ": No such file"));
    EXPECT_THAT(put_back.error().hint, HasSubstr("the next start of flyball tries again"));
    EXPECT_THAT(put_back.error().hint, HasSubstr(tree_.journal().string()));
    EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "2201600");
    EXPECT_EQ(tree_.get(1, "scaling_min_freq"), "115200");
    EXPECT_THAT(journal_text(), HasSubstr("cpu1/cpufreq/scaling_max_freq"));
    EXPECT_EQ(journal_text().find("cpu0"), std::string::npos);
  }
  // Until then nobody has the board, and a device says why; one without a knob, too.
  HostOptions without = tree_.options();
  without.root = tree_.root() / "proc";
  for (const HostOptions& options : {tree_.options(), without}) {
    const auto host = open_host(options);
    ASSERT_TRUE(host.ok());
    EXPECT_THAT((*host)->claim().error().message, HasSubstr("could not be put back"));
    EXPECT_THAT((*host)->gap_texts()[0], HasSubstr("could not be put back"));
  }
  tree_.put(1, "scaling_max_freq", "729600\n");
  EXPECT_EQ(recover().value(), 1u);
  EXPECT_EQ(tree_.content(), start_);
}

TEST_F(JournalTest, AnOrderlyEndReportsAndKeepsTheSame) {
  const fs::path lost = tree_.file(0, "scaling_min_freq");
  {
    const auto host = *open_host(tree_.options());
    ASSERT_TRUE(host->apply({{{"cpu_mhz", 729.6}}}).ok());
    fs::remove(lost);
    const Status restored = host->restore();
    ASSERT_FALSE(restored.ok());
    EXPECT_THAT(restored.error().message, HasSubstr(lost.string()));
  }
  EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "2201600");
  EXPECT_FALSE(recover().ok());  // as the end of every command asks
  tree_.put(0, "scaling_min_freq", "729600\n");
  EXPECT_EQ(recover().value(), 1u);
  EXPECT_EQ(tree_.content(), start_);
}

TEST_F(JournalTest, SaysWhenASettingDoesNotTakeAndWhenItIsNotPutBack) {
  // A file that swallows what is written, as a governed clock does.
  const fs::path stuck = tree_.root() / "sys/stuck";
  if (::mknod(stuck.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0)
    GTEST_SKIP() << "cannot make a device file here (not root)";
  const auto journal = *open();
  const Status status = journal->set(stuck, "729600");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("was set to 729600 but reads "));
  EXPECT_TRUE(journal->restore().ok());  // it reads as before
  const fs::path swapped = tree_.file(0, "scaling_max_freq");
  ASSERT_TRUE(journal->set(swapped, "729600").ok());
  fs::remove(swapped);
  fs::rename(stuck, swapped);
  const Status restored = journal->restore();
  ASSERT_FALSE(restored.ok());
  EXPECT_THAT(restored.error().message, HasSubstr("was set to 2201600 but reads "));
}

TEST_F(JournalTest, CutAtAnyByteNothingOfItIsApplied) {
  killed_in_a_mode();
  const auto in_mode = tree_.content();
  const std::string whole = journal_text();
  for (size_t size = 0; size < whole.size(); ++size) {
    replace_journal(whole.substr(0, size));
    const auto put_back = recover();
    ASSERT_FALSE(put_back.ok()) << size;
    ASSERT_EQ(put_back.error().code, Code::corrupt) << size;
    ASSERT_EQ(journal_text(), whole.substr(0, size));  // kept
    ASSERT_EQ(tree_.content(), in_mode) << size;
  }
  EXPECT_FALSE(open().ok());
  ASSERT_TRUE(write_file(tree_.journal(), whole).ok());
  EXPECT_EQ(recover().value(), 4u);
  EXPECT_EQ(tree_.content(), start_);
}

TEST_F(JournalTest, ChangedInAnyByteNothingOfItIsApplied) {
  killed_in_a_mode();
  const auto in_mode = tree_.content();
  const std::string whole = journal_text();
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    replace_journal(changed);
    ASSERT_FALSE(recover().ok()) << at;
    ASSERT_EQ(tree_.content(), in_mode) << at;
  }
}

TEST_F(JournalTest, EarlierFormatsAreReportedAndKept) {
  const std::string old =
      fmt::format("[[\"{}\", \"115200\"]]\n", tree_.file(0, "scaling_max_freq").string());
  ASSERT_TRUE(check_state_folder(tree_.state()).ok());
  for (const fs::path& place : {tree_.journal(), tree_.state() / "host.json"}) {
    ASSERT_TRUE(write_file(place, old).ok());
    const auto put_back = recover();
    ASSERT_FALSE(put_back.ok());
    EXPECT_EQ(put_back.error().code, Code::corrupt);
    EXPECT_THAT(put_back.error().message, HasSubstr(place.string()));
    EXPECT_THAT(put_back.error().hint, HasSubstr("put back by hand what it lists"));
    EXPECT_FALSE(open().ok());
    EXPECT_EQ(*read_file(place), old);
    EXPECT_EQ(tree_.content(), start_);
    fs::remove(place);
  }
}

TEST_F(JournalTest, IsTrustedOnlyWhereNobodyElseCanWrite) {
  killed_in_a_mode();
  const auto in_mode = tree_.content();
  const auto refused = [&](const std::string& why) {
    const auto put_back = recover();
    ASSERT_FALSE(put_back.ok()) << why;
    EXPECT_EQ(put_back.error().code, Code::permission);
    EXPECT_THAT(put_back.error().message, HasSubstr(why));
    EXPECT_FALSE(put_back.error().hint.empty());
    EXPECT_EQ(tree_.content(), in_mode);
    EXPECT_TRUE(fs::exists(tree_.journal()));
  };
  ::chmod(tree_.journal().c_str(), 0620);
  refused("can be written by other users");
  ::chmod(tree_.journal().c_str(), 0600);
  ::chmod(tree_.state().c_str(), 0777);
  refused("other users can write to the folder");
  ::chmod(tree_.state().c_str(), 0700);
  const fs::path real = tree_.state() / "real";
  fs::rename(tree_.journal(), real);
  fs::create_symlink(real, tree_.journal());
  refused("is no ordinary file");
  fs::remove(tree_.journal());
  fs::rename(real, tree_.journal());
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(tree_.journal().c_str(), 65534, 65534), 0);
    refused("belongs to another user");
    ASSERT_EQ(::chown(tree_.journal().c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(tree_.state().c_str(), 65534, 65534), 0);
    refused("belongs to another user");
    ASSERT_EQ(::chown(tree_.state().c_str(), 0, 0), 0);
  }
  EXPECT_EQ(recover().value(), 4u);
}

// Whoever wrote it, and however it holds together.
TEST_F(JournalTest, NamesOnlyFilesBelowSys) {
  const fs::path secret = tree_.root() / "secret";
  ASSERT_TRUE(write_file(secret, "untouched").ok());
  fs::create_symlink(secret, tree_.root() / "sys/link");
  for (const char* name : {"secret", "/secret", "sys/../secret", "sys/link", "sys", ""}) {
    ASSERT_TRUE(check_state_folder(tree_.state()).ok());
    ASSERT_TRUE(write_journal(tree_.journal(), {tree_.root(), {{name, "overwritten"}}}).ok());
    const auto put_back = recover();
    ASSERT_FALSE(put_back.ok()) << name;
    EXPECT_THAT(put_back.error().message, HasSubstr("does not lie below")) << name;
    EXPECT_EQ(*read_file(secret), "untouched");
    EXPECT_TRUE(fs::exists(tree_.journal()));
    fs::remove(tree_.journal());
  }
  const auto journal = *open();
  EXPECT_EQ(journal->set(secret, "x").error().code, Code::permission);
  EXPECT_EQ(journal->set(tree_.root() / "sys/link", "x").error().code, Code::permission);
  EXPECT_EQ(*read_file(secret), "untouched");
}

TEST_F(JournalTest, ARootThatBecameALinkIsNotFollowed) {
  killed_in_a_mode();
  const fs::path moved = tree_.root().string() + "-moved";
  fs::rename(tree_.root(), moved);
  fs::create_directory_symlink(moved, tree_.root());
  EXPECT_FALSE(recover().ok());
  EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "729600");
  fs::remove(tree_.root());
  fs::rename(moved, tree_.root());
  EXPECT_EQ(recover().value(), 4u);
}

TEST_F(JournalTest, ABootVoidsTheJournalOfTheMachine) {
  ASSERT_TRUE(check_state_folder(tree_.state()).ok());
  const auto id = read_file("/proc/sys/kernel/random/boot_id", 4096);
  if (!id) GTEST_SKIP() << "this kernel names no boots";
  const std::string boot(trim(*id)), earlier = "01234567-89ab-cdef-0123-456789abcdef";
  // Of this boot: it would have to be applied (and names what no machine has).
  ASSERT_TRUE(write_journal(tree_.journal(), {"/", {{"sys/no/such/knob", "1"}}}).ok());
  EXPECT_FALSE(recover().ok());
  std::string body = journal_text().substr(journal_text().find('\n') + 1);
  ASSERT_THAT(body, HasSubstr(boot));
  body.replace(body.find(boot), boot.size(), earlier);
  replace_journal(fmt::format("flyball-journal-2 {:08x}\n{}", crc_of(body), body));
  const auto put_back = recover();
  ASSERT_TRUE(put_back.ok()) << put_back.error().message;
  EXPECT_EQ(*put_back, 0u);
}

TEST_F(JournalTest, KeepEndsThePromise) {
  {
    const auto journal = *open();
    ASSERT_TRUE(journal->set(tree_.file(0, "scaling_max_freq"), "729600").ok());
    ASSERT_TRUE(journal->keep().ok());
    EXPECT_FALSE(fs::exists(tree_.journal()));
  }
  EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "729600");
}

}  // namespace
}  // namespace flyball
