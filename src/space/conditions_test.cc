#include "space/conditions.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Conditions with_power = {{"dataset", "/data/a"}, {"power", "package"}};
const Conditions without_power = {{"dataset", "/data/a"}, {"power", no_power}};

TEST(Conditions, ServeWhereAllAreEqual) {
  EXPECT_TRUE(serves(with_power, with_power));
  EXPECT_TRUE(serves({}, {}));
  Conditions other = with_power;
  other["dataset"] = "/data/b";
  EXPECT_FALSE(serves(other, with_power));
  other = with_power;
  other.emplace("OMP_NUM_THREADS", "1");
  EXPECT_FALSE(serves(other, with_power));
  EXPECT_FALSE(serves(with_power, other));
}

TEST(Conditions, PowerServesWhereThereIsNoneButNotTheOtherWayRound) {
  EXPECT_TRUE(serves(with_power, without_power));
  EXPECT_FALSE(serves(without_power, with_power));
  Conditions other_total = with_power;
  other_total["power"] = "module";
  EXPECT_FALSE(serves(other_total, with_power));
  Conditions other_data = with_power;
  other_data["dataset"] = "/data/b";
  EXPECT_FALSE(serves(other_data, without_power));
}

TEST(Conditions, DifferencesAreNamed) {
  EXPECT_THAT(differences(with_power, with_power), IsEmpty());
  EXPECT_THAT(differences(with_power, {{"dataset", "/data/b"}, {"script", "x"}}),
              ElementsAre("dataset was /data/a, now /data/b", "power was package, now not set",
                          "script was not set, now x"));
}

}  // namespace
}  // namespace flyball
