// Live runs of LeNet-5 on a small drawn dataset.
#pragma once

#include "base/clock_testing.h"
#include "command_testing.h"

namespace flyball::testing_tools {

class LiveTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
    data_ = (folder_ / "digits").string();
    ASSERT_EQ(run({"dataset", "make", "digits", "--samples", "600", "--out", data_}).exit_code, 0);
  }
  std::vector<std::string> live(const std::vector<std::string>& more,
                                const std::string& trial_time = "0.1s") {
    std::vector<std::string> all = {"tune",     "lenet5",      "--data",       data_,
                                    "--device", "host",        "--trial-time", trial_time,
                                    "--axis",   "cpu_cores=1", "--json",       "-q"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Until the command that was started has begun a run and kept so many measurements, or a minute
  /// or more has passed.
  void await_run(int measurements = 0) {
    EXPECT_TRUE(within_seconds_of_now(60, [&] {
      const Finished listed = run({"runs", "list", "--json"});
      const auto runs = listed.exit_code == 0 ? listed.json()["runs"] : nlohmann::json();
      return !runs.empty() && runs[0]["measurements"] >= measurements;
    })) << "no run has begun, or none got so far";
  }
  std::string data_;
};

}  // namespace flyball::testing_tools
