// Logs of tegrastats from the command line: into the store, into files, joined to runs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <ctime>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class ImportTracesTest : public CommandTest {
 protected:
  /// From a minute before now to a minute after, a line a second, 12.5 W, in a zone an hour east.
  fs::path log_of_now() {
    std::string text;
    const time_t now = ::time(nullptr);
    for (int i = -60; i < 60; ++i) {
      const time_t local = now + 3600 + i;
      std::tm date{};
      ::gmtime_r(&local, &date);
      char stamp[32];
      std::strftime(stamp, sizeof stamp, "%m-%d-%Y %H:%M:%S", &date);
      text += fmt::format(
          "{} RAM 900/7620MB (lfb 8x2MB) CPU [{}%@729,off] GR3D_FREQ 63%@[621] "
          "tj@50C VDD_IN 12500mW/12000mW VDD_CPU_GPU_CV 4000mW/4000mW\n",
          stamp, 20 + i % 7);
    }
    return write("tegrastats.log", text);
  }
};

TEST_F(ImportTracesTest, ALogComesIntoTheStoreOnce) {
  const std::string log = log_of_now();
  const Finished done = run({"import", "--format", "tegrastats", log});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto again = run({"import", "--format", "tegrastats", log, "--json"}).json();
  EXPECT_EQ(again["already_there"], true);
  EXPECT_EQ(again["import"], 1);
  EXPECT_EQ(again["lines"], 120);
  const auto kept = run({"runs", "show", "1", "--json"}).json()["answer"];
  EXPECT_EQ(kept["module_rails"][0], "VDD_IN");
  EXPECT_EQ(kept["traces"][0]["times_s"].size(), kept["traces"][0]["values"].size());
}

TEST_F(ImportTracesTest, ALogGoesIntoFiles) {
  const std::string log = log_of_now();
  const std::string csv = (folder_ / "traces.csv").string(), json = (folder_ / "t.json").string();
  ASSERT_EQ(run({"import", "--format", "tegrastats", log, "--out", csv}).exit_code, 0);
  EXPECT_THAT(slurp(csv), HasSubstr("time_s,sensor,unit,value\n0.000000,"));
  EXPECT_THAT(slurp(csv), HasSubstr("VDD_IN,W,12.5\n"));
  ASSERT_EQ(run({"import", "--format", "tegrastats", log, "--out", json}).exit_code, 0);
  EXPECT_FALSE(nlohmann::json::parse(slurp(json)).empty());
  EXPECT_FALSE(fs::exists(folder_ / "store.db"));
}

TEST_F(ImportTracesTest, ALogIsJoinedToARunByTime) {
  const std::string log = log_of_now();
  ASSERT_EQ(run({"tune", "--axis", "batch_size=1,2", "--axis", "cpu_cores=1", "--strategy",
                 "brute-force", "--no-verify", "-q", "--", "sleep", "1.{batch_size}"})
                .exit_code,
            0);
  const Finished joined =
      run({"import", "--format", "tegrastats", log, "--run", "1", "--plug-zone", "1h", "--json"});
  ASSERT_EQ(joined.exit_code, 0) << joined.err;
  const auto trials = joined.json()["joined"]["trials"];
  ASSERT_EQ(trials.size(), 2u);
  for (const auto& trial : trials) {
    EXPECT_NEAR(trial["power_w"], 12.5, 1e-6) << trial;
    EXPECT_NEAR(trial["energy_j"].get<double>(), 12.5 * trial["covered_s"].get<double>(), 1e-3);
    EXPECT_GT(trial["covered_s"], 1);
  }
  EXPECT_THAT(run({"import", "--format", "tegrastats", log, "--run", "1", "--plug-zone", "1h"}).out,
              HasSubstr("W by the log"));
  const Finished elsewhere = run({"import", "--format", "tegrastats", log, "--run", "1"});
  EXPECT_EQ(elsewhere.exit_code, 2);
  EXPECT_THAT(elsewhere.err, HasSubstr("covers none of the 2 trials of run 1"));
  EXPECT_THAT(elsewhere.err, HasSubstr("--plug-zone"));
}

TEST_F(ImportTracesTest, MeasureJoinsALogAsItJoinsAPlugMeters) {
  const Finished done = run({"measure", "--plug", log_of_now().string(), "--plug-zone", "1h",
                             "--json", "--", "sleep", "1.5"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto document = done.json();
  ASSERT_FALSE(document["totals"].empty()) << document;
  EXPECT_EQ(document["totals"].back()["name"], "tegrastats");
  EXPECT_NEAR(document["totals"].back()["mean_w"], 12.5, 1e-6);
}

}  // namespace
}  // namespace flyball::testing_tools
