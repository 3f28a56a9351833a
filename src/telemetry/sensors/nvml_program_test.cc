#include "telemetry/sensors/nvml_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "telemetry/sensors/nvml_entries.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class NvmlProgramTest : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("FAKE_NVML");
    ::unsetenv("FAKE_NVML_PID");
  }
  static Result<NvmlApi> open(const char* behaves, const std::string& library = fake()) {
    ::setenv("FAKE_NVML", behaves, 1);
    return open_by_program(program(), library);
  }
  static std::string program() { return FLYBALL_BIN_DIR "/flyball-nvml"; }
  static std::string fake() { return FLYBALL_BIN_DIR "/libflyball_fake_nvml.so"; }
};

// What the library answers within this process is what the program answers.
TEST_F(NvmlProgramTest, EveryReadingIsThatOfTheLibrary) {
  ::setenv("FAKE_NVML_PID", "77", 1);
  const auto there = open("");
  ASSERT_TRUE(there.ok()) << there.error().message;
  const auto here = NvmlApi::open(fake());
  ASSERT_TRUE(here.ok());
  for (const NvmlApi* api : {&*there, *here}) {
    unsigned gpus = 0, value = 0, low = 0, high = 0;
    EXPECT_EQ(api->device_count(&gpus), nvml_success);
    EXPECT_EQ(gpus, 2u);
    NvmlDevice device = nullptr;
    EXPECT_EQ(api->device(2, &device), nvml_bad_argument);
    ASSERT_EQ(api->device(1, &device), nvml_success);
    EXPECT_EQ(nvml_text(api->name, device), "Fake GPU");
    EXPECT_EQ(nvml_text(api->uuid, device), "GPU-2000-fake");
    std::array<char, 4> driver{};
    EXPECT_EQ(api->driver_version(driver.data(), driver.size()), nvml_success);
    EXPECT_STREQ(driver.data(), "550");
    EXPECT_EQ(api->power(device, &value), nvml_success);
    EXPECT_EQ(value, 50'000u);
    EXPECT_EQ(api->clock(device, 2, &value), nvml_success);
    EXPECT_EQ(value, 2619u);
    EXPECT_EQ(api->temperature(device, 0, &value), nvml_success);
    EXPECT_EQ(value, 61u);
    NvmlUtilization use;
    EXPECT_EQ(api->utilization(device, &use), nvml_success);
    EXPECT_EQ(use.gpu, 87u);
    EXPECT_EQ(use.memory, 12u);
    unsigned long long wide = 0;
    EXPECT_EQ(api->energy(device, &wide), nvml_success);
    EXPECT_GT(wide, 0u);
    EXPECT_EQ(api->throttle_reasons(device, &wide), nvml_success);
    EXPECT_EQ(wide, 1u);
    EXPECT_EQ(api->mig_mode(device, &low, &high), nvml_success);
    EXPECT_EQ(api->power_limits(device, &low, &high), nvml_success);
    EXPECT_EQ(low, 100'000u);
    EXPECT_EQ(high, 400'000u);
    std::array<unsigned, 8> clocks{};
    unsigned count = clocks.size();
    EXPECT_EQ(api->graphics_clocks(device, 2619, &count, clocks.data()), nvml_success);
    EXPECT_EQ(count, 5u);
    EXPECT_EQ(clocks[4], 345u);
    count = clocks.size();
    EXPECT_EQ(api->memory_clocks(device, &count, clocks.data()), nvml_success);
    EXPECT_EQ(count, 3u);
    ASSERT_EQ(api->device(0, &device), nvml_success);
    std::array<NvmlProcessMemory, 4> held{};
    count = held.size();
    EXPECT_EQ(api->compute_processes(device, &count, held.data()), nvml_success);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(held[0].pid, 77u);
    EXPECT_EQ(held[0].bytes, 1u << 30);
    std::array<NvmlProcessUse, 4> used{};
    count = used.size();
    EXPECT_EQ(api->process_use(device, used.data(), &count, 5'000'000), nvml_success);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(used[0].gpu, 60u);
    EXPECT_EQ(used[1].time_us, 5'000'000u);
    EXPECT_FALSE(api->graphics_processes);
    EXPECT_FALSE(api->memory);  // the stand-in has no such entry
    EXPECT_EQ(api->message(3), "Not Supported");
    EXPECT_EQ(api->message(77), "error 77");
  }
}

TEST_F(NvmlProgramTest, Sets) {
  const TempFolder folder;
  ::setenv("FAKE_NVML_STATE", folder.path().c_str(), 1);
  const auto api = open("");
  ::unsetenv("FAKE_NVML_STATE");
  ASSERT_TRUE(api.ok());
  NvmlDevice device = nullptr;
  ASSERT_EQ(api->device(0, &device), nvml_success);
  EXPECT_EQ(api->set_power_limit(device, 200'000), nvml_success);
  EXPECT_EQ(api->set_power_limit(device, 1), nvml_bad_argument);
  EXPECT_EQ(api->lock_gpu(device, 345, 1200), nvml_success);
  EXPECT_EQ(api->unlock_gpu(device), nvml_success);
  EXPECT_EQ(api->lock_memory(device, 405, 1593), nvml_success);
  EXPECT_EQ(api->unlock_memory(device), nvml_success);
  unsigned limit = 0;
  EXPECT_EQ(api->power_limit(device, &limit), nvml_success);
  EXPECT_EQ(limit, 200'000u);
  EXPECT_EQ(*read_file(folder / "calls"),
            "gpu0 power_limit 200000 200000\ngpu0 power_limit 1 1\ngpu0 lock_gpu 345 1200\n"
            "gpu0 unlock_gpu 0 0\ngpu0 lock_memory 405 1593\ngpu0 unlock_memory 0 0\n");
}

TEST_F(NvmlProgramTest, SaysWhyThereIsNothing) {
  EXPECT_THAT(open("no_driver").error().message, HasSubstr("does not start: Driver Not Loaded"));
  EXPECT_THAT(open("", "/nowhere/libnvidia-ml.so.1").error().message,
              HasSubstr("no NVIDIA management library (/nowhere/libnvidia-ml.so.1)"));
  EXPECT_THAT(open("", "libm.so.6").error().message, HasSubstr("is not NVIDIA's"));
  EXPECT_THAT(open_by_program("/nowhere/flyball-nvml", fake()).error().message,
              HasSubstr("flyball-nvml, which is not there"));
  EXPECT_THAT(open_by_program("/bin/true", fake()).error().message, HasSubstr("does not start"));
}

TEST_F(NvmlProgramTest, RootRunsNothingThatOthersCanWrite) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  const TempFolder folder;
  const fs::path copy = folder / "flyball-nvml";
  fs::copy_file(program(), copy);
  fs::permissions(copy, fs::perms(0777));
  EXPECT_EQ(open_by_program(copy, fake()).error().code, Code::permission);
}

// A library that crashes takes flyball-nvml with it, and nothing else.
TEST_F(NvmlProgramTest, ItsEndIsAnErrorOfTheNextCall) {
  const TempFolder folder;
  const fs::path script = folder / "ends";
  std::ofstream(script) << "#!/bin/sh\necho 'ready power'\nread -r line\necho '0 100000'\n";
  fs::permissions(script, fs::perms(0755));
  const auto api = open_by_program(script, fake());
  ASSERT_TRUE(api.ok());
  unsigned milliwatts = 0;
  EXPECT_EQ(api->power(nullptr, &milliwatts), nvml_success);
  EXPECT_EQ(milliwatts, 100'000u);
  EXPECT_EQ(api->power(nullptr, &milliwatts), nvml_unknown);
  EXPECT_THAT(api->message(nvml_unknown), HasSubstr("has ended"));
}

TEST_F(NvmlProgramTest, AnswersThatAreNoneAreErrors) {
  const TempFolder folder;
  const fs::path script = folder / "odd";
  std::ofstream(script) << "#!/bin/sh\necho 'ready power memory_clocks'\nfor answer in '' '0' "
                           "'0 x' '0 1 2' 'x' '0 -1'; do read -r line; echo \"$answer\"; done\n";
  fs::permissions(script, fs::perms(0755));
  const auto api = open_by_program(script, fake());
  ASSERT_TRUE(api.ok());
  unsigned milliwatts = 0;
  for (int i = 0; i < 6; ++i) EXPECT_EQ(api->power(nullptr, &milliwatts), nvml_unknown) << i;
}

}  // namespace
}  // namespace flyball
