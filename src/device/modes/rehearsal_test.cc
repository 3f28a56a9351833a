#include "device/modes/rehearsal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "device/host/board_trees_testing.h"
#include "device/setting_script_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RehearsalTest : public testing::Test {
 protected:
  fs::path root() const { return fs::canonical(folder_.path()) / "tree"; }
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root()))
      if (entry.is_regular_file()) all[entry.path().string()] = *read_file(entry.path());
    return all;
  }
  Result<Rehearsal> rehearse(const ModeRequest& request) const {
    return rehearse_mode(identify_board(root()), root(), request);
  }
  /// What set_mode() really writes.
  std::vector<std::string> written(const ModeRequest& request) {
    SettingScript script;
    const auto board = open_known_board(
        identify_board(root()),
        {.root = root(), .journal = folder_ / "state" / "board.journal", .files = &script});
    const auto mode = set_mode(*board, root(), request);
    EXPECT_TRUE(mode.ok()) << mode.error().message;
    std::vector<std::string> writes;
    for (size_t i = 0; i < script.log.size(); ++i)
      writes.push_back("/" + script.paths[i].lexically_relative(root()).string() +
                       script.log[i].substr(script.log[i].find('=')));
    return writes;
  }

  TempFolder folder_;
};

TEST_F(RehearsalTest, TellsTheWritesThatAreMadeAndMakesNone) {
  const std::vector<ModeRequest> requests = {
      {.mode = {{{"cpu_cores", 4}, {"cpu_mhz", 1344}, {"gpu_mhz", 612}, {"mem_mhz", 2133}}}},
      {.mode = {{{"gpu_mhz", 1300.5}}}},
      {.preset = "15W"},
      {.preset = "30W", .pin_max = true},
      {.pin_max = true}};
  for (const ModeRequest& request : requests) {
    fs::remove_all(root());
    trees::write_tree("orin_agx_jp6", root());
    const auto before = content();
    const auto rehearsal = rehearse(request);
    ASSERT_TRUE(rehearsal.ok()) << rehearsal.error().message;
    EXPECT_EQ(content(), before);
    EXPECT_THAT(rehearsal->notes, IsEmpty());
    std::vector<std::string> told;
    for (const PlannedWrite& write : rehearsal->writes)
      told.push_back(write.file + "=" + write.value);
    EXPECT_THAT(told, testing::Not(IsEmpty()));
    EXPECT_EQ(told, written(request));
  }
}

TEST_F(RehearsalTest, SaysWhatIsThereBeforeEachWrite) {
  trees::write_tree("orin_agx_jp6", root());
  const auto rehearsal = rehearse({.mode = {{{"gpu_mhz", 612}}}});
  ASSERT_TRUE(rehearsal.ok());
  const std::string gpu = "/sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/";
  EXPECT_EQ(rehearsal_text(*rehearsal), gpu + "min_freq <- 612000000 (now 306000000)\n" + gpu +
                                            "max_freq <- 612000000 (now 1300500000)\n");
  EXPECT_EQ(rehearsal_json(*rehearsal)["writes"][0]["now"], "306000000");
  EXPECT_EQ(rehearsal->mode.values.at("gpu_mhz"), 612);
}

TEST_F(RehearsalTest, WhatWouldBeRefusedIsRefused) {
  trees::write_tree("orin_agx_jp6", root());
  EXPECT_THAT(rehearse({.mode = {{{"gpu_mhz", 600}}}}).error().hint, HasSubstr("510 and 612"));
  EXPECT_THAT(rehearse({.preset = "7W"}).error().message, HasSubstr("no preset '7W'"));
}

TEST_F(RehearsalTest, AModeThatIsInForceNeedsNoWrite) {
  trees::write_tree("orin_agx_jp6", root());
  const auto rehearsal = rehearse({.mode = {{{"cpu_cores", 12}}}});
  ASSERT_TRUE(rehearsal.ok());
  EXPECT_THAT(rehearsal->writes, IsEmpty());
  EXPECT_THAT(rehearsal_text(*rehearsal), HasSubstr("nothing to write"));
}

// Nothing is there to be said of the clocks of a cluster that is off.
TEST_F(RehearsalTest, ClustersThatAreOffAreNoted) {
  trees::write_tree("orin_agx_jp6", root());
  trees::half_offline(root());
  const auto rehearsal = rehearse({.preset = "50W"});
  ASSERT_TRUE(rehearsal.ok()) << rehearsal.error().message;
  EXPECT_THAT(rehearsal->notes, ElementsAre(HasSubstr("cores are off")));
}

}  // namespace
}  // namespace flyball
