// A store that was damaged in many ways: a command gives the answer of the whole store, or says
// what is damaged and ends with 2.
#include <gmock/gmock.h>

#include <random>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class DamagedStoreTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    EXPECT_EQ(run({"import", small_table().string()}).exit_code, 0);
    other_ = write("other.csv",
                   "device,workload,phase,gpu_mhz,minibatch_ms,power_w\n"
                   "board,other,train,900,10,20\nboard,other,train,600,14,15\n")
                 .string();
    sound_ = slurp(store());
    table_ = run({"export"}).out;
  }
  fs::path store() const { return folder_ / "store.db"; }

  // Flipped bits, zeros, or a cut.
  std::string damaged(unsigned seed) const {
    std::mt19937 random(seed);
    std::string bytes = sound_;
    const size_t at = random() % bytes.size();
    if (seed % 4 == 0) return bytes.substr(0, at);
    if (seed % 4 == 1) return bytes.replace(at / 4096 * 4096, 4096, std::string(4096, '\0'));
    for (int i = 0; i < 8; ++i) {
      char& byte = bytes[seed % 4 == 2 ? random() % bytes.size() : (at + i) % bytes.size()];
      byte = static_cast<char>(byte ^ 0x41);
    }
    return bytes;
  }
  void expect_damage(const Finished& done, const std::string& content) {
    EXPECT_EQ(done.exit_code, 2) << done.err;
    EXPECT_THAT(done.err, HasSubstr("is damaged: "));
    EXPECT_THAT(done.err, HasSubstr(store().string()));
    EXPECT_THAT(done.err, HasSubstr("HINT: it was left as it is"));
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(slurp(store()), content) << "it was written to";
  }

  std::string sound_, table_, other_;
};

TEST_F(DamagedStoreTest, EveryAnswerIsRightOrTheDamageIsSaid) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const std::string content = damaged(seed);
    std::ofstream(store(), std::ios::binary) << content;
    const Finished exported = run({"export"});
    if (exported.exit_code == 0) {
      EXPECT_EQ(exported.out, table_);
    } else {
      expect_damage(exported, content);
    }
    const Finished imported = run({"import", other_});
    if (imported.exit_code == 0) {
      EXPECT_EQ(run({"runs", "check"}).exit_code, 0);
    } else {
      expect_damage(imported, content);
    }
  }
}

TEST_F(DamagedStoreTest, ACheckSaysThatAStoreIsWhole) {
  EXPECT_THAT(run({"runs", "check"}).out, HasSubstr("is whole: 1 run, 60 measurements"));
  std::ofstream(store(), std::ios::binary) << damaged(1);
  EXPECT_EQ(run({"runs", "check"}).exit_code, 2);
}

}  // namespace
}  // namespace flyball::testing_tools
