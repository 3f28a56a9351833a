#include "device/verify/knob_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "device/host/board_device.h"
#include "device/host/board_trees_testing.h"
#include "device/setting_script_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class KnobCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    trees::write_tree("orin_agx_jp6", root());
    device_ = open_known_board(
        board(),
        {.root = root(), .journal = folder_ / "state" / "board.journal", .files = &script_});
    before_ = read_board_settings(root(), board());
  }
  BoardIdentity board() const { return identify_board(root()); }
  fs::path root() const { return fs::canonical(folder_.path()) / "tree"; }
  Result<KnobCheck> check(const std::string& axis, const std::vector<double>& values) {
    for (const AxisState& state : device_->states())
      if (state.axis.name == axis)
        return check_knob(*device_, state, values, {.stay_s = 0.05, .clocks = false});
    return Error{Code::not_found, axis, ""};
  }
  std::vector<std::string> changed() const {
    return changed_settings(before_, read_board_settings(root(), board()));
  }

  TempFolder folder_;
  SettingScript script_;
  std::unique_ptr<BoardDevice> device_;
  BoardSettings before_;
};

TEST(ValuesToTry, NoneLiesAboveTheCeiling) {
  const std::vector<double> listed = {306, 408, 510, 612, 714, 816};
  EXPECT_THAT(values_to_try(listed, 612, 3), ElementsAre(612, 510, 408));
  EXPECT_THAT(values_to_try(listed, 700, 2), ElementsAre(612, 408));
  EXPECT_THAT(values_to_try(listed, 306, 3), ElementsAre(306));
  EXPECT_THAT(values_to_try(listed, 200, 3), IsEmpty());
  EXPECT_THAT(values_to_try({1, 2}, 2, 3), ElementsAre(2, 1));
}

TEST_F(KnobCheckTest, EachKnobIsSetReadBackAndPutBack) {
  for (const auto& [axis, values] :
       std::map<std::string, std::vector<double>>{{"cpu_cores", {12, 4}},
                                                  {"cpu_mhz", {1344}},
                                                  {"gpu_mhz", {1020, 408}},
                                                  {"mem_mhz", {3199, 2133}}}) {
    const auto done = check(axis, values);
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_EQ(done->values.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(done->values[i].failure, "") << axis;
      EXPECT_EQ(done->values[i].read_back, values[i]) << axis;
    }
    EXPECT_TRUE(done->restored);
    EXPECT_THAT(changed(), IsEmpty()) << axis;
  }
}

TEST_F(KnobCheckTest, AValueThatTheDriverRefusesIsNamed) {
  script_.refuse("17000000.gpu/max_freq");
  const auto done = check("gpu_mhz", {612});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_THAT(done->values[0].failure, HasSubstr("Invalid argument"));
  EXPECT_FALSE(done->values[0].read_back);
  EXPECT_THAT(changed(), IsEmpty());
}

// As a service does that sets the mode again.
TEST_F(KnobCheckTest, AValueThatDoesNotStayIsNamed) {
  const fs::path file = root() / "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/max_freq";
  std::thread service([&] {
    for (int round = 0; round < 5000; ++round) {
      const auto text = read_file(file);
      if (text && text->starts_with("612000000")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::ofstream(file) << "816000000\n";
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (const AxisState& state : device_->states()) {
    if (state.axis.name != "gpu_mhz") continue;
    const auto done = check_knob(*device_, state, {612}, {.stay_s = 0.5, .clocks = false});
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_THAT(done->values[0].failure, HasSubstr("a moment later"));
  }
  service.join();
  EXPECT_THAT(changed(), IsEmpty());
}

// A clock that reads above what was set is not held.
TEST_F(KnobCheckTest, AClockThatIsNotHeldIsNamed) {
  const fs::path clock = root() / "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/cur_freq";
  EXPECT_TRUE(write_file(clock, "1300500000\n").ok());
  for (const AxisState& state : device_->states()) {
    if (state.axis.name != "gpu_mhz") continue;
    const auto done = check_knob(*device_, state, {612}, {.stay_s = 0, .clocks = true});
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->values[0].clock, 1300.5);
    EXPECT_THAT(done->values[0].failure, HasSubstr("the clock reads 1300.5"));
  }
}

TEST_F(KnobCheckTest, AnInterruptPutsBack) {
  const std::atomic<bool> stop = true;
  for (const AxisState& state : device_->states()) {
    const auto done =
        check_knob(*device_, state, {state.axis.values.front()}, {.interrupted = &stop});
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, Code::interrupted);
  }
  EXPECT_THAT(changed(), IsEmpty());
}

TEST_F(KnobCheckTest, DifferencesNameTheFile) {
  EXPECT_TRUE(write_file(root() / "sys/devices/system/cpu/cpu3/online", "0\n").ok());
  EXPECT_THAT(changed(), ElementsAre("/sys/devices/system/cpu/cpu3/online: 1 before, 0 now"));
}

}  // namespace
}  // namespace flyball
