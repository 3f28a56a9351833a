#include "fleet/fleet_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FleetFile, NamesBoardsAndTheirNumber) {
  EXPECT_EQ(*parse_fleet_entry("twin:orin_nano=4"), (FleetEntry{"twin:orin_nano", 4}));
  EXPECT_EQ(*parse_fleet_entry("table:a=b.csv=2"), (FleetEntry{"table:a=b.csv", 2}));
  EXPECT_EQ(*parse_fleet_entry("orin_agx"), (FleetEntry{"orin_agx", 1}));
  EXPECT_FALSE(parse_fleet_entry("twin:orin_nano=0").ok());
  EXPECT_FALSE(parse_fleet_entry("twin:orin_nano=1.5").ok());
  EXPECT_FALSE(parse_fleet_entry("twin:orin_nano=99999999").ok());
  EXPECT_FALSE(parse_fleet_entry("=4").ok());
}

TEST(FleetFile, ReadsAFleet) {
  const auto fleet = parse_fleet(
      *parse_csv("board,boards,idle_w\ntwin:orin_agx,2,\ntwin:orin_nano,4,3.5\n", "fleet.csv"));
  ASSERT_TRUE(fleet.ok());
  EXPECT_THAT(*fleet,
              ElementsAre(FleetEntry{"twin:orin_agx", 2}, FleetEntry{"twin:orin_nano", 4, 3.5}));
}

TEST(FleetFile, NamesLineAndColumnOfAFault) {
  const auto fault = [](const char* text) {
    return parse_fleet(*parse_csv(text, "fleet.csv")).error().message;
  };
  EXPECT_THAT(fault("board,boards\na,0\n"), HasSubstr("fleet.csv:2: column 'boards'"));
  EXPECT_THAT(fault("board,boards,idle_w\na,1,-2\n"), HasSubstr("column 'idle_w'"));
  EXPECT_THAT(fault("board,boards\n,1\n"), HasSubstr("is empty"));
  EXPECT_THAT(fault("board\na\n"), HasSubstr("column 'boards' is missing"));
  EXPECT_THAT(fault("board,boards,idle\na,1,2\n"), HasSubstr("column 'idle' is not known"));
}

}  // namespace
}  // namespace flyball
