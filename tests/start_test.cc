// What LibTorch is not loaded for, and what is said where it cannot be.
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class StartTest : public CommandTest {
 protected:
  // Every library that the command opened, as the loader tells it.
  std::string libraries(const std::vector<std::string>& arguments, int exit_code = 0) {
    environment_["LD_DEBUG"] = "files";
    environment_["LD_DEBUG_OUTPUT"] = (folder_ / "loader").string();
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, exit_code) << done.err;
    std::string text;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().filename().string().starts_with("loader.")) {
        text += slurp(entry.path());
        fs::remove(entry.path());
      }
    return text;
  }
  std::vector<std::string> table_tune(const std::string& predictor) {
    return {"tune",           "net", "--device",    "table:" + small_table().string(),
            "--power-budget", "20W", "--predictor", predictor,
            "--profiles",     "6",   "--json",      "-q"};
  }
  std::vector<std::string> network() {
    const std::string data = (folder_ / "digits").string();
    EXPECT_EQ(run({"dataset", "make", "digits", "--samples", "600", "--out", data}).exit_code, 0);
    return {"tune", "lenet5", "--data",      data,         "--device", "host",   "--trial-time",
            "0.1s", "--axis", "cpu_cores=1", "--profiles", "1",        "--json", "-q"};
  }
  // A copy of the program without its module.
  void leave_module() {
    fs::create_directories(folder_ / "bin");
    program_ = (folder_ / "bin/flyball").string();
    fs::copy_file(FLYBALL_BIN_DIR "/flyball", program_);
  }
};

TEST_F(StartTest, LoadsLibTorchOnlyForNetworks) {
  const auto without = AllOf(HasSubstr("libc.so"), Not(HasSubstr("torch")));
  EXPECT_THAT(libraries({"--help"}), without);
  EXPECT_THAT(libraries({"measure", "--", "true"}), without);
  EXPECT_THAT(libraries({"doctor"}), without);
  EXPECT_THAT(libraries({"workloads"}), without);
  EXPECT_THAT(libraries({"runs", "list"}), without);
  EXPECT_THAT(libraries(table_tune("auto")), without);
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  const auto with = AllOf(HasSubstr("flyball_torch.so"), HasSubstr("libtorch_cpu.so"));
  EXPECT_THAT(libraries(table_tune("nn+epochs=2")), with);
  EXPECT_THAT(libraries(network()), with);
}

TEST_F(StartTest, DoctorKnowsTheVersionWithoutLoadingIt) {
  const auto doctor = run({"doctor", "--json"}).json();
  for (const auto& each : doctor["capabilities"])
    if (each["name"] == "LibTorch") {
      EXPECT_EQ(each["state"], built_with_torch ? "available" : "missing");
      EXPECT_THAT(
          each["value"].get<std::string>(),
          ContainsRegex(built_with_torch ? "^LibTorch [0-9]+\\." : "built without LibTorch"));
      return;
    }
  FAIL() << doctor;
}

TEST_F(StartTest, WithoutTheModuleOnlyNetworksFail) {
  leave_module();
  EXPECT_EQ(run(table_tune("auto")).exit_code, 0);
  const Finished tune = run(network());
  EXPECT_EQ(tune.exit_code, 2);
  const Finished predictor = run(table_tune("nn"));
  EXPECT_EQ(predictor.exit_code, 2);
  for (const Finished& failed : {tune, predictor}) {
    EXPECT_TRUE(failed.out.empty()) << failed.out;
    EXPECT_THAT(failed.err, HasSubstr("HINT: "));
    EXPECT_THAT(failed.err, HasSubstr(built_with_torch ? (folder_ / "lib/flyball").string()
                                                       : "built without LibTorch"));
  }
  const Finished doctor = run({"doctor"});
  EXPECT_EQ(doctor.exit_code, 0);
  EXPECT_THAT(doctor.out, HasSubstr(built_with_torch ? "flyball_torch.so, which is missing"
                                                     : "built without LibTorch"));
}

}  // namespace
}  // namespace flyball::testing_tools
