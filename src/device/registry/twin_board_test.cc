#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "device/registry/board.h"
#include "device/registry/twin_report.h"
#include "twin/twin.h"

namespace flyball {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST(SimulatedBoard, EveryOneOpensAndSaysThatItIsSimulated) {
  for (const char* id : {"nano", "xavier_nx", "xavier_agx", "orin_nano", "orin_nx", "orin_agx",
                         "rpi5", "rtx3090", "rtx_a5000"}) {
    const auto board = open_board(std::string("twin:") + id);
    ASSERT_TRUE(board.ok()) << id;
    const BoardInfo& info = (*board)->info();
    EXPECT_EQ(info.device.name, id);
    EXPECT_THAT(info.device.title, HasSubstr("(simulated)"));
    EXPECT_THAT(info.device.fingerprint, HasSubstr("twin of"));
    EXPECT_EQ(info.provenance, Provenance::simulated);
    ASSERT_NE((*board)->twin(), nullptr);
    EXPECT_EQ((*board)->table(), nullptr);
    const auto knobs = (*board)->knobs();
    ASSERT_TRUE(knobs.ok());
    EXPECT_TRUE(find_axis((*knobs)->axes(), axis::cpu_cores));
  }
}

TEST(SimulatedBoard, SaysWhatItsFiguresRestOn) {
  const auto gaps_of = [](const std::string& id) {
    return join((*(*open_board("twin:" + id))->knobs())->gap_texts(), "; ");
  };
  EXPECT_THAT(gaps_of("rtx3090"), AllOf(HasSubstr("by hand"), HasSubstr("power is an assumption")));
  EXPECT_THAT(gaps_of("rtx3090"), Not(HasSubstr("no measurement")));
  EXPECT_THAT(gaps_of("orin_nx"), HasSubstr("compared with no measurement"));
  EXPECT_THAT(gaps_of("orin_agx"), Not(AnyOf(HasSubstr("hand"), HasSubstr("no measurement"))));
}

TEST(SimulatedBoard, AnotherOneIsNamedWithThoseThereAre) {
  const auto none = open_board("twin:orin");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message + none.error().hint, HasSubstr("orin_agx"));
  EXPECT_FALSE(open_board("twin").ok());
}

TEST(SimulatedBoard, ModesAreReadBackAndNothingStays) {
  const auto board = open_board("twin:orin_agx");
  ASSERT_TRUE(board.ok());
  auto knobs = *(*board)->knobs();
  const PowerMode highest = knobs->baseline();
  PowerMode mode = highest;
  mode.values[axis::cpu_cores] = 4;
  ASSERT_TRUE(knobs->apply(mode).ok());
  EXPECT_EQ(knobs->observed(), mode.values);
  PowerMode odd = highest;
  odd.values[axis::gpu_mhz] += 1;
  const Status refused = knobs->apply(odd);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("gpu_mhz"));
  EXPECT_EQ(knobs->observed(), mode.values);
  EXPECT_FALSE(knobs->keep().ok());
  ASSERT_TRUE(knobs->restore().ok());
  EXPECT_EQ(knobs->observed(), highest.values);
}

TEST(SimulatedBoard, PowerIsThatOfTheModuleWhereRailsMakeIt) {
  const auto board = open_board("twin:orin_agx");
  ASSERT_TRUE(board.ok());
  EXPECT_EQ(twin_power_total(*(*board)->twin()), "module");
  TwinBoard without = *(*board)->twin();
  without.rails.clear();
  EXPECT_EQ(twin_power_total(without), "");
  // Rails of which none is the module's: the only one's name, else their sum.
  without.rails = {{"PMIC", {true}, false}};
  EXPECT_EQ(twin_power_total(without), "PMIC");
  without.rails.push_back({"GPU", {false, true}, false});
  EXPECT_EQ(twin_power_total(without), "monitor");
  EXPECT_EQ((*board)->power()->total(), "");
  EXPECT_NE((*board)->power()->gap(), "");
}

std::string power_modes_of(const std::string& board) {
  for (const Capability& one : examine_twin(**open_board(board)))
    if (one.name == "power modes") return one.value;
  return "";
}

TEST(SimulatedBoard, HasThePresetsThatAreKnownOfItsKind) {
  const Presets known = (*open_board("twin:orin_agx"))->presets();
  ASSERT_EQ(known.list.size(), 4u);
  EXPECT_EQ(known.in_force()->name, "30W");
  EXPECT_EQ(known.list[1].mode.values.at(axis::mem_mhz), 2133);
  EXPECT_EQ(known.list[2].mode.values.at(axis::mem_mhz), 3199);
  EXPECT_EQ(power_modes_of("twin:orin_agx"),
            "each trial sets its own; as delivered the board is in preset 30W, which answers call "
            "in force");
}

TEST(SimulatedBoard, PresetsAreMissedOnJetsonsAlone) {
  for (const std::string board : {"orin_nx", "tx2", "rpi5", "rtx3090"}) {
    const auto opened = open_board("twin:" + board);
    EXPECT_TRUE((*opened)->presets().list.empty());
    const bool jetson = board == "orin_nx" || board == "tx2";
    const auto gaps = (*(*opened)->knobs())->gap_texts();
    EXPECT_EQ(std::ranges::any_of(gaps,
                                  [](const std::string& gap) {
                                    return gap.find("nvpmodel's presets") != std::string::npos;
                                  }),
              jetson)
        << board;
    EXPECT_EQ(why_no_presets(**opened), jetson
                                            ? "nvpmodel's presets of this board are not known"
                                            : "this board has no presets: nvpmodel is of Jetsons");
    EXPECT_EQ(power_modes_of("twin:" + board), "each trial sets its own");
  }
}

}  // namespace
}  // namespace flyball
