#include "device/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "device/doctor/machine_checks.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using State = Capability::State;
using testing::HasSubstr;

class DoctorTest : public testing::Test {
 protected:
  Capability look(const std::string& name) const {
    DoctorOptions options;
    options.root = tree_.root();
    options.ask_kernel = false;
    for (const Capability& c : examine_machine(options))
      if (c.name == name) return c;
    ADD_FAILURE() << "no capability named " << name;
    return {};
  }
  TestTree tree_;
};

TEST_F(DoctorTest, AnEmptyMachineLacksEverythingButSaysWhatWouldHelp) {
  DoctorOptions options;
  options.root = tree_.root();
  options.ask_kernel = false;
  const auto all = examine_machine(options);
  EXPECT_GE(all.size(), 8u);
  for (const Capability& c : all) {
    EXPECT_FALSE(c.name.empty());
    EXPECT_FALSE(c.purpose.empty()) << c.name;
    EXPECT_FALSE(c.value.empty()) << c.name;
    if (c.name == "bare metal" || c.name == "memory" || c.name == "other measurements") continue;
    EXPECT_EQ(c.state, State::missing) << c.name;
    EXPECT_FALSE(c.remedy.empty()) << c.name;
  }
}

TEST_F(DoctorTest, SeesAWorkstation) {
  tree_.put("proc/cpuinfo", "processor : 0\nflags\t\t: fpu vme sse2\n");
  tree_.put("proc/meminfo", "MemTotal: 33554432 kB\n");
  tree_.put("proc/pressure/io", "some avg10=0 avg60=0 avg300=0 total=0\n");
  tree_.put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  tree_.put("sys/class/powercap/intel-rapl:0/energy_uj", "12345\n");
  const std::string cpufreq = "sys/devices/system/cpu/cpu0/cpufreq/";
  tree_.put(cpufreq + "scaling_cur_freq", "2200000\n");
  tree_.put(cpufreq + "scaling_max_freq", "2200000\n");
  tree_.put(cpufreq + "scaling_driver", "acpi-cpufreq\n");
  tree_.put(cpufreq + "scaling_available_frequencies", "2200000 1100000 \n");
  tree_.put("sys/block/nvme0n1/size", "1953125000\n");
  tree_.put("sys/block/nvme0n1/queue/rotational", "0\n");
  tree_.put("sys/block/nvme0n1/device/model", "Disk 1TB   \n");
  EXPECT_EQ(look("bare metal").state, State::available);
  EXPECT_EQ(look("power: RAPL").value, "package-0");
  EXPECT_THAT(look("CPU clocks: read").value, HasSubstr("2200 MHz"));
  EXPECT_THAT(look("CPU clocks: set").value, HasSubstr("1100000"));
  EXPECT_EQ(look("CPU clocks: set").state, State::available);
  EXPECT_EQ(look("pressure (PSI)").state, State::available);
  EXPECT_EQ(look("storage").value, "nvme0n1 Disk 1TB 1000 GB (solid state)");
  EXPECT_EQ(look("memory").value, "32.0 GiB");
  EXPECT_EQ(look("CPU hotplug").state, State::missing);
}

TEST_F(DoctorTest, SeesAPiWhoseFirmwareTellsItsPower) {
  DoctorOptions options;
  options.root = tree_.root();
  options.ask_kernel = false;
  const auto measurable = [&] {
    return doctor_json(examine_machine(options), {})["power_measurable"].get<bool>();
  };
  tree_.put("proc/device-tree/compatible", "raspberrypi,5-model-b");
  EXPECT_EQ(look("power: firmware").state, State::missing);
  EXPECT_THAT(look("power: firmware").remedy, HasSubstr("install raspi-utils"));
  EXPECT_FALSE(measurable());
  const auto tool = [&](const std::string& rails) {
    const auto path =
        tree_.put("usr/bin/vcgencmd", "#!/bin/sh\ncase $1 in pmic_read_adc) " + rails +
                                          ";;\nget_throttled) echo throttled=0x0;; esac\n");
    std::filesystem::permissions(path, std::filesystem::perms(0755));
  };
  tool("exit 1");  // it tells of throttling alone
  EXPECT_EQ(look("power: firmware").state, State::missing);
  EXPECT_FALSE(measurable());
  tool("echo 'VDD_CORE_A current(7)=2.0A'; echo 'VDD_CORE_V volt(15)=0.75V'");
  EXPECT_EQ(look("power: firmware").state, State::available);
  EXPECT_THAT(look("power: firmware").value, HasSubstr("all rails of the PMIC"));
  EXPECT_TRUE(measurable());
}

TEST_F(DoctorTest, TellsPermissionFromAbsence) {
  tree_.put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  const auto energy = tree_.put("sys/class/powercap/intel-rapl:0/energy_uj", "12345\n");
  const auto clock = tree_.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "1\n");
  std::filesystem::permissions(energy, std::filesystem::perms::none);
  std::filesystem::permissions(clock, std::filesystem::perms::others_read);
  const WithoutPrivileges user;
  if (!user.effective()) GTEST_SKIP() << "cannot drop privileges";
  const Capability rapl = look("power: RAPL");
  EXPECT_EQ(rapl.state, State::no_permission);
  EXPECT_THAT(rapl.remedy, HasSubstr("chmod a+r"));
  EXPECT_EQ(look("CPU clocks: set").state, State::no_permission);
}

TEST_F(DoctorTest, KnowsVirtualMachines) {
  EXPECT_EQ(virtual_machine(tree_.root()), "");
  tree_.put("proc/cpuinfo", "flags : fpu hypervisor\n");
  EXPECT_EQ(virtual_machine(tree_.root()), "unnamed hypervisor");
  tree_.put("sys/class/dmi/id/sys_vendor", "QEMU\n");
  EXPECT_EQ(virtual_machine(tree_.root()), "QEMU");
  EXPECT_EQ(look("bare metal").state, State::missing);
  tree_.put("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  tree_.put("sys/class/dmi/id/product_name", "c5.metal\n");
  tree_.put("proc/cpuinfo", "flags : fpu\n");
  EXPECT_EQ(virtual_machine(tree_.root()), "");
}

TEST(Doctor, IsWrittenAsTextAndAsJson) {
  const std::vector<Capability> two = {
      {"power: RAPL", "energy of packages", State::no_permission, "only root may read", "be root"},
      {"LibTorch", "training", State::available, "1.13.1", ""}};
  BoardReport board;
  board.board.name = "some board";
  EXPECT_EQ(doctor_text(two, board),
            "some board (unknown)\n\n"
            "no   power: RAPL  only root may read\n"
            "                  for: energy of packages\n"
            "                  HINT: be root\n"
            "yes  LibTorch     1.13.1\n");
  const std::string rapl =
      R"({"name":"power: RAPL","purpose":"energy of packages","state":"no permission",)"
      R"("value":"only root may read","remedy":"be root"})";
  const std::string torch =
      R"({"name":"LibTorch","purpose":"training","state":"available","value":"1.13.1","remedy":""})";
  EXPECT_EQ(doctor_json(two, board).dump(),
            R"({"capabilities":[)" + rapl + "," + torch + R"(],"power_measurable":false,)" +
                R"("board":{"id":"unknown","name":"some board","jetpack":null,"release":null},)" +
                R"("axes":[],"rails":[],"totals":{},"presets":[],"gpus":[],"problems":[]})");
  auto readable = two;
  readable[0].state = State::available;
  EXPECT_EQ(doctor_json(readable, board)["power_measurable"], true);
}

// Of this machine only what can be asked in another way.
TEST(Doctor, LooksAtThisMachine) {
  DoctorOptions options;
  options.more = {{"LibTorch", "training", State::available, "1.13.1", ""}};
  const auto all = examine_machine(options);
  const auto value = [&](const std::string& name) {
    const auto found = std::ranges::find(all, name, &Capability::name);
    return found == all.end() ? "nothing of " + name : found->value;
  };
  EXPECT_EQ(value("LibTorch"), "1.13.1");
  cpu_set_t cores;
  CPU_ZERO(&cores);
  ASSERT_EQ(::sched_getaffinity(0, sizeof cores, &cores), 0);
  EXPECT_THAT(value("CPU affinity"),
              testing::StartsWith(std::to_string(CPU_COUNT(&cores)) + " of "));
  EXPECT_THAT(value("memory"), testing::EndsWith("iB"));
  const bool rapl = ::access("/sys/class/powercap/intel-rapl:0/energy_uj", R_OK) == 0;
  const auto found = std::ranges::find(all, "power: RAPL", &Capability::name);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->state == State::available, rapl);
}

}  // namespace
}  // namespace flyball
