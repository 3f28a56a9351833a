// The user's own program under `flyball profile` and `flyball tune`.
#include <gmock/gmock.h>

#include "base/clock_testing.h"
#include "base/json.h"
#include "command_testing.h"
#include "device/host/board_trees_testing.h"
#include "device/host/nvidia_tree_testing.h"
#include "living_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

const std::string marked = FLYBALL_BIN_DIR "/marked_c";

class ProgramTest : public CommandTest {
 protected:
  Finished profile(const std::vector<std::string>& program,
                   const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"profile", "--device", "host", "--json"};
    all.insert(all.end(), more.begin(), more.end());
    all.push_back("--");
    all.insert(all.end(), program.begin(), program.end());
    return run(all);
  }
  Finished tune(const std::vector<std::string>& program, const std::vector<std::string>& axes) {
    std::vector<std::string> all = {"tune",       "--trial-time", "0.5s", "--axis", "cpu_cores=1",
                                    "--strategy", "brute-force",  "-q",   "--json"};
    for (const std::string& axis : axes) all.insert(all.end(), {"--axis", axis});
    all.push_back("--");
    all.insert(all.end(), program.begin(), program.end());
    return run(all);
  }
};

TEST_F(ProgramTest, OfAJetsonSaysWhatTheGpuDidMeanwhile) {
  const fs::path root = folder_ / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const fs::path report = folder_ / "program.html";
  const LivingTree living(root);
  const fs::path clock = (root / gpu_max).parent_path() / "cur_freq";
  ASSERT_TRUE(within_seconds_of_now(60, [&] { return slurp(clock) == slurp(root / gpu_max); }));
  const Finished done =
      profile({marked, "200"}, {"--root", root.string(), "--report", report.string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson json = done.json();
  for (const SortedJson& gpu : {json["gpu"], json["marked"]["gpu"], json["windows"][0]["gpu"]}) {
    ASSERT_TRUE(gpu.is_object()) << json;
    EXPECT_EQ(gpu["index"], 0);
    EXPECT_EQ(gpu["load_pct"], 33);
    EXPECT_EQ(gpu["clock_mhz"], 1300.5);
    EXPECT_TRUE(gpu["memory_bytes"].is_null());
  }
  EXPECT_THAT(slurp(report), HasSubstr("GPU clock"));
  const Finished text = run({"profile", "--root", root.string(), "--", marked, "200"});
  EXPECT_THAT(text.out, HasSubstr("GPU in epoch: load 33 %, 1300 MHz\n"));
}

// Which GPU a program takes nobody tells us: the one that works.
TEST_F(ProgramTest, OfSeveralGpusTheBusiestIsShown) {
  const NvidiaTree tree;
  const SortedJson json = profile({"sleep", "0.3"}, {"--root", tree.root().string()}).json();
  ASSERT_TRUE(json["gpu"].is_object()) << json;
  EXPECT_EQ(json["gpu"]["load_pct"], 87);
  EXPECT_EQ(json["gpu"]["clock_mhz"], 1980);
}

TEST_F(ProgramTest, MarksSplitItsTime) {
  for (const std::string& program : {marked, std::string(FLYBALL_BIN_DIR "/marked_cpp")}) {
    const Finished done = profile({program, "30"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const SortedJson json = done.json();
    const SortedJson& part = json["marked"];
    EXPECT_EQ(part["minibatches"], 29);  // the first is kept apart
    EXPECT_GE(part["stall_s"], 29 * 0.002);
    EXPECT_GE(part["compute_s"], 29 * 0.003);
    EXPECT_GE(part["minibatch_ms"], 5);
    EXPECT_NEAR(part["stall_s"].get<double>() + part["compute_s"].get<double>() +
                    part["overhead_s"].get<double>(),
                part["e2e_s"].get<double>(), 1e-6);
    EXPECT_GT(json["wall_s"], part["e2e_s"]);
    ASSERT_EQ(json["windows"].size(), 1u);
    EXPECT_EQ(json["windows"][0]["name"], "epoch");
    const SortedJson window = json["windows"][0];
    EXPECT_EQ(window["minibatches"], 30);
    // The first one of all waits and computes in it, too.
    for (const char* time : {"stall_s", "compute_s"})
      EXPECT_GT(window[time].get<double>(), 1.01 * part[time].get<double>()) << time;
    // Memory is looked at seldom: a longer run shows it.
    EXPECT_GT(profile({program, "200"}).json()["peak_memory_bytes"], 1e5);
    EXPECT_EQ(json["lost_marks"], 0);
    // Either there is energy, or the document says why there is none.
    const bool powered = run({"doctor", "--json"}).json()["power_measurable"];
    EXPECT_EQ(json["energy"].is_object(), powered);
    EXPECT_EQ(json["power_gap"] == "", powered);
  }
}

TEST_F(ProgramTest, ATraceShowsItsStepsAndWindows) {
  const fs::path trace = folder_ / "trace.json";
  const Finished done = run({"profile", "--json", "--trace", trace.string(), "--", marked, "30"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::map<std::string, int> spans;
  const SortedJson drawn = SortedJson::parse(slurp(trace));
  for (const SortedJson& event : drawn.at("traceEvents"))
    if (event.at("ph") == "X") {
      const auto name = event.at("name").get<std::string>();
      ++spans[name.substr(0, name.find(' '))];
    }
  EXPECT_EQ(spans["step"], 29);
  EXPECT_EQ(spans["stall"], 29);
  EXPECT_EQ(spans["epoch"], 1);
}

TEST_F(ProgramTest, WithoutMarksItIsMeasuredAsAWhole) {
  const Finished done = profile({marked, "10", "silent"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(done.json()["marked"].is_null());
  EXPECT_GE(done.json()["wall_s"], 0.05);
  const Finished text = run({"profile", "--", marked, "10", "silent"});
  EXPECT_THAT(text.out, HasSubstr("measured as a whole"));
  EXPECT_THAT(text.out, HasSubstr("marked: 1"));  // its own output
}

// Of a trial that is tuned the result's notes say it, of everything else a note.
TEST_F(ProgramTest, InAContainerItSaysWhichSessionsItCannotSee) {
  environment_["FLYBALL_SESSIONS"] = (folder_ / "none").string();
  const bool contained = fs::exists("/.dockerenv") || fs::exists("/run/.containerenv") ||
                         fs::exists("/run/systemd/container");
  const auto says = [](const std::string& text) {
    return text.find("other containers that measure on this machine cannot be seen") !=
           std::string::npos;
  };
  const Finished profiled = run({"profile", "--", "true"});
  EXPECT_EQ(profiled.exit_code, 0) << profiled.err;
  EXPECT_EQ(says(profiled.err), contained) << profiled.err;
  const Finished tuned =
      run({"tune", "--axis", "cpu_cores=1", "--profiles", "1", "--json", "--", "true"});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(says(tuned.json()["notes"].dump()), contained) << tuned.out;
  EXPECT_FALSE(says(tuned.err));
}

TEST_F(ProgramTest, StepsEndIt) {
  const Finished done = profile({marked, "100000"}, {"--steps", "20"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_GE(done.json()["marked"]["minibatches"], 19);
  EXPECT_LT(done.json()["wall_s"], 20);
  EXPECT_THAT(done.json()["stopped"].get<std::string>(), HasSubstr("ended after"));
}

// What was seen before the end is shown, whatever the end was.
TEST_F(ProgramTest, ALateDeathLeavesWhatWasSeen) {
  const std::string csv = (folder_ / "x.csv").string(), trace = (folder_ / "x.json").string();
  const std::vector<std::string> files = {"--csv", csv, "--trace", trace};
  const Finished failed = profile({marked, "20", "fail"}, files);
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_EQ(failed.json()["marked"]["minibatches"], 19);
  EXPECT_EQ(failed.json()["exit_code"], 3);
  EXPECT_THAT(failed.json()["stopped"].get<std::string>(), HasSubstr("failed with exit code 3"));
  EXPECT_THAT(slurp(csv), HasSubstr("time"));
  EXPECT_THAT(slurp(trace), HasSubstr("step 19"));
  const Finished hung = profile({marked, "20", "hang"}, {"--patience", "3s"});
  EXPECT_EQ(hung.exit_code, 2);
  EXPECT_EQ(hung.json()["marked"]["minibatches"], 19);
}

TEST_F(ProgramTest, CtrlCLeavesWhatWasSeen) {
  const std::string trace = (folder_ / "x.json").string(), begun = (folder_ / "begun").string();
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = start({"profile", "--json", "--trace", trace, "--", "sh", "-c",
                               ": >\"$0\"; exec \"$1\" 100000", begun, marked});
    ASSERT_TRUE(within_seconds_of_now(60, [&] { return fs::exists(begun); }));
    ::usleep(900'000);
    ::kill(child, signal);
    const Finished done = finish(child);
    EXPECT_EQ(done.exit_code, 128 + signal) << done.err;
    EXPECT_THAT(done.err, HasSubstr("interrupted after"));
    ASSERT_FALSE(done.out.empty()) << done.err;
    EXPECT_GT(done.json()["marked"]["minibatches"], 5);
    EXPECT_THAT(done.json()["stopped"].get<std::string>(), HasSubstr("interrupted after"));
    EXPECT_THAT(slurp(trace), HasSubstr("step 5"));
    fs::remove(trace);
    fs::remove(begun);
  }
}

TEST_F(ProgramTest, FailuresAreNamed) {
  const Finished failed = profile({marked, "5", "fail"});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.err, HasSubstr("failed with exit code 3"));
  const Finished hung = profile({marked, "5", "hang"}, {"--patience", "3s"});
  EXPECT_EQ(hung.exit_code, 2);
  EXPECT_THAT(hung.err, HasSubstr("marked 5 minibatches and then none for 3 s"));
  const Finished nothing = run({"profile", "--"});
  EXPECT_EQ(nothing.exit_code, 2);
}

TEST_F(ProgramTest, TuneMeasuresEachSettingOfAnAxis) {
  const Finished done = tune({marked, "100000"}, {"batch_size=1,4"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson json = done.json();
  EXPECT_EQ(json["profiles"], 2);
  std::map<int, double> times;
  for (const SortedJson& trial : json["profiled"])
    times[trial["config"]["batch_size"].get<int>()] = trial["minibatch_ms"].get<double>();
  EXPECT_GE(times[1], 5);   // 2 + 3 ms
  EXPECT_GE(times[4], 14);  // 2 + 12 ms
  EXPECT_GT(json["profiled"][0]["stall_ms"], 1.9);
  EXPECT_EQ(json["request"]["workload"], marked + " 100000");
}

TEST_F(ProgramTest, TuneSaysWhyATrialFailed) {
  const Finished done = tune({marked, "1", "fail"}, {"batch_size=1,2"});
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.out + done.err, HasSubstr("the disk is full of sand"));
  const Finished absent = tune({"/no/such/program"}, {"batch_size=1,2"});
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, HasSubstr("cannot start"));
}

TEST_F(ProgramTest, TuneTakesAProgramWithoutMarksAsAWhole) {
  const Finished done = tune({marked, "10", "silent"}, {"batch_size=1,4"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.json()["profiled"][0]["stop_reason"].get<std::string>(),
              HasSubstr("its whole run is measured"));
}

// Values of an axis that the program never reads would all measure the same.
TEST_F(ProgramTest, AnAxisThatTheProgramNeverReadsIsRefusedAfterOneTrial) {
  const fs::path log = folder_ / "starts";
  const std::string counted = "echo x >> " + log.string() + "; ";
  const std::vector<std::vector<std::string>> deaf = {
      {"sh", "-c", counted + "exec " + marked + " 100000 deaf"},  // marks, and its library tells
      {"sh", "-c", counted + "sleep 0.05"}};                      // marks nothing
  for (const auto& program : deaf) {
    fs::remove(log);
    const Finished done = tune(program, {"batch_size=1,4,8"});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_THAT(done.err, HasSubstr("never read batch_size"));
    EXPECT_THAT(done.err, HasSubstr("flyball.setting(\"batch_size\""));
    EXPECT_EQ(slurp(log), "x\n");
  }
}

TEST_F(ProgramTest, AnAxisIsReadByThePlaceholderByTheVariableOrInAFile) {
  const fs::path script = write("run.sh", "sleep 0.0$FLYBALL_BATCH_SIZE\n");
  const std::vector<std::vector<std::string>> programs = {
      {"sleep", "0.0{batch_size}"},
      {"sh", "-c", "sleep 0.0$FLYBALL_BATCH_SIZE"},
      {"sh", script.string()}};
  for (const auto& program : programs) {
    const Finished done = tune(program, {"batch_size=1,9"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const auto trials = nlohmann::json(done.json()["profiled"]);
    EXPECT_GE(trials.size(), 2u);
    for (const SortedJson& trial : trials) {
      const double seconds = trial["config"]["batch_size"].get<double>() / 100;
      EXPECT_GE(trial["minibatch_ms"].get<double>(), 1e3 * seconds);
    }
  }
}

TEST_F(ProgramTest, ARunIsNoMinibatch) {
  const std::vector<std::string> program = {"sleep", "0.0{batch_size}"};
  const SortedJson json = tune(program, {"batch_size=2,4"}).json();
  EXPECT_EQ(json["per"], "run");
  EXPECT_EQ(json["comparison"]["per"], "run");
  EXPECT_TRUE(json["choice"]["sample_ms"].is_null());
  EXPECT_EQ(json["choice"]["config"]["batch_size"], 2);  // the shorter run, not the cheaper sample
  EXPECT_TRUE(json["profiled"][0]["noise_pct"].is_null());
  EXPECT_NE(json["notes"].dump().find("--trial-time"), std::string::npos);
  const Finished text = run({"tune", "--axis", "cpu_cores=1", "--axis", "batch_size=2,4", "-q",
                             "--", "sleep", "0.0{batch_size}"});
  EXPECT_THAT(text.out, HasSubstr("run ms"));
  for (const char* wrong : {"minibatch ms", "per sample", "per minibatch", "(-0", "(-1"})
    EXPECT_EQ(text.out.find(wrong), std::string::npos) << wrong << "\n" << text.out;
}

TEST_F(ProgramTest, AWholeRunBeyondTheTrialTimeAskedForIsRefused) {
  const Finished done = tune({"sleep", "1.2"}, {});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("--trial-time 500 ms cannot cut"));
}

TEST_F(ProgramTest, OneReasonOfAllFailuresIsSaid) {
  const Finished done = tune({marked, "1", "fail"}, {"batch_size=1,2"});
  EXPECT_EQ(done.exit_code, 2) << "no limit was missed";
  EXPECT_EQ(done.json()["infeasible"]["code"], "unavailable");
  EXPECT_THAT(done.err, HasSubstr("all 2 trials failed: "));
  EXPECT_THAT(done.err, HasSubstr("the disk is full of sand"));
  EXPECT_EQ(done.err.find("allow more profiles"), std::string::npos) << done.err;
}

// What was measured before does not look fresh.
TEST_F(ProgramTest, ASecondRunSaysWhoseTrialsItTells) {
  const std::vector<std::string> command = {"tune",   "--axis",         "cpu_cores=1",
                                            "--axis", "batch_size=1,3", "-q",
                                            "--",     "sleep",          "0.0{batch_size}"};
  const Finished first = run(command);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("configurations profiled in"));
  const Finished second = run(command);
  EXPECT_THAT(second.out, HasSubstr("from run 1, "));
  EXPECT_THAT(second.out, HasSubstr("ago"));
  EXPECT_THAT(second.out, HasSubstr("--fresh measures again"));
  EXPECT_EQ(second.out.find("profiled in"), std::string::npos) << second.out;
  // The note of a busy machine is as true of trials that are told again.
  EXPECT_EQ(first.out.find("other processes kept") == std::string::npos,
            second.out.find("other processes kept") == std::string::npos);
  const SortedJson json = tune({"sleep", "0.0{batch_size}"}, {"batch_size=1,3"}).json();
  ASSERT_EQ(json["reused"].size(), 1u);
  EXPECT_EQ(json["reused"][0]["run"], 1);
  EXPECT_EQ(json["profiled"][0]["run"], 1);
}

bool python_can(const std::string& code, const std::string& python = "/usr/bin/python3") {
  return std::system(("PYTHONPATH=" FLYBALL_BIN_DIR "/../python " + python + " -c '" + code +
                      "' >/dev/null 2>&1")
                         .c_str()) == 0;
}

/// This machine's Python, and those that FLYBALL_PYTHONS names ("/opt/a/bin/python:…").
std::vector<std::string> pythons() {
  std::vector<std::string> all = {"/usr/bin/python3"};
  const char* more = std::getenv("FLYBALL_PYTHONS");
  std::stringstream names(more != nullptr ? more : "");
  for (std::string name; std::getline(names, name, ':');) all.push_back(name);
  return all;
}

// Through libflyball, and without it in plain Python.
TEST_F(ProgramTest, AnyPythonMarks) {
  const fs::path script = write("train.py", R"(
import os, sys, time, flyball
assert flyball.setting("batch_size", 7) == 7
with flyball.window("epoch") as epoch:
    for batch in flyball.batches(range(20)):
        time.sleep(0.002)
assert epoch.energy or epoch.gap, "neither energy nor a reason"
assert epoch.seconds > 0.04
try:
    with flyball.window("broken"):
        raise KeyError("cancelled")
except KeyError:
    pass
child = os.fork()
if child == 0:
    flyball.minibatch()  # of another process: left out
    os._exit(0)
os.waitpid(child, 0)
with flyball.stall():
    time.sleep(0.004)
with flyball.compute():
    pass
flyball.minibatch()
print("library", flyball._library.found)
)");
  for (const std::string& python : pythons())
    for (const bool library : {true, false}) {
      SCOPED_TRACE(python + (library ? " with" : " without") + " libflyball");
      environment_.erase("FLYBALL_LIBRARY");
      if (!library) environment_["FLYBALL_LIBRARY"] = "";
      const Finished done = profile({python, script.string()});
      ASSERT_EQ(done.exit_code, 0) << done.err;
      EXPECT_THAT(done.err, HasSubstr(library ? "library True" : "library False"));
      const SortedJson json = done.json();
      EXPECT_EQ(json["marked"]["minibatches"], 20);
      EXPECT_GE(json["marked"]["compute_s"], 19 * 0.002);
      EXPECT_GE(json["marked"]["stall_s"], 0.004);
      ASSERT_EQ(json["windows"].size(), 1u);
      EXPECT_EQ(json["windows"][0]["minibatches"], 20);
    }
}

TEST_F(ProgramTest, PlainPythonMarksOnceRoundTheRingAndMore) {
  environment_["FLYBALL_LIBRARY"] = "";
  const fs::path script = write("many.py", R"(
import flyball
assert flyball.marked() and not flyball._library.found
for _ in range(150001): flyball.minibatch()
)");
  const Finished done = profile({"/usr/bin/python3", script.string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson json = done.json();
  EXPECT_EQ(json["marked"]["minibatches"].get<int>() + json["lost_marks"].get<int>(), 150000);
  EXPECT_GT(json["marked"]["minibatches"], 100000);
}

TEST_F(ProgramTest, APythonThatAnotherOneStartsDoesNotDisturbItsMarks) {
  environment_["FLYBALL_LIBRARY"] = "";
  const fs::path script = write("parent.py", R"PY(
import subprocess, sys, flyball
flyball.minibatch()
child = subprocess.Popen([sys.executable, "-c", """
import flyball
assert flyball.marked() and flyball.setting("batch_size", 1) == 1
for _ in range(20000): flyball.minibatch()
"""])
for _ in range(20000): flyball.minibatch()
assert child.wait() == 0
)PY");
  const Finished done = profile({"/usr/bin/python3", script.string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["marked"]["minibatches"], 20000);
  EXPECT_EQ(done.json()["lost_marks"], 0);
  EXPECT_EQ(done.json()["other_marks"], 20000);
}

TEST_F(ProgramTest, ThePackageIsPythonOf38) {
  const fs::path script = write("parse.py", R"PY(
import ast, pathlib, re, sys
source = pathlib.Path(sys.argv[1])
files = sorted((source / "bindings/python/flyball").glob("*.py"))
for file in files: ast.parse(file.read_text(), str(file), feature_version=(3, 8))
assert len(files) >= 5
version = re.search(r"project\(flyball VERSION (\S+)", (source / "CMakeLists.txt").read_text())[1]
assert f'__version__ = "{version}"' in (files[0].parent / "__init__.py").read_text()
)PY");
  EXPECT_EQ(std::system(("/usr/bin/python3 " + script.string() + " " FLYBALL_SOURCE_DIR).c_str()),
            0);
}

// Reported at the end of an epoch, long after enough minibatches were seen. The larger the batch,
// the less time for a sample, and the worse the accuracy.
TEST_F(ProgramTest, LimitsOnWhatItReportsHold) {
  const std::string script = write("train.py", R"(
import time, flyball
batch = flyball.setting("batch_size", 8)
kept = bytearray(batch * 1000000)
while True:
    for _ in range(40):
        time.sleep(0.002 + 0.0001 * batch)
        flyball.minibatch()
    flyball.report("accuracy", 1 - 0.01 * batch)
)")
                                 .string();
  const auto limited = [&](const std::vector<std::string>& limits) {
    std::vector<std::string> all = {
        "tune", "--axis",     "batch_size=8,16,32,64", "--axis",      "cpu_cores=1", "--trial-time",
        "0.1s", "--strategy", "brute-force",           "--no-verify", "-q",          "--json"};
    all.insert(all.end(), limits.begin(), limits.end());
    all.insert(all.end(), {"--", "/usr/bin/python3", script});
    return run(all);
  };
  for (const bool library : {true, false}) {
    if (!library) environment_["FLYBALL_LIBRARY"] = "";
    const Finished done = limited({"--at-least", "accuracy=0.68", "--fresh"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const SortedJson json = done.json();
    EXPECT_EQ(json["choice"]["config"]["batch_size"], 32);
    EXPECT_NEAR(json["choice"]["figures"]["accuracy"].get<double>(), 0.68, 1e-9);
    EXPECT_EQ(json["request"]["limits"][0]["at_least"], 0.68);
    for (const SortedJson& trial : json["profiled"]) {
      EXPECT_TRUE(trial["figures"].contains("accuracy")) << trial;
      EXPECT_GT(trial["figures"]["memory"], 8e6) << trial;
    }
  }
  // Kept with the measurements, and held against other limits without measuring again.
  const Finished other = limited({"--at-least", "accuracy=0.9"});
  EXPECT_EQ(other.json()["choice"]["config"]["batch_size"], 8);
  EXPECT_EQ(other.json()["profiled"][0]["from_store"], true);
  const Finished none = limited({"--at-least", "accuracy=0.95"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("accuracy ≥ 0.95: the nearest of 8 trials is 0.92"));
  const Finished small = limited({"--at-most", "memory=1MB"});
  EXPECT_EQ(small.exit_code, 1);
  EXPECT_THAT(small.err, HasSubstr("memory ≤ 1 MB: the nearest of 8 trials is"));
  const Finished wrong = limited({"--at-most", "memory"});
  EXPECT_EQ(wrong.exit_code, 2);
  const Finished network = run({"tune", "lenet5", "--at-least", "accuracy=0.9"});
  EXPECT_EQ(network.exit_code, 2);
  EXPECT_THAT(network.err, HasSubstr("a program of your own reports"));
}

// What comes behind the minibatches that count, until a figure is reported, is no part of them.
TEST_F(ProgramTest, PowerIsThatOfTheMinibatchesThatCount) {
  const fs::path root = folder_ / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const fs::path rail = root / "sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/curr1_input";
  const fs::path script = write("train.py", R"(
import os, sys, threading, time, flyball
milliamperes = [1000]
def live(turn=0):
    while True:
        turn += 1
        with open(sys.argv[1] + ".part", "w") as file:
            file.write("%d\n" % (milliamperes[0] + turn % 2))
        os.rename(sys.argv[1] + ".part", sys.argv[1])
        time.sleep(0.01)
threading.Thread(target=live, daemon=True).start()
for _ in range(800):
    time.sleep(0.005)
    flyball.minibatch()
milliamperes[0] = 0  # it looks how good it has become
time.sleep(5)
flyball.report("accuracy", 0.9)
time.sleep(60)
)");
  const Finished done = run({"tune",
                             "--root",
                             root.string(),
                             "--axis",
                             "gpu_mhz=612",
                             "--axis",
                             "cpu_cores=1",
                             "--axis",
                             "cpu_mhz=2201.6",
                             "--axis",
                             "mem_mhz=3199",
                             "--no-verify",
                             "--trial-time",
                             "1s",
                             "--at-least",
                             "accuracy=0.5",
                             "-q",
                             "--json",
                             "--",
                             "/usr/bin/python3",
                             script.string(),
                             rail.string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson trial = done.json()["profiled"][0];
  EXPECT_EQ(trial["figures"]["accuracy"], 0.9);
  EXPECT_NEAR(trial["power_w"].get<double>(), 24.9, 1) << "19 V × 1 A, and 5.9 W of other rails";
}

TEST_F(ProgramTest, PyTorchScriptIsProfiledAndTuned) {
  if (!python_can("import flyball, torch")) GTEST_SKIP() << "no python3-torch";
  const std::string script = FLYBALL_SOURCE_DIR "/examples/train_pytorch.py";
  const Finished done = profile({"/usr/bin/python3", script, "--samples", "128"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["marked"]["minibatches"], 15);  // 2 epochs of 8, less the first
  EXPECT_EQ(done.json()["windows"].size(), 2u);
  EXPECT_GT(done.json()["marked"]["compute_s"], 0);
  const Finished tuned =
      tune({"/usr/bin/python3", script, "--epochs", "10000"}, {"batch_size=8,32"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(tuned.json()["profiles"], 2);
}

TEST_F(ProgramTest, AScriptedModuleFromPyTorchTrains) {
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  if (!python_can("import torch")) GTEST_SKIP() << "no python3-torch";
  const fs::path model = folder_ / "model.pt";
  const fs::path script = write("save.py", R"(
import sys, torch
from torch import nn
model = nn.Sequential(nn.Conv2d(1, 4, 5), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 24 * 24, 10))
torch.jit.script(model).save(sys.argv[1])
)");
  ASSERT_EQ(std::system(("/usr/bin/python3 " + script.string() + " " + model.string()).c_str()), 0);
  const std::string data = (folder_ / "digits").string();
  ASSERT_EQ(run({"dataset", "make", "digits", "--samples", "320", "--out", data}).exit_code, 0);
  const Finished done = run({"profile", "--workload", "script:" + model.string(), "--dataset", data,
                             "--threads", "1", "-q", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["parameters"], 4 * 25 + 4 + 4 * 24 * 24 * 10 + 10);
  EXPECT_LT(done.json()["epochs"][1]["loss"], done.json()["epochs"][0]["loss"]);
  const Finished tuned =
      run({"tune", "--workload", "script:" + model.string(), "--dataset", data, "--trial-time",
           "0.2s", "--profiles", "2", "--axis", "cpu_cores=1", "-q", "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
}

}  // namespace
}  // namespace flyball::testing_tools
