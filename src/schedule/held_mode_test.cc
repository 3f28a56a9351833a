#include "schedule/held_mode.h"

#include <gmock/gmock.h>

#include "device/helper/helper_testing.h"
#include "profile/trials/device_script_testing.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const PowerMode slow{{{"gpu_mhz", 300}}};
constexpr int64_t one_second_ns = 1'000'000'000;

TEST(HeldMode, IsAskedForFromTimeToTimeOnceItIsSet) {
  ScriptedDevice device;
  HeldMode held(device);
  const int64_t now_ns = monotonic_ns();
  EXPECT_FALSE(held.due(now_ns + 20 * one_second_ns));  // there is none
  ASSERT_TRUE(held.set(slow).ok());
  EXPECT_FALSE(held.due(now_ns + 9 * one_second_ns));
  EXPECT_TRUE(held.due(now_ns + 20 * one_second_ns));
  EXPECT_FALSE(held.due(now_ns + 29 * one_second_ns));
  EXPECT_TRUE(held.due(now_ns + 30 * one_second_ns));
}

// The device says once that it was put back.
TEST(HeldMode, IsLostUntilItIsSetAgain) {
  ScriptedDevice device;
  std::vector<std::string> told;
  HeldMode held(device, [&told](const std::string& mode) { told.push_back(mode); });
  EXPECT_EQ(held.text(), "");
  EXPECT_FALSE(held.stands());
  ASSERT_TRUE(held.set(slow).ok());
  EXPECT_TRUE(held.still_set().ok());
  EXPECT_TRUE(held.stands());
  device.stands = [] { return Error{Code::unavailable, "the helper has gone", ""}; };
  EXPECT_FALSE(held.still_set().ok());
  device.stands = {};
  EXPECT_THAT(held.still_set().error().message, HasSubstr("has gone"));
  device.refuse = true;
  EXPECT_FALSE(held.stands());
  EXPECT_FALSE(held.set_again().ok());
  EXPECT_FALSE(held.still_set().ok());
  EXPECT_FALSE(held.stands());
  device.refuse = false;
  EXPECT_TRUE(held.set_again().ok());
  EXPECT_TRUE(held.still_set().ok());
  EXPECT_TRUE(held.stands());
  EXPECT_THAT(told, ElementsAre("gpu_mhz 300", "", "gpu_mhz 300"));
}

TEST(HeldMode, DoesNotStandWhereAnotherOneWasSetInVain) {
  ScriptedDevice device;
  HeldMode held(device);
  ASSERT_TRUE(held.set(slow).ok());
  device.refuse = true;
  EXPECT_FALSE(held.set({{{"gpu_mhz", 600}}}).ok());
  EXPECT_FALSE(held.stands());
  EXPECT_EQ(held.text(), "gpu_mhz 300");
  device.refuse = false;
  ASSERT_TRUE(held.set(slow).ok());
  EXPECT_TRUE(held.stands());
}

class HeldByHelperTest : public HelperTest {};

TEST_F(HeldByHelperTest, IsSetAgainWhereTheHelperWasStartedAnew) {
  start_helper();
  int set[2], killed[2], again[2];
  for (int* ends : {set, killed, again}) ASSERT_EQ(::pipe(ends), 0);
  TestProcess client({}, [&] {
    const auto device = user_device();
    HeldMode held(*device);
    if (!held.set({{{"cpu_mhz", 729.6}}}).ok()) return 1;
    char byte = 'x';
    (void)!::write(set[1], &byte, 1);
    (void)!::read(killed[0], &byte, 1);
    if (held.still_set().ok()) return 2;
    if (!held.set_again().ok() || !held.still_set().ok()) return 3;
    (void)!::write(again[1], &byte, 1);
    (void)!::read(killed[0], &byte, 1);
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(::read(set[0], &byte, 1), 1);
  EXPECT_FALSE(restored());
  EXPECT_EQ(helper_.end(SIGKILL), -SIGKILL);
  start_helper();
  EXPECT_TRUE(restored());
  ASSERT_EQ(::write(killed[1], &byte, 1), 1);
  ::close(again[1]);  // so that one hears where it has ended instead
  EXPECT_EQ(::read(again[0], &byte, 1), 1);
  EXPECT_FALSE(restored());
  (void)!::write(killed[1], &byte, 1);
  EXPECT_EQ(client.wait(), 0);
  EXPECT_TRUE(soon_restored());
}

}  // namespace
}  // namespace flyball
