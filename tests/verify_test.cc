// `flyball verify-board` over trees of boards, as an owner runs it, and the bundle that it leaves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "base/clock_testing.h"
#include "command_testing.h"
#include "device/host/board_trees_testing.h"
#include "living_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class VerifyTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    root_ = fs::canonical(folder_) / "tree";
    trees::write_tree("orin_agx_jp6", root_);
    start_ = content();
    out_ = folder_ / "bundle.tar.gz";
  }
  Finished verify(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"verify-board", "--quick",     "--root", root_.string(),
                                      "--out",        out_.string(), "--json", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  static nlohmann::json step(const nlohmann::json& document, const std::string& name) {
    for (const auto& one : document["steps"])
      if (one["name"] == name) return one;
    return {{"verdict", "missing"}};
  }
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      if (entry.is_regular_file()) all[entry.path().string()] = slurp(entry.path());
    return all;
  }
  void tool(const std::string& name, const std::string& script) {
    const fs::path file = root_ / "usr/bin" / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
    start_ = content();
  }
  void put(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary | std::ios::app) << text;
    start_ = content();
  }
  /// The bundle without its compression.
  std::string bundle_bytes() const {
    std::string bytes, part(1 << 16, '\0');
    const gzFile file = ::gzopen(out_.c_str(), "rb");
    for (int size = 0; (size = ::gzread(file, part.data(), 1 << 16)) > 0;)
      bytes.append(part.data(), static_cast<size_t>(size));
    ::gzclose(file);
    return bytes;
  }
  fs::path unpacked() const {
    const std::string command =
        "cd '" + folder_.string() + "' && tar xzf '" + out_.string() + "' && echo";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return folder_ / "flyball-board-orin_agx";
  }
  // Names of files carry the folder that they lie in.
  Finished told(const std::vector<std::string>& words, const fs::path& root) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--json", "--root", root.string()});
    Finished done = run(all);
    const std::string real = fs::canonical(root).string();
    for (size_t at = 0; (at = done.out.find(real, at)) != std::string::npos;)
      done.out.replace(at, real.size(), "ROOT");
    return done;
  }

  fs::path root_, out_;
  std::map<std::string, std::string> start_;
};

TEST_F(VerifyTest, EveryKnobIsSetWithinThePresetAndPutBack) {
  put("var/lib/nvpmodel/status", "");
  std::ofstream(root_ / "var/lib/nvpmodel/status") << "pmode:0002 fmode:quiet\n";  // 30W
  start_ = content();
  const Finished done = verify();
  ASSERT_EQ(done.exit_code, 0) << done.err << done.out;
  const auto document = done.json();
  EXPECT_EQ(document["failed"], 0);
  EXPECT_EQ(document["board"]["known_by"], "p3701 in proc/device-tree/compatible");
  const std::map<std::string, double> caps = {
      {"cpu_cores", 8}, {"cpu_mhz", 1728}, {"gpu_mhz", 612}, {"mem_mhz", 3199}};
  ASSERT_EQ(document["knobs"].size(), caps.size());
  for (const auto& knob : document["knobs"]) {
    const std::string axis = knob["axis"];
    EXPECT_EQ(knob["ceiling"], caps.at(axis)) << axis;
    EXPECT_EQ(knob["restored"], true);
    EXPECT_EQ(knob["values"].size(), 2u) << axis;
    for (const auto& value : knob["values"]) {
      EXPECT_LE(value["asked"], caps.at(axis)) << axis;
      EXPECT_EQ(value["asked"], value["read_back"]) << axis;
    }
  }
  EXPECT_EQ(step(document, "put back")["verdict"], "passed");
  EXPECT_EQ(step(document, "tune")["verdict"], "passed") << step(document, "tune").dump();
  EXPECT_EQ(step(document, "tegrastats")["verdict"], "left out");
  EXPECT_EQ(content(), start_);
}

TEST_F(VerifyTest, TheBundlesTreeTellsWhatTheBoardTold) {
  ASSERT_EQ(verify().exit_code, 0);
  const fs::path bundle = unpacked();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"doctor"},
                                                {"mode", "show"},
                                                {"mode", "list"},
                                                {"mode", "presets"}}) {
    const Finished here = told(words, root_), there = told(words, bundle / "tree");
    ASSERT_EQ(here.exit_code, 0) << here.err;
    EXPECT_EQ(here.out, there.out) << words[0];
  }
  const auto doctor = nlohmann::json::parse(slurp(bundle / "doctor.json"));
  EXPECT_EQ(doctor["axes"], told({"doctor"}, root_).json()["axes"]);
  const auto verified = nlohmann::json::parse(slurp(bundle / "verify.json"));
  EXPECT_EQ(verified["schema"], 2);
  EXPECT_EQ(verified["failed"], 0);
  EXPECT_THAT(slurp(bundle / "README"), HasSubstr("--root"));
  // And it is a board to be verified again.
  root_ = bundle / "tree";
  EXPECT_EQ(verify().exit_code, 0);
}

TEST_F(VerifyTest, NoSecretIsInTheBundle) {
  const fs::path home = folder_ / "home-of-somebody";
  fs::create_directories(home);
  environment_["HOME"] = home.string();
  environment_["FLYBALL_TOKEN"] = "token-1f9c2b7e";
  environment_["AWS_SECRET_ACCESS_KEY"] = "key/77d0+a41c";
  environment_["SUDO_USER"] = "carol";
  put("proc/device-tree/serial-number", std::string("1421222012345\0", 14));
  put("proc/cpuinfo", "Serial\t\t: 10000000a1b2c3d4\n");
  put("etc/machine-id", "9f8e7d6c5b4a39281706f5e4d3c2b1a0\n");
  put("etc/hostname", "alices-orin\n");
  put("home/alice/.profile", "\n");
  put("sys/class/net/eth0/address", "48:b0:2d:5e:11:07\n");
  put("etc/nvpmodel.conf",
      "\n# for alice and carol on alices-orin (192.168.55.1, 48:b0:2d:5e:11:07), in "
      "/home/dora/x\n");
  put("sys/class/thermal/thermal_zone7/type", "board-1421222012345\n");
  put("sys/class/thermal/thermal_zone7/temp", "41000\n");
  const Finished done = verify();
  ASSERT_EQ(done.exit_code, 0) << done.err << done.out;
  const std::string bytes = bundle_bytes();
  EXPECT_THAT(bytes, HasSubstr("POWER_MODEL"));
  EXPECT_THAT(bytes, HasSubstr("left-out-host"));
  for (const char* secret :
       {"1421222012345", "10000000a1b2c3d4", "9f8e7d6c5b4a3928", "alice", "carol", "dora",
        "48:b0:2d:5e:11:07", "192.168.55.1", "token-1f9c2b7e", "77d0+a41c", "home-of-somebody"})
    EXPECT_THAT(bytes, Not(HasSubstr(secret)));
  std::vector<std::string> kinds;
  const auto document = done.json();
  for (const auto& one : document["bundle"]["left_out"]) kinds.push_back(one["kind"]);
  for (const char* kind : {"serial", "host", "user", "mac", "address", "home"})
    EXPECT_THAT(kinds, ::testing::Contains(kind));
}

TEST_F(VerifyTest, RailsAndThePresetAreComparedWithNvidiasTools) {
  tool("tegrastats",
       "while :; do echo '03-01-2026 12:30:05 RAM 1/2MB (lfb 3x4MB) CPU [1%@204] "
       "VDD_GPU_SOC 5600mW/5600mW VDD_CPU_CV 1900mW/1900mW VIN_SYS_5V0 9000mW/9000mW'; "
       "sleep 0.2; done\n");
  tool("nvpmodel", "echo 'NV Power Mode: 30W'; echo 2\n");
  const Finished done = verify();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  const auto document = done.json();
  EXPECT_EQ(step(document, "tegrastats")["verdict"], "failed");  // one rail of the three
  EXPECT_EQ(step(document, "nvpmodel")["verdict"], "failed");    // status says MAXN
  EXPECT_EQ(document["failed"], 2);
  for (const auto& rail : document["rails"]) {
    if (rail["name"] == "VDD_GPU_SOC") {
      EXPECT_NEAR(rail["difference_pct"], 100 * (5.7 - 5.6) / 5.6, 0.01);
    }
    if (rail["name"] == "VIN_SYS_5V0") {
      EXPECT_EQ(rail["tegrastats_w"], 9);
    }
  }
  EXPECT_EQ(content(), start_);
}

TEST_F(VerifyTest, ToolsThatAgreePass) {
  tool("tegrastats",
       "while :; do echo 'RAM 1/2MB (lfb 3x4MB) CPU [1%@204] VDD_GPU_SOC 5700mW/5600mW "
       "VDD_CPU_CV 1900mW/1900mW VIN_SYS_5V0 4000mW/4000mW'; sleep 0.2; done\n");
  tool("nvpmodel", "echo 'NV Fan Mode:quiet'; echo 'NV Power Mode: MAXN'; echo 0\n");
  const Finished done = verify();
  EXPECT_EQ(done.exit_code, 0) << done.out;
  for (const char* name : {"tegrastats", "nvpmodel", "rails", "presets"})
    EXPECT_EQ(step(done.json(), name)["verdict"], "passed") << name;
}

TEST_F(VerifyTest, AKnobThatDoesNotTakeFails) {
  const fs::path gpu = root_ / gpu_max;
  // As a kernel whose file takes nothing.
  fs::remove(gpu);
  fs::create_symlink("/dev/null", gpu);
  const Finished done = verify();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_EQ(step(done.json(), "axis gpu_mhz")["verdict"], "failed");
}

// As the static program has none.
TEST_F(VerifyTest, WithoutLibTorchAShellsLoopIsTuned) {
  const fs::path program = folder_ / "bin/flyball";
  fs::create_directories(program.parent_path());
  fs::copy_file(program_, program);
  program_ = program.string();
  const Finished done = verify();
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_EQ(step(done.json(), "tune")["found"], "2 of 2 trials of a shell's loop measured");
  EXPECT_EQ(content(), start_);
}

// Old releases raise clocks that were lowered only after a reboot.
TEST_F(VerifyTest, NothingIsLoweredWhereItMayNotRise) {
  fs::remove_all(root_);
  trees::write_tree("xavier_nx_jp4", root_);
  start_ = content();
  const Finished done = verify();
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.json()["knobs"], IsEmpty());
  EXPECT_EQ(step(done.json(), "knob gpu_mhz")["verdict"], "left out");
  EXPECT_EQ(content(), start_);
}

TEST_F(VerifyTest, ADryRunDoesNothing) {
  const Finished done =
      run({"verify-board", "--root", root_.string(), "--dry-run", "--out", out_.string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out,
              HasSubstr("sets cpu_cores, cpu_mhz, gpu_mhz, mem_mhz, at most 3 values each, "
                        "none above preset MAXN"));
  EXPECT_FALSE(fs::exists(out_));
  EXPECT_EQ(content(), start_);
}

TEST_F(VerifyTest, BadUseIsRefusedBeforeAnythingIsSet) {
  EXPECT_EQ(run({"verify-board", "--root", (folder_ / "none").string()}).exit_code, 2);
  out_ = folder_ / "no/such/folder/x.tar.gz";
  const Finished refused = verify();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("HINT"));
  EXPECT_EQ(content(), start_);
}

TEST_F(VerifyTest, WhoeverMeasuresKeepsItOut) {
  const std::string begun = (folder_ / "begun").string();
  const pid_t measures = start({"profile", "--", "sh", "-c", ": >\"$0\"; exec sleep 60", begun});
  ASSERT_TRUE(within_seconds_of_now(60, [&] { return fs::exists(begun); }));
  const Finished refused = verify();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("the right to measure on this machine is held by"));
  EXPECT_EQ(content(), start_);
  const Finished beside = verify({"--force"});
  EXPECT_EQ(beside.exit_code, 0) << beside.err;
  EXPECT_THAT(step(beside.json(), "alone")["found"], HasSubstr("measured beside it"));
  ::kill(measures, SIGTERM);
  finish(measures);
  EXPECT_EQ(content(), start_);
}

class KilledVerifyTest : public VerifyTest {
 protected:
  /// Until the GPU's cap is another one than before.
  pid_t in_the_middle() {
    const std::string before = slurp(root_ / gpu_max);
    const pid_t child =
        start({"verify-board", "--root", root_.string(), "--out", out_.string(), "--json", "-q"});
    EXPECT_TRUE(within_seconds_of_now(60, [&] { return slurp(root_ / gpu_max) != before; }));
    return child;
  }
};

TEST_F(KilledVerifyTest, ASignalPutsTheBoardBack) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = in_the_middle();
    ::kill(child, signal);
    EXPECT_EQ(finish(child).exit_code, 128 + signal);
    EXPECT_EQ(content(), start_);
    EXPECT_FALSE(fs::exists(out_)) << "half a bundle";
  }
}

TEST_F(KilledVerifyTest, AfterAKillTheNextStartPutsItBack) {
  const pid_t child = in_the_middle();
  ::kill(child, SIGKILL);
  finish(child);
  run({"workloads"});
  EXPECT_TRUE(within_seconds_of_now(10, [&] { return content() == start_; }));  // or its guard
  EXPECT_EQ(content(), start_);
}

}  // namespace
}  // namespace flyball::testing_tools
