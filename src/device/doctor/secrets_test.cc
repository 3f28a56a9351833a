#include "device/doctor/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "base/json.h"
#include "base/os/temp_folder.h"
#include "boards/identity.h"
#include "device/host/board_trees_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Planted {
  const char* kind;   ///< of secret_kinds()
  const char* file;   ///< that has it, below the root
  const char* text;   ///< of that file
  const char* value;  ///< the secret in it
};

// Each kind that is looked up, by the files that hold it.
const Planted planted[] = {
    {"serial", "proc/device-tree/serial-number", "1421222012345\0", "1421222012345"},
    {"serial", "proc/cpuinfo", "processor : 0\nSerial\t\t: 10000000a1b2c3d4\n", "10000000a1b2c3d4"},
    {"serial", "sys/class/dmi/id/product_serial", "PF2XK9QA\n", "PF2XK9QA"},
    {"serial", "sys/block/nvme0n1/device/serial", "S5GXNX0T123456\n", "S5GXNX0T123456"},
    {"serial", "sys/block/mmcblk0/device/cid", "150100424a4e4234520712ab34cd56ef\n",
     "150100424a4e4234520712ab34cd56ef"},
    {"machine-id", "etc/machine-id", "9f8e7d6c5b4a39281706f5e4d3c2b1a0\n",
     "9f8e7d6c5b4a39281706f5e4d3c2b1a0"},
    {"host", "etc/hostname", "alices-orin\n", "alices-orin"},
    {"user", "home/alice/.profile", "", "alice"},
    {"mac", "sys/class/net/eth0/address", "48:b0:2d:5e:11:07\n", "48:b0:2d:5e:11:07"}};

class SecretsTest : public testing::Test {
 protected:
  void SetUp() override {
    trees::write_tree("orin_agx_jp6", root());
    for (const Planted& one : planted) put(one.file, one.text);
    ::setenv("FLYBALL_TEST_API_TOKEN", "hf_1f9c2b7e77d0a41c", 1);
  }
  void TearDown() override { ::unsetenv("FLYBALL_TEST_API_TOKEN"); }
  void put(const std::string& file, const std::string& text) {
    fs::create_directories((root() / file).parent_path());
    std::ofstream(root() / file, std::ios::binary | std::ios::app) << text;
  }
  fs::path root() const { return fs::canonical(folder_.path()) / "tree"; }

  TempFolder folder_;
};

TEST_F(SecretsTest, ValuesOfTheMachineAreFoundByKind) {
  const std::vector<Secret> found = machine_secrets(root());
  for (const Planted& one : planted)
    EXPECT_TRUE(std::ranges::any_of(found, [&](const Secret& secret) {
      return secret.kind == one.kind && secret.value == one.value;
    })) << one.value;
  EXPECT_TRUE(std::ranges::any_of(
      found, [](const Secret& secret) { return secret.value == "hf_1f9c2b7e77d0a41c"; }));
}

TEST_F(SecretsTest, EveryKindOfTheListIsTakenOut) {
  Scrubber scrubber(machine_secrets(root()));
  const std::string text = scrubber.text(
      "1421222012345 9f8e7d6c5b4a39281706f5e4d3c2b1a0 of alice on alices-orin, by "
      "hf_1f9c2b7e77d0a41c; 48-b0-2d-5e-11-08, 192.168.55.1, fe80::4ab0:2dff:fe5e:1107, "
      "GPU-1a2b3c4d-0000-1111-2222-333344445555 in /home/bob/x");
  std::set<std::string> kinds;
  for (const SecretKind& kind : secret_kinds()) kinds.insert(kind.name);
  for (const auto& [kind, count] : scrubber.left_out()) {
    EXPECT_GT(count, 0u);
    EXPECT_EQ(kinds.erase(kind), 1u) << kind << " is not in the list";
    EXPECT_THAT(text, HasSubstr("left-out-" + kind));
  }
  EXPECT_THAT(kinds, testing::IsEmpty());
  for (const char* secret : {"1421222012345", "9f8e7d", "alice", "hf_1f9c", "48-b0", "192.168",
                             "fe80", "333344445555", "bob"})
    EXPECT_THAT(text, Not(HasSubstr(secret)));
}

// What a board says of itself stays as it is, whatever looks like a secret.
TEST_F(SecretsTest, ABoardsTreeStaysAsItIs) {
  ::setenv("USER", "max", 1);  // a user by the name of half of the files
  for (const trees::Board& board : trees::boards()) {
    const TempFolder place;
    const fs::path from = fs::canonical(place.path()) / "tree";
    trees::write_tree(board.kind, from);
    const RecordedTree tree = record_tree(from, identify_board(from).spec);
    Scrubber scrubber(machine_secrets(from));
    const std::vector<TreeEntry> clean = scrubber.tree(tree.entries);
    ASSERT_EQ(clean.size(), tree.entries.size()) << board.kind;
    for (size_t i = 0; i < clean.size(); ++i)
      EXPECT_EQ(clean[i].content, tree.entries[i].content) << board.kind << " " << clean[i].path;
  }
}

TEST_F(SecretsTest, NumbersThatOnlyResembleAddressesStay) {
  Scrubber scrubber({});
  for (const char* text :
       {"R36 (release), REVISION: 4.3", "5.15.148-tegra", "2026-03-01T12:30:05Z", "1-0040",
        "driver 540.4.0", "temp::label", "0000:01:00.0", "ina3221 7-0040", "300.1.1.1",
        "115200 729600 1113600", "model name : Cortex-A78AE::r0p1", "1.2.3.4.5"})
    EXPECT_EQ(scrubber.text(text), text);
  EXPECT_TRUE(scrubber.left_out().empty());
}

TEST_F(SecretsTest, DocumentsAreTakenThroughTextByText) {
  Scrubber scrubber(std::vector<Secret>{{"host", "alices-orin"}});
  const Json clean = scrubber.json({{"held_by", "process 12 on alices-orin"},
                                    {"alices-orin", {1.5, true, nullptr, "10.0.0.7"}}});
  EXPECT_EQ(clean.dump(), R"({"held_by":"process 12 on left-out-host",)"
                          R"("left-out-host":[1.5,true,null,"left-out-address"]})");
}

TEST_F(SecretsTest, AnEntryWhosePathIsASecretIsDropped) {
  Scrubber scrubber({});
  const std::vector<TreeEntry> clean =
      scrubber.tree({{TreeEntry::Kind::file, "sys/class/net/48:b0:2d:5e:11:07/x", "1"},
                     {TreeEntry::Kind::file, "sys/x", "1"}});
  ASSERT_EQ(clean.size(), 1u);
  EXPECT_EQ(clean[0].path, "sys/x");
}

TEST_F(SecretsTest, NamesThatBoardsAreDeliveredWithAreNone) {
  put("home/nvidia/.profile", "");
  put("home/ubuntu/.profile", "");
  for (const Secret& secret : machine_secrets(root())) {
    EXPECT_NE(secret.value, "nvidia");
    EXPECT_NE(secret.value, "ubuntu");
  }
}

}  // namespace
}  // namespace flyball
