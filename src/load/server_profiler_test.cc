#include "load/server_profiler.h"

#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "profile/trials/device_script_testing.h"

namespace flyball {
namespace {

// The board is lost while power is read, which is in the midst of the load.
TEST(ServerProfiler, ATrialFailsWhereTheBoardIsLostMeanwhile) {
  const TempFolder folder;
  auto device = std::make_unique<ScriptedDevice>();
  bool loses = false;
  auto meter = std::make_unique<ScriptedMeter>([of = device.get(), &loses] {
    if (loses) of->stands = [] { return Error{Code::unavailable, "the helper went away", ""}; };
    return 5.0;
  });
  ServerTrialOptions options;
  options.argv = {"python3", "-m",        "http.server", "{port}",
                  "--bind",  "127.0.0.1", "--directory", folder.path().string()};
  options.protocol = "http";
  options.arrivals = constant_arrivals(40);
  options.load_s = 0.3;
  options.warm_up_s = 0.1;
  const auto profiler = make_server_profiler(std::move(device), std::move(meter), options);
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  const auto whole = (*profiler)->measure((*profiler)->default_config());
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(whole->failure, "");
  loses = true;
  const auto lost = (*profiler)->measure((*profiler)->default_config());
  ASSERT_TRUE(lost.ok()) << lost.error().message;
  EXPECT_EQ(lost->failure, "the helper went away");
}

}  // namespace
}  // namespace flyball
