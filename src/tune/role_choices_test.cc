#include "tune/role_choices.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(Phase phase, bool any_service) {
  const auto choices = choices_of(phase, any_service, {"gpu_mhz=300,600", "batch_size=1,8"});
  std::vector<std::string> all;
  for (const AxisChoice& choice : choices.value()) all.push_back(choice.name);
  return all;
}

TEST(RoleChoices, ModesAreForAllAndTheRunsSettingsForTheServices) {
  EXPECT_THAT(names(Phase::train, false), ElementsAre("gpu_mhz", "batch_size"));
  EXPECT_THAT(names(Phase::train, true), ElementsAre("gpu_mhz"));
  EXPECT_THAT(names(Phase::infer, true), ElementsAre("gpu_mhz", "batch_size"));
  EXPECT_FALSE(choices_of(Phase::train, false, {"gpu_mhz"}).ok());
}

TEST(RoleChoices, AServiceOpensItsBatchSizeUnlessItIsNamed) {
  const auto named = choices_of(Phase::infer, true, {"batch_size=2,4"}).value();
  EXPECT_THAT(live_axes(Phase::infer, {}),
              ElementsAre("batch_size=1,2,4,8,16,32,64", "loader_workers=0", "prefetch=1"));
  EXPECT_THAT(live_axes(Phase::infer, named),
              ElementsAre("batch_size=2,4", "loader_workers=0", "prefetch=1"));
  EXPECT_THAT(live_axes(Phase::train, named), ElementsAre("batch_size=2,4"));
}

TEST(RoleChoices, EachServiceHasAValueOrAllShareOne) {
  EXPECT_TRUE(check_count("--rate", 0, 2).ok());
  EXPECT_TRUE(check_count("--rate", 1, 2).ok());
  EXPECT_TRUE(check_count("--rate", 2, 2).ok());
  const Status refused = check_count("--rate", 3, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "--rate has 3 values for 1 service");
  EXPECT_THAT(refused.error().hint, HasSubstr("--infer"));
}

}  // namespace
}  // namespace flyball
