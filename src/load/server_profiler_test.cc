#include "load/server_profiler.h"

#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "profile/trials/device_script_testing.h"

namespace flyball {
namespace {

ServerTrialOptions files_served(const std::vector<std::string>& words) {
  ServerTrialOptions options;
  options.argv = {"python3", "-m", "http.server", "{port}", "--bind", "127.0.0.1"};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  options.protocol = "http";
  options.arrivals = constant_arrivals(40);
  options.load_s = 0.3;
  options.warm_up_s = 0.1;
  return options;
}

std::string default_of(const ServerTrialOptions& options) {
  const auto profiler =
      make_server_profiler(std::make_unique<ScriptedDevice>(),
                           std::make_unique<ScriptedMeter>([] { return 5.0; }), options);
  EXPECT_TRUE(profiler.ok()) << profiler.error().message;
  return profiler.ok() ? (*profiler)->default_reason() : "";
}

// A mode of fewer values than the board's is not the one that it was in.
TEST(ServerProfiler, SaysWhatTheFirstTrialIsMadeWith) {
  ServerTrialOptions options = files_served({});
  EXPECT_EQ(default_of(options), "the mode as it was");
  options.open = {named_axis("gpu_mhz", {300})};
  EXPECT_EQ(default_of(options), "the mode nearest to the one before");
  options = files_served({"{protocol_version}"});
  options.open = {named_axis("protocol_version", {1, 2})};
  EXPECT_EQ(default_of(options),
            "the mode as it was, and the lowest value of each axis of the server");
}

// What a trial is measured under: the times of a trace, whatever its file is called.
TEST(ServerProfiler, ATraceIsWhatItsTimesAre) {
  const auto load_of = [](double step_s) {
    ServerTrialOptions options = files_served({});
    options.arrivals.kind = ArrivalKind::trace;
    options.arrivals.text = "trace:t.csv";
    for (int i = 0; i < 20; ++i) options.arrivals.times_s.push_back(step_s * i);
    const auto profiler =
        make_server_profiler(std::make_unique<ScriptedDevice>(),
                             std::make_unique<ScriptedMeter>([] { return 5.0; }), options);
    EXPECT_TRUE(profiler.ok()) << profiler.error().message;
    return (*profiler)->info().conditions.at("load");
  };
  EXPECT_EQ(load_of(0.1), load_of(0.1));
  EXPECT_NE(load_of(0.1), load_of(0.2));
}

// The board is lost while power is read, which is in the midst of the load.
TEST(ServerProfiler, ATrialFailsWhereTheBoardIsLostMeanwhile) {
  const TempFolder folder;
  auto device = std::make_unique<ScriptedDevice>();
  bool loses = false;
  auto meter = std::make_unique<ScriptedMeter>([of = device.get(), &loses] {
    if (loses) of->stands = [] { return Error{Code::unavailable, "the helper went away", ""}; };
    return 5.0;
  });
  const ServerTrialOptions options = files_served({"--directory", folder.path().string()});
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
