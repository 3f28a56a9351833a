#include "device/doctor/recorded_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "device/doctor/doctor.h"
#include "device/doctor/tar_gz.h"
#include "device/host/board_device.h"
#include "device/host/board_trees_testing.h"
#include "device/modes/mode.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class RecordedTreeTest : public testing::Test {
 protected:
  fs::path root() const { return fs::canonical(folder_.path()) / "tree"; }
  RecordedTree record(const fs::path& from) const {
    return record_tree(from, identify_board(from).spec);
  }
  /// As somebody else has it who unpacks it.
  fs::path unpacked(const RecordedTree& tree) {
    const auto archive = tar_gz(tree.entries, "bundle", 1'700'000'000);
    EXPECT_TRUE(archive.ok());
    EXPECT_TRUE(write_file(folder_ / "x.tar.gz", *archive).ok());
    const std::string command = "cd '" + folder_.path().string() + "' && tar xzf x.tar.gz";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return fs::canonical(folder_.path()) / "bundle";
  }
  // Names of files carry the folder that they lie in.
  static std::string told(const fs::path& root) {
    const BoardIdentity board = identify_board(root);
    const auto device = open_any_board(board, root);
    std::string text = doctor_json(examine_machine({.root = root, .ask_kernel = false, .more = {}}),
                                   examine_board(root))
                           .dump(1) +
                       mode_json(board, *device, root).dump(1) + device->info().fingerprint;
    for (size_t at = 0; (at = text.find(root.string(), at)) != std::string::npos;)
      text.replace(at, root.string().size(), "ROOT");
    return text;
  }

  TempFolder folder_;
};

TEST_F(RecordedTreeTest, EveryBoardIsTheSameWhereItsTreeIsUnpacked) {
  for (const trees::Board& board : trees::boards()) {
    const TempFolder place;
    const fs::path from = fs::canonical(place.path()) / "tree";
    trees::write_tree(board.kind, from);
    const RecordedTree tree = record(from);
    EXPECT_THAT(tree.unread, IsEmpty()) << board.kind;
    EXPECT_EQ(told(from), told(unpacked(tree))) << board.kind;
    fs::remove_all(folder_ / "bundle");
  }
}

TEST_F(RecordedTreeTest, LinksStayLinksWithinTheTree) {
  trees::write_tree("orin_agx_jp6", root());
  const RecordedTree tree = record(root());
  const TreeEntry* link = tree.find("sys/devices/system/cpu/cpu5/cpufreq");
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(link->kind, TreeEntry::Kind::link);
  EXPECT_EQ(link->content, "../cpufreq/policy4");
  const fs::path copy = unpacked(tree);
  EXPECT_TRUE(fs::is_symlink(copy / "sys/devices/system/cpu/cpu5/cpufreq"));
  EXPECT_EQ(fs::canonical(copy / "sys/devices/system/cpu/cpu5/cpufreq"),
            copy / "sys/devices/system/cpu/cpufreq/policy4");
}

// nvpmodel.conf and proc/device-tree of a Jetson are links with whole paths.
TEST_F(RecordedTreeTest, LinksWithWholePathsBecomeRelativeOnes) {
  trees::write_tree("orin_agx_jp6", root());
  const fs::path real = root() / "etc/nvpmodel/nvpmodel_p3701_0000.conf";
  fs::create_directories(real.parent_path());
  fs::rename(root() / "etc/nvpmodel.conf", real);
  fs::create_symlink(real, root() / "etc/nvpmodel.conf");
  const RecordedTree tree = record(root());
  ASSERT_NE(tree.find("etc/nvpmodel.conf"), nullptr);
  EXPECT_EQ(tree.find("etc/nvpmodel.conf")->content, "nvpmodel/nvpmodel_p3701_0000.conf");
  EXPECT_EQ(told(root()), told(unpacked(tree)));
}

TEST_F(RecordedTreeTest, NothingOutsideOfTheTreeIsRecorded) {
  trees::write_tree("orin_agx_jp6", root());
  std::ofstream(folder_ / "secret") << "of somebody else\n";
  for (const std::string file : {"etc/nv_tegra_release", "proc/meminfo"}) {
    fs::remove(root() / file);
    fs::create_directories((root() / file).parent_path());
  }
  fs::create_symlink(folder_ / "secret", root() / "etc/nv_tegra_release");
  fs::create_symlink("../../secret", root() / "proc/meminfo");
  fs::create_symlink("cpuinfo", root() / "proc/stat2");
  for (const TreeEntry& entry : record(root()).entries)
    EXPECT_THAT(entry.content, testing::Not(HasSubstr("somebody else"))) << entry.path;
}

TEST_F(RecordedTreeTest, LinksInACircleAreLeftOut) {
  trees::write_tree("orin_agx_jp6", root());
  fs::remove(root() / "proc/cpuinfo");
  fs::create_symlink("cpuinfo", root() / "proc/cpuinfo");
  EXPECT_EQ(record(root()).find("proc/cpuinfo"), nullptr);
}

TEST_F(RecordedTreeTest, WhatIsTooLargeIsToldAndLeftOut) {
  trees::write_tree("orin_agx_jp6", root());
  std::ofstream(root() / "etc/nvpmodel.conf") << std::string(recorded_file_bytes + 1, '#');
  const RecordedTree tree = record(root());
  EXPECT_EQ(tree.find("etc/nvpmodel.conf"), nullptr);
  ASSERT_EQ(tree.unread.size(), 1u);
  EXPECT_THAT(tree.unread[0].message, HasSubstr("/etc/nvpmodel.conf is larger than"));
}

TEST_F(RecordedTreeTest, TheSameEntriesGiveTheSameArchive) {
  const std::vector<TreeEntry> entries = {
      {TreeEntry::Kind::file, "sys/" + std::string(180, 'n') + "/" + std::string(120, 'm'), "1\n"},
      {TreeEntry::Kind::link, "sys/link", std::string(150, 'l')}};
  const auto archive = tar_gz(entries, "b", 1'700'000'000);
  ASSERT_TRUE(archive.ok());
  EXPECT_EQ(*archive, *tar_gz(entries, "b", 1'700'000'000));
  EXPECT_TRUE(write_file(folder_ / "x.tar.gz", *archive).ok());
  const std::string command = "cd '" + folder_.path().string() + "' && tar xzf x.tar.gz";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(*read_file(folder_ / ("b/" + entries[0].path)), "1\n");
  EXPECT_EQ(fs::read_symlink(folder_ / "b/sys/link"), entries[1].content);
}

}  // namespace
}  // namespace flyball
