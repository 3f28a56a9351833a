// What the doctor says of each board, spelled out, and of boards with broken files.
#include "device/modes/board_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/os/temp_folder.h"
#include "device/host/board_trees_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

SortedJson report_of(const fs::path& root) {
  return SortedJson::parse(board_json(examine_board(root)).dump());
}

std::string number_text(const SortedJson& value) {
  return value.is_null() ? "-" : fmt::format("{:.6g}", value.get<double>());
}

// "cpu_cores[12] 1..12 cap 12 now 12" and so on: a report as a line a thing.
std::string told(const SortedJson& report) {
  const SortedJson& board = report["board"];
  std::string text =
      fmt::format("{} | {} | JetPack {} | {}\n", board["id"].get<std::string>(),
                  board["name"].get<std::string>(),
                  board["jetpack"].is_null() ? "-" : board["jetpack"].get<std::string>(),
                  board["release"].is_null() ? "-" : board["release"].get<std::string>());
  for (const SortedJson& axis : report["axes"])
    text += fmt::format("{}[{}]{} {}..{} cap {} now {}\n", axis["name"].get<std::string>(),
                        axis["values"].size(), axis["unit"].get<std::string>(),
                        number_text(axis["values"].front()), number_text(axis["values"].back()),
                        number_text(axis["current"]), number_text(axis["now"]));
  for (const SortedJson& rail : report["rails"])
    text += fmt::format("{} {}\n", rail["name"].get<std::string>(), number_text(rail["power_w"]));
  for (const auto& [name, total] : report["totals"].items())
    text += total.is_null() ? name + " null\n"
                            : fmt::format("{} {} of {}\n", name, number_text(total["power_w"]),
                                          total["rails"].size());
  for (const SortedJson& preset : report["presets"]) {
    text +=
        fmt::format("preset {} {}{}{}", preset["id"].get<int>(), preset["name"].get<std::string>(),
                    preset["default"] ? " default" : "", preset["active"] ? " active" : "");
    for (const auto& [axis, value] : preset["mode"].items())
      text += " " + axis + "=" + number_text(value);
    text += "\n";
  }
  return text;
}

struct Expected {
  const char* kind;
  const char* told;
};

const char* const agx_orin_rest =
    "cpu_cores[12] 1..12 cap 12 now 12\n"
    "cpu_mhz[29]MHz 115.2..2201.6 cap 2201.6 now 192\n"
    "gpu_mhz[11]MHz 306..1300.5 cap 1300.5 now 306\n"
    "mem_mhz[4]MHz 204..3199 cap 3199 now 204\n"
    "VDD_GPU_SOC 5.7\nVDD_CPU_CV 1.9\nVIN_SYS_5V0 4\nVDDQ_VDD2_1V8AO 0.7\n"
    "module 11.6 of 3\nmonitor 12.3 of 4\n"
    "preset 0 MAXN active cpu_cores=12 cpu_mhz=2201.6 gpu_mhz=1300.5 mem_mhz=3199\n"
    "preset 1 15W cpu_cores=4 cpu_mhz=1113.6 gpu_mhz=408 mem_mhz=2133\n"
    "preset 2 30W default cpu_cores=8 cpu_mhz=1728 gpu_mhz=612 mem_mhz=3199\n"
    "preset 3 50W cpu_cores=12 cpu_mhz=1497.6 gpu_mhz=816 mem_mhz=3199\n";
const std::string agx_orin_jp5 =
    std::string("orin_agx | Jetson AGX Orin | JetPack 5 | R35.3.1\n") + agx_orin_rest;
const std::string agx_orin_jp6 =
    std::string("orin_agx | Jetson AGX Orin | JetPack 6 | R36.4.3\n") + agx_orin_rest;
const std::string agx_orin_jp7 =
    std::string("orin_agx | Jetson AGX Orin | JetPack 7 | R38.2.0\n") + agx_orin_rest;

const Expected expectations[] = {
    {"nano_jp4",
     "nano | Jetson Nano | JetPack 4 | R32.7.1\n"
     "cpu_cores[4] 1..4 cap 4 now 4\n"
     "cpu_mhz[15]MHz 102..1479 cap 1479 now 204\n"
     "gpu_mhz[12]MHz 76.8..921.6 cap 921.6 now 76.8\n"
     "mem_mhz[10]MHz 40.8..1600 cap 1600 now 1600\n"
     "POM_5V_IN 2\nPOM_5V_GPU 0.1\nPOM_5V_CPU 0.3\nmodule 2 of 1\nmonitor 2.4 of 3\n"
     "preset 0 MAXN default active cpu_cores=4 cpu_mhz=1479 gpu_mhz=921.6 mem_mhz=1600\n"
     "preset 1 5W cpu_cores=2 cpu_mhz=918 gpu_mhz=640 mem_mhz=1600\n"},
    {"tx2_jp4",
     "tx2 | Jetson TX2 | JetPack 4 | R32.7.1\n"
     "cpu_cores[6] 1..6 cap 4 now 4\n"
     "cpu_mhz[12]MHz 345.6..2035.2 cap 2035.2 now 499.2\n"
     "gpu_mhz[13]MHz 114.75..1300.5 cap 1122 now 114.75\n"
     "mem_mhz[8]MHz 204..1866 cap 1866 now 204\n"
     "VDD_SYS_GPU 0.38\nVDD_SYS_SOC 0.57\nVDD_4V0_WIFI 0.04\nVDD_IN 3.8\nVDD_SYS_CPU 0.475\n"
     "VDD_SYS_DDR 0.95\nmodule 3.8 of 1\nmonitor 6.215 of 6\n"},
    {"xavier_nx_jp4",
     "xavier_nx | Jetson Xavier NX | JetPack 4 | R32.7.1\n"
     "cpu_cores[6] 1..6 cap 6 now 6\n"
     "cpu_mhz[25]MHz 115.2..1907.2 cap 1420.8 now 192\n"
     "gpu_mhz[15]MHz 114.75..1109.25 cap 1109.25 now 114.75\n"
     "mem_mhz[7]MHz 204..1600 cap 1600 now 204\n"
     "VDD_IN 4.5\nVDD_CPU_GPU_CV 1.5\nVDD_SOC 1\nmodule 4.5 of 1\nmonitor 7 of 3\n"},
    {"xavier_agx_jp4",
     "xavier_agx | Jetson AGX Xavier | JetPack 4 | R32.7.1\n"
     "cpu_cores[8] 1..8 cap 8 now 8\n"
     "cpu_mhz[29]MHz 115.2..2265.6 cap 2265.6 now 192\n"
     "gpu_mhz[14]MHz 114.75..1377 cap 1377 now 114.75\n"
     "mem_mhz[9]MHz 204..2133 cap 2133 now 204\n"
     "GPU 0.95\nCPU 0.76\nSOC 1.14\nCV 0.019\nVDDRQ 0.57\nSYS5V 2\n"
     "module 5.439 of 6\nmonitor 5.439 of 6\n"
     "preset 0 MAXN active cpu_cores=8 cpu_mhz=2265.6 gpu_mhz=1377 mem_mhz=2133\n"
     "preset 1 MODE_10W cpu_cores=2 cpu_mhz=1200 gpu_mhz=520 mem_mhz=1065.6\n"
     "preset 2 MODE_15W default cpu_cores=4 cpu_mhz=1200 gpu_mhz=670 mem_mhz=1331.2\n"
     "preset 3 MODE_30W_ALL cpu_cores=8 cpu_mhz=1200 gpu_mhz=900 mem_mhz=1600\n"},
    {"orin_agx_jp5", agx_orin_jp5.c_str()},
    {"orin_agx_jp6", agx_orin_jp6.c_str()},
    {"orin_agx_jp7", agx_orin_jp7.c_str()},
    {"orin_nx_jp6",
     "orin_nx | Jetson Orin NX | JetPack 6 | R36.4.3\n"
     "cpu_cores[8] 1..8 cap 8 now 8\n"
     "cpu_mhz[26]MHz 115.2..1984 cap 1984 now 192\n"
     "gpu_mhz[7]MHz 306..918 cap 918 now 306\n"
     "mem_mhz[4]MHz 204..3199 cap 3199 now 204\n"
     "VDD_IN 6\nVDD_CPU_GPU_CV 2\nVDD_SOC 1.25\nmodule 6 of 1\nmonitor 9.25 of 3\n"},
    {"orin_nano_jp5",
     "orin_nano | Jetson Orin Nano | JetPack 5 | R35.3.1\n"
     "cpu_cores[6] 1..6 cap 6 now 6\n"
     "cpu_mhz[20]MHz 115.2..1510.4 cap 1510.4 now 192\n"
     "gpu_mhz[5]MHz 306..624.75 cap 624.75 now 306\n"
     "mem_mhz[3]MHz 204..2133 cap 2133 now 204\n"
     "VDD_IN 4.7\nVDD_CPU_GPU_CV 0.65\nVDD_SOC 1.4\nmodule 4.7 of 1\nmonitor 6.75 of 3\n"
     "preset 0 15W default active cpu_cores=6 cpu_mhz=1510.4 gpu_mhz=624.75 mem_mhz=2133\n"
     "preset 1 7W cpu_cores=4 cpu_mhz=960 gpu_mhz=408 mem_mhz=2133\n"},
    {"orin_nano_jp6_super",
     "orin_nano | Jetson Orin Nano | JetPack 6 | R36.4.3\n"
     "cpu_cores[6] 1..6 cap 6 now 6\n"
     "cpu_mhz[22]MHz 115.2..1728 cap 1728 now 192\n"
     "gpu_mhz[8]MHz 306..1020 cap 1020 now 306\n"
     "mem_mhz[4]MHz 204..3199 cap 3199 now 204\n"
     "VDD_IN 4.7\nVDD_CPU_GPU_CV 0.65\nVDD_SOC 1.4\nmodule 4.7 of 1\nmonitor 6.75 of 3\n"
     "preset 0 15W default active cpu_cores=6 cpu_mhz=1728 gpu_mhz=1020 mem_mhz=3199\n"
     "preset 1 7W cpu_cores=4 cpu_mhz=960 gpu_mhz=408 mem_mhz=2133\n"},
    {"thor_jp7",
     "thor | Jetson AGX Thor | JetPack 7 | R38.2.0\n"
     "cpu_cores[14] 1..14 cap 14 now 14\n"
     "cpu_mhz[25]MHz 108..2601 cap 2601 now 216\n"
     "VDD_GPU 5\nVDD_CPU_SOC_MSS 4\nmodule null\nmonitor null\n"},
    {"rpi5",
     "rpi5 | Raspberry Pi 5 | JetPack - | -\n"
     "cpu_cores[4] 1..4 cap 4 now 4\n"
     "cpu_mhz[10]MHz 1500..2400 cap 2400 now 1600\n"
     "module null\nmonitor null\n"},
    {"pc_rapl",
     "host | Some CPU @ 3.00GHz | JetPack - | -\n"
     "cpu_cores[8] 1..8 cap 8 now 8\n"
     "cpu_mhz[3]MHz 1100..3000 cap 3000 now 2200\n"
     "package-0 -\nmodule null\nmonitor null\npackage null\n"},
    {"vm",
     "host | Virtual CPU | JetPack - | -\n"
     "cpu_cores[2] 1..2 cap 2 now 2\n"
     "module null\nmonitor null\n"},
};

TEST(BoardReport, IsRightOnEveryBoard) {
  for (const Expected& expected : expectations) {
    const TempFolder folder;
    const fs::path root = fs::canonical(folder.path()) / "tree";
    trees::write_tree(expected.kind, root);
    EXPECT_EQ(told(report_of(root)), expected.told) << expected.kind;
  }
}

TEST(BoardReport, ARaspberryPiTellsPowerByItsTool) {
  const TempFolder folder;
  const trees::Writer tree(folder / "tree");
  trees::write_tree("rpi5", tree.root());
  tree.put("usr/bin/vcgencmd",
           "#!/bin/sh\ncase $1 in pmic_read_adc) echo 'VDD_CORE_A current(7)=2A'\n"
           "echo 'VDD_CORE_V volt(15)=0.75V';; *) echo throttled=0x0;; esac\n");
  fs::permissions(tree.root() / "usr/bin/vcgencmd", fs::perms(0755));
  const SortedJson report = report_of(tree.root());
  EXPECT_EQ(report["totals"]["pmic"]["power_w"], 1.5);
  EXPECT_EQ(report["rails"][0]["name"], "VDD_CORE");
  EXPECT_EQ(report["problems"].dump(), "[]");
}

// With the stand-in for NVIDIA's library, as the tree's own.
TEST(BoardReport, APcWithTwoGpus) {
  const TempFolder folder;
  const fs::path root = folder / "tree", library = root / "usr/lib/libnvidia-ml.so.1";
  trees::write_tree("pc_gpus", root);
  fs::create_directories(library.parent_path());
  fs::copy_file(FLYBALL_BIN_DIR "/libflyball_fake_nvml.so", library);
  fs::permissions(library, fs::perms(0755));
  ::setenv("FAKE_NVML", "no_energy", 1);
  const SortedJson report = report_of(root);
  ::unsetenv("FAKE_NVML");
  EXPECT_EQ(report["board"]["id"], "host");
  EXPECT_EQ(report["totals"]["gpu"]["power_w"], 150);
  EXPECT_THAT(report["rails"].dump(), HasSubstr("gpu1_power"));
  fs::permissions(library, fs::perms(0777));
  EXPECT_THAT(report_of(root)["problems"].dump(), HasSubstr("other users can have written it"));
}

TEST(BoardReport, AWholeJetsonHasNoProblem) {
  for (const char* kind : {"nano_jp4", "tx2_jp4", "xavier_nx_jp4", "xavier_agx_jp4", "orin_agx_jp5",
                           "orin_agx_jp6", "orin_nx_jp6", "orin_nano_jp5", "orin_nano_jp6_super"}) {
    const TempFolder folder;
    trees::write_tree(kind, folder / "tree");
    EXPECT_EQ(report_of(folder / "tree")["problems"].dump(), "[]") << kind;
  }
}

// As boards link it: the path is the board's, not that of the machine which looks at its tree.
TEST(BoardReport, PresetsOfALinkedFileAreThoseOfTheTree) {
  const TempFolder folder;
  const fs::path root = fs::canonical(folder.path()) / "tree", conf = root / "etc/nvpmodel.conf";
  trees::write_tree("orin_agx_jp6", root);
  fs::create_directory(root / "etc/nvpmodel");
  fs::rename(conf, root / "etc/nvpmodel/nvpmodel_p3701_0000.conf");
  fs::create_symlink("/etc/nvpmodel/nvpmodel_p3701_0000.conf", conf);
  const auto board = open_known_board(identify_board(root), {.root = root});
  EXPECT_EQ(read_presets(root, *board).list.size(), 4u);
}

TEST(BoardReport, WhatIsMissingIsSaid) {
  const auto problems = [](const char* kind) {
    const TempFolder folder;
    trees::write_tree(kind, folder / "tree");
    return report_of(folder / "tree")["problems"].dump();
  };
  EXPECT_THAT(problems("thor_jp7"), HasSubstr("add up to no total that is known: VDD_GPU"));
  EXPECT_THAT(problems("thor_jp7"), HasSubstr("gpu_mhz cannot be set: no GPU with a clock"));
  EXPECT_THAT(problems("vm"), HasSubstr("no cpufreq"));
  EXPECT_THAT(problems("vm"), HasSubstr("power is not available"));
}

// Early kits fill the model oddly; the module decides, and the longest that fits.
TEST(BoardIdentity, TheModuleCountsBeforeTheModel) {
  const TempFolder folder;
  const trees::Writer tree(folder / "tree");
  const auto id = [&](const std::string& compatible, const std::string& model) {
    fs::remove_all(tree.root());
    if (!compatible.empty()) tree.put("proc/device-tree/compatible", compatible);
    if (!model.empty()) tree.put("proc/device-tree/model", model);
    return identify_board(tree.root()).id;
  };
  const std::string zero(1, '\0');
  EXPECT_EQ(id("nvidia,p3737-0000+p3701-0004" + zero + "nvidia,tegra234" + zero, ""),
            "orin_agx_32");
  EXPECT_EQ(id("nvidia,p3768-0000+p3767-0003" + zero, "NVIDIA Jetson AGX Orin"), "orin_nano");
  EXPECT_EQ(id("nvidia,p3768-0000+p3767-0001" + zero, ""), "orin_nx");
  EXPECT_EQ(id("", "NVIDIA Orin Jetson-Small Developer Kit"), "orin_agx");
  EXPECT_EQ(id("nvidia,tegra999", "NVIDIA Orin Nano Developer Kit"), "orin_nano");
  EXPECT_EQ(id("nvidia,p2180-0000" + zero, ""), "tx1");
  EXPECT_EQ(id("acme,board", "Acme Board"), "unknown");
  EXPECT_EQ(id("", ""), "host");
}

// In a container there is no device tree.
class NamedBoardTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(tree("orin_agx_jp6") / "proc/device-tree"); }
  void TearDown() override { ::unsetenv("FLYBALL_BOARD"); }
  static void name(const char* board) { ::setenv("FLYBALL_BOARD", board, 1); }
  fs::path tree(const char* kind) {
    const fs::path root = folder_ / kind;
    if (!fs::exists(root)) trees::write_tree(kind, root);
    return root;
  }
  SortedJson report() { return report_of(tree("orin_agx_jp6")); }

 private:
  TempFolder folder_;
};

TEST_F(NamedBoardTest, IsWantedWhereNothingSaysWhichJetsonThisIs) {
  const SortedJson unnamed = report();
  EXPECT_EQ(unnamed["board"]["id"], "unknown");
  EXPECT_THAT(unnamed["problems"].dump(), HasSubstr("--board or FLYBALL_BOARD (nano"));
  EXPECT_TRUE(unnamed["totals"]["module"].is_null());
}

TEST_F(NamedBoardTest, HasAxesAndTheTotalThatItsRailsBearOut) {
  name("orin_agx");
  const SortedJson named = report();
  EXPECT_EQ(named["board"]["id"], "orin_agx");
  EXPECT_EQ(named["board"]["jetpack"], "6");
  EXPECT_EQ(named["axes"].size(), 4u);
  EXPECT_EQ(named["totals"]["module"]["rails"].size(), 3u);
  EXPECT_THAT(named["problems"].dump(), HasSubstr("was said by FLYBALL_BOARD"));
}

// These rails are those of another board: no sum of them is told.
TEST_F(NamedBoardTest, HasNoTotalThatItsRailsContradict) {
  name("orin_nano");
  const SortedJson wrong = report();
  EXPECT_EQ(wrong["board"]["id"], "orin_nano");
  EXPECT_TRUE(wrong["totals"]["module"].is_null());
  EXPECT_THAT(wrong["problems"].dump(), HasSubstr("its rails do not bear it out: "));
}

TEST_F(NamedBoardTest, IsNoneWithoutEvidence) {
  name("orin_ax");
  EXPECT_THAT(report()["problems"].dump(), HasSubstr("'orin_ax', which is no board"));
  name("orin_agx");
  const BoardIdentity pc = identify_board(tree("pc_gpus"));
  EXPECT_EQ(pc.id, "host");
  ASSERT_EQ(pc.problems.size(), 1u);
  EXPECT_THAT(pc.problems[0].hint, HasSubstr("/etc/nv_tegra_release"));
  name("rpi5");
  EXPECT_EQ(identify_board(tree("pc_gpus")).id, "host");
  EXPECT_EQ(report()["board"]["id"], "unknown");
}

TEST_F(NamedBoardTest, TheDeviceTreeCountsMore) {
  name("orin_nano");
  const BoardIdentity nx = identify_board(tree("xavier_nx_jp4"));
  EXPECT_EQ(nx.id, "xavier_nx");
  EXPECT_FALSE(nx.named);
  ASSERT_EQ(nx.problems.size(), 1u);
  EXPECT_THAT(nx.problems[0].message, HasSubstr("the device tree says xavier_nx"));
}

TEST(BoardIdentity, ReleasesOfJetPack) {
  const TempFolder folder;
  const trees::Writer tree(folder / "tree");
  const auto release = [&](const std::string& text) {
    tree.put("etc/nv_tegra_release", text);
    const BoardIdentity board = identify_board(tree.root());
    return board.release + "/" + board.jetpack();
  };
  EXPECT_EQ(release("# R32 (release), REVISION: 7.1, GCID: 29818004\n"), "R32.7.1/4");
  EXPECT_EQ(release("# R36 (release), REVISION: 4.3"), "R36.4.3/6");
  EXPECT_EQ(release("# R99 (release)\n"), "R99/");
  EXPECT_EQ(release("nonsense"), "/");
  EXPECT_EQ(release("R"), "/");
  EXPECT_EQ(release(""), "/");
}

// Half of the cores are off, and their clusters show no clock.
TEST(BoardReport, HalfOffline) {
  const TempFolder folder;
  const fs::path root = folder / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const SortedJson whole = report_of(root);
  trees::half_offline(root);
  const SortedJson half = report_of(root);
  EXPECT_EQ(half["axes"][0]["values"].size(), 12u);
  EXPECT_EQ(half["axes"][0]["current"], 6);
  EXPECT_EQ(half["axes"][1], whole["axes"][1]);
  EXPECT_EQ(half["totals"], whole["totals"]);
  EXPECT_EQ(half["problems"].dump(), "[]");
}

// One file after the other is broken: what does not hang on it stays, what does is null or gone and
// a problem says so, and nothing is made up.
TEST(BoardReport, DegradesFieldByField) {
  struct Rule {
    const char* file;               // what its path contains
    std::vector<std::string> keys;  // that may change with it
  };
  const Rule rules[] = {
      {"device-tree/compatible", {}},  // the model says the same
      {"device-tree/model", {}},
      {"nv_tegra_release", {"board", "problems"}},
      {"nvpmodel.conf", {"presets", "problems"}},
      {"nvpmodel/status", {"presets", "problems"}},
      {"/ina3221/", {"rails", "totals", "problems"}},
      {"/online", {"axes", "presets", "problems"}},
      {"cpu/present", {"axes", "problems"}},
      {"cpufreq/", {"axes", "presets", "problems"}},
      {"17000000.gpu", {"axes", "presets", "problems"}},
      {"/emc", {"axes", "presets", "problems"}},
  };
  // In memory: hundreds of trees.
  const TempFolder folder(fs::is_directory("/dev/shm") ? "/dev/shm" : "");
  const fs::path root = fs::canonical(folder.path()) / "tree", copy = root.string() + "-broken";
  trees::write_tree("orin_agx_jp6", root);
  const SortedJson whole = report_of(root);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(root));
  ASSERT_GT(files.size(), 60u);
  int changed = 0;
  for (const fs::path& file : files)
    for (const auto how :
         {trees::Broken::unreadable, trees::Broken::empty, trees::Broken::nonsense}) {
      fs::copy(root, copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
      trees::break_file(copy / file, how);
      SortedJson broken = SortedJson::parse(board_json(examine_board(copy)).dump());
      fs::remove_all(copy);
      std::vector<std::string> may;
      for (const Rule& rule : rules)
        if (("/" + file.string()).find(rule.file) != std::string::npos) may = rule.keys;
      for (const auto& [key, value] : whole.items()) {
        if (broken[key] == value) continue;
        ++changed;
        EXPECT_TRUE(std::ranges::count(may, key) > 0)
            << file << " broken as " << static_cast<int>(how) << " changed " << key << " to "
            << broken[key].dump();
      }
    }
  EXPECT_GT(changed, 60);
}

TEST(BoardReport, ARailThatGivesNothingTakesItsTotal) {
  const TempFolder folder;
  const fs::path root = folder / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const fs::path chip = root / "sys/bus/i2c/drivers/ina3221/1-0041/hwmon/hwmon4";
  trees::break_file(chip / "curr2_input", trees::Broken::nonsense);
  SortedJson report = report_of(root);
  EXPECT_EQ(report["totals"]["module"]["power_w"], 11.6);
  EXPECT_TRUE(report["totals"]["monitor"].is_null());
  EXPECT_THAT(report["problems"].dump(), HasSubstr("rail VDDQ_VDD2_1V8AO"));
  trees::break_file(root / "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/in1_input",
                    trees::Broken::empty);
  report = report_of(root);
  EXPECT_TRUE(report["totals"]["module"].is_null());
  EXPECT_THAT(report["problems"].dump(), HasSubstr("no module total"));
}

}  // namespace
}  // namespace flyball
