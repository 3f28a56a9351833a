#include "telemetry/process/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock_testing.h"
#include "base/files.h"
#include "base/os/tool_process.h"
#include "telemetry/process/command.h"
#include "telemetry/sensors/simple_sensors.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;

MeasureResult measured(const std::vector<std::string>& argv, MeasureOptions options = {}) {
  options.streams.out = STDERR_FILENO;
  auto result = measure_command(argv, options);
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return *std::move(result);
}

TEST(Measure, TimesACommandAndCostsLittle) {
#ifdef __SANITIZE_THREAD__
  const MeasureResult result = measured({"sleep", "5"});  // a sample is dear, so they are few
#else
  const MeasureResult result = measured({"sleep", "0.5"});
#endif
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_GE(result.wall_s, 0.5);
  EXPECT_LT(result.wall_s, 30);
  EXPECT_LT(result.user_s + result.system_s, 0.1);
  EXPECT_GT(result.peak_memory_bytes, 100e3);
  EXPECT_LT(result.peak_memory_bytes, 50e6);
  EXPECT_EQ(result.peak_processes, 1);
  EXPECT_GE(result.samples, 3u);  // about 50 where the machine is free
  EXPECT_GT(result.own_cpu_s, 0);
}

TEST(Measure, CountsCpuTimeOfGrandchildren) {
  const MeasureResult result =
      measured({"sh", "-c", "(i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done) & wait"});
  EXPECT_GT(result.user_s + result.system_s, 0.02);
  EXPECT_EQ(result.exit_code, 0);
}

TEST(Measure, CountsOrphansThatEndBeforeTheCommand) {
  // The worker's parent ends at once, and the worker leaves the process group, too.
  const MeasureResult result = measured(
      {"sh", "-c",
       "(setsid sh -c 'i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; : >$0' \"$1\" &) ;"
       "while [ ! -e \"$1\" ]; do sleep 0.02; done; sleep 0.1",
       "sh", std::string(testing::TempDir()) + "orphan" + std::to_string(::getpid())});
  std::filesystem::remove(std::string(testing::TempDir()) + "orphan" + std::to_string(::getpid()));
  EXPECT_GT(result.user_s + result.system_s, 0.02);
  EXPECT_GE(result.peak_processes, 2);
  EXPECT_EQ(result.left_running, 0);
}

TEST(Measure, SaysWhatIsLeftRunning) {
  TestTree tree;
  const std::string path = tree.root() / "pid";
  const MeasureResult result = measured({"sh", "-c", "sleep 60 & echo $! >\"$0\"; exit 3", path});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.wall_s, 30);
  EXPECT_EQ(result.left_running, 1);
  EXPECT_THAT(measure_text(result), HasSubstr("left running"));
  ASSERT_EQ(::kill(std::stoi(*read_file(path)), SIGKILL), 0);
  // On demand it waits for them.
  MeasureOptions options;
  options.wait_for_all = true;
  const MeasureResult all = measured({"sh", "-c", "sleep 0.4 & exit 3"}, options);
  EXPECT_EQ(all.exit_code, 3);
  EXPECT_GE(all.wall_s, 0.4);
  EXPECT_EQ(all.left_running, 0);
}

TEST(Measure, SeesThePeakOfMemory) {
  // It is held for longer than a second, after which at the latest it is looked for again.
  const MeasureResult result = measured(
      {"sh", "-c", "head -c 60000000 /dev/zero | tail -c 60000000 | { sleep 1.5; wc -c; }"});
  EXPECT_GT(result.peak_memory_bytes, 55e6);
  EXPECT_LT(result.peak_memory_bytes, 200e6);
}

// Until it calls exec, a child has the memory of this process: that must not pass for its own.
TEST(Measure, NeverTakesOurMemoryForThatOfTheCommand) {
  std::vector<char> ours(200'000'000, 'x');
  std::atomic<bool> done{false};
  std::vector<std::thread> load;
  for (size_t i = 0; i < 4; ++i)
    load.emplace_back([&, i] {
      while (!done) ours[2 * i] = static_cast<char>(ours[2 * i + 1] + 1);
    });
  MeasureOptions options;
  options.interval = {0.001};
  double largest = 0;
  for (int run = 0; run < 300; ++run)
    largest = std::max(largest, measured({"true"}, options).peak_memory_bytes);
  done = true;
  for (std::thread& thread : load) thread.join();
  EXPECT_LT(largest, 100e6);
}

// A program that has just begun shows a few pages: that is not what it needs.
TEST(Measure, TheFirstPagesOfACommandAreNotItsPeak) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "what this sanitizer's copy of us touches before the command begins counts as its pages";
#endif
  MeasureOptions options;
  options.interval = {0.001};
  for (int run = 0; run < 100; ++run) {
    const MeasureResult result = measured({"true"}, options);
    if (result.peak_memory_bytes == 0) {
      EXPECT_THAT(measure_text(result), HasSubstr("unknown: the command ended too soon"));
      EXPECT_TRUE(measure_json(result)["peak_memory_bytes"].is_null());
    } else {
      EXPECT_GT(result.peak_memory_bytes, 400e3);
    }
  }
}

TEST(Measure, TheIntervalHasLimitsAlsoWithoutASensor) {
  for (const double wrong : {0.0, -0.005, 1e-6, 3601.0, std::nan("")}) {
    MeasureOptions options;
    options.interval = {wrong};
    const auto result = measure_command({"true"}, options);
    ASSERT_FALSE(result.ok()) << wrong;
    EXPECT_EQ(result.error().code, Code::invalid_argument);
    EXPECT_THAT(result.error().hint, HasSubstr("1 ms to 1 h"));
  }
  MeasureOptions options;
  options.interval = {0.05};
  const MeasureResult result = measured({"sleep", "0.2"}, options);
  const auto json = measure_json(result);
  EXPECT_EQ(json["interval_ms"], 50);
  EXPECT_GE(json["memory_interval_ms"].get<double>(), 50 * (1 - 1e-9));
}

TEST(Measure, CountsBytes) {
  TestTree tree;
  const std::string path = tree.root() / "out";
  const MeasureResult result =
      measured({"sh", "-c", "head -c 3000000 /dev/zero >\"$0\"; cat \"$0\" >/dev/null", path});
  ASSERT_TRUE(result.io_known);
  EXPECT_GE(result.io.write_chars, 3'000'000u);
  EXPECT_GE(result.io.read_chars, 6'000'000u);
  EXPECT_LT(result.io.read_chars, 7'000'000u);
}

TEST(Measure, PassesOnTheExitCodeAndTheSignal) {
  EXPECT_EQ(measured({"sh", "-c", "exit 42"}).exit_code, 42);
  const MeasureResult killed = measured({"sh", "-c", "kill -9 $$"});
  EXPECT_EQ(killed.exit_code, 137);
  EXPECT_EQ(killed.end_signal, SIGKILL);
}

// Sends a signal to ourselves so many times, each 0.8 s after the one before; the first one 0.8 s
// after the command has made this file.
std::thread signals_after(const std::string& file, int times, int number) {
  return std::thread([file, times, number] {
    within_seconds_of_now(60, [&] { return std::filesystem::exists(file); });
    for (int i = 0; i < times && std::filesystem::exists(file); ++i) {
      sleep_until_ns(monotonic_ns() + 800'000'000);
      ::kill(::getpid(), number);
    }
  });
}

TEST(Measure, PassesOnCtrlCAndStillReturns) {
  TestTree tree;
  const std::string first = tree.root() / "first", second = tree.root() / "second";
  std::thread user = signals_after(first, 1, SIGINT);
  const MeasureResult result = measured({"sh", "-c", ": >\"$0\"; exec sleep 60", first});
  user.join();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_LT(result.wall_s, 30);
  // A command may also take it and end as it likes.
  std::thread again = signals_after(second, 1, SIGTERM);
  const MeasureResult trapped =
      measured({"sh", "-c", "trap 'exit 7' TERM; : >\"$0\"; while :; do sleep 0.05; done", second});
  again.join();
  EXPECT_EQ(trapped.exit_code, 7);
}

TEST(Measure, ACommandThatTakesNoSignalIsKilledAfterItsGrace) {
  TestTree tree;
  const std::string path = tree.root() / "begun";
  std::thread user = signals_after(path, 1, SIGTERM);
  const MeasureResult result =
      measured({"sh", "-c", "trap '' TERM; : >\"$0\"; sleep 60 & wait; sleep 60", path});
  user.join();
  EXPECT_EQ(result.end_signal, SIGKILL);
  EXPECT_GE(result.wall_s, 0.8 + 1e-9 * foreground_grace_ns);
  EXPECT_LT(result.wall_s, 30);
}

// What has a session of its own gets no Ctrl-C: the waiting ends, and it lives on.
TEST(Measure, CtrlCEndsTheWaitForAnOrphanInASessionOfItsOwn) {
  TestTree tree;
  const std::string path = tree.root() / "pid";
  MeasureOptions options;
  options.wait_for_all = true;
  std::thread user = signals_after(path, 1, SIGINT);
  const MeasureResult result =
      measured({"sh", "-c", "setsid sleep 60 & echo $! >\"$0\"; exit 3", path}, options);
  user.join();
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_GE(result.wall_s, 0.8);
  EXPECT_LT(result.wall_s, 30);
  EXPECT_EQ(result.left_running, 1);
  ASSERT_EQ(::kill(std::stoi(*read_file(path)), SIGKILL), 0);
}

// What is in the command's group gets the signal, and is waited for until there is a second one.
TEST(Measure, ASecondSignalEndsTheWaitForTheGroup) {
  TestTree tree;
  const std::string first = tree.root() / "first", second = tree.root() / "second";
  MeasureOptions options;
  options.wait_for_all = true;
  std::thread user = signals_after(first, 1, SIGTERM);
  const MeasureResult ended =
      measured({"sh", "-c", "sleep 60 & : >\"$0\"; exit 3", first}, options);
  user.join();
  EXPECT_EQ(ended.left_running, 0);
  EXPECT_LT(ended.wall_s, 30);
  user = signals_after(second, 2, SIGTERM);
  const MeasureResult stubborn =
      measured({"sh", "-c", "trap '' TERM; sleep 60 & echo $! >\"$0\"; exit 3", second}, options);
  user.join();
  EXPECT_EQ(stubborn.left_running, 1);
  EXPECT_GE(stubborn.wall_s, 1.6);
  EXPECT_LT(stubborn.wall_s, 30);
  ASSERT_EQ(::kill(std::stoi(*read_file(second)), SIGKILL), 0);
}

TEST(Measure, SaysWhyACommandCannotStart) {
  const auto missing = measure_command({"no-such-command-here"}, {});
  ASSERT_TRUE(missing.ok() && missing->not_started);
  EXPECT_EQ(missing->not_started->code, Code::not_found);
  EXPECT_EQ(start_failure_exit_code(*missing->not_started), 127);
  const auto folder = measure_command({"/tmp"}, {});
  ASSERT_TRUE(folder.ok() && folder->not_started);
  EXPECT_EQ(start_failure_exit_code(*folder->not_started), 126);
  const auto nothing = measure_command({}, {});
  ASSERT_TRUE(nothing.ok() && nothing->not_started);
  EXPECT_EQ(nothing->not_started->code, Code::invalid_argument);
  MeasureOptions options;
  options.interval = {1e-6};
  options.sensors.sensors = {
      function_sensor({.name = "x", .kind = SensorKind::power}, [](int64_t) { return 1.0; })};
  EXPECT_EQ(measure_command({"true"}, options).error().code, Code::invalid_argument);
}

TEST(Measure, AddsUpEnergyWhereThereIsASensor) {
  TestTree tree;
  const auto file = tree.put("power_mw", "5000");
  MeasureOptions options;
  options.sensors.sensors = {file_sensor({.name = "VDD_IN",
                                          .unit = "W",
                                          .kind = SensorKind::power,
                                          .source = "test",
                                          .total = "module"},
                                         file, 1e-3)};
  options.sensors.gaps = {{Code::unavailable, "no fan", "buy one"}};
  options.interval = {0.02};
  const MeasureResult result = measured({"sleep", "0.5"}, options);
  ASSERT_EQ(result.totals.size(), 1u);
  EXPECT_EQ(result.totals[0].name, "module");
  // A busy machine may leave gaps: they are told, and nothing is added for them.
  const EnergyWindow& window = result.totals[0].window;
  EXPECT_NEAR(window.covered_s + window.gap_s, result.wall_s, 1e-6);
  EXPECT_NEAR(window.energy_j, 5 * window.covered_s, 1e-6);
  EXPECT_GT(window.covered_s, 0.5 * result.wall_s);
  const auto json = measure_json(result);
  EXPECT_NEAR(json["totals"][0]["mean_w"].get<double>(), 5, 1e-6);
  EXPECT_EQ(json["missing"][0]["hint"], "buy one");
  EXPECT_EQ(json["exit_code"], 0);
  EXPECT_THAT(measure_text(result), HasSubstr("module"));
  EXPECT_THAT(measure_text(result), HasSubstr("HINT: buy one"));
}

// That nothing measures power is said once and briefly; what would help, doctor says.
TEST(Measure, NoPowerIsOneShortLine) {
  MeasureOptions options;
  options.sensors.gaps = {{Code::unavailable,
                           "power is not available on this machine: no RAPL; no INA3221",
                           "buy one"}};
  const MeasureResult result = measured({"true"}, options);
  EXPECT_THAT(measure_text(result),
              HasSubstr("power is not available on this machine (`flyball doctor` says why)\n"));
  EXPECT_THAT(measure_text(result), Not(HasSubstr("RAPL")));
  EXPECT_THAT(measure_text(result), Not(HasSubstr("buy one")));
  EXPECT_EQ(measure_json(result)["missing"][0]["hint"], "buy one");
}

TEST(Measure, LeavesOtherChildrenAlone) {
  const pid_t other = ::fork();
  if (other == 0) ::_exit(9);
  const MeasureResult result = measured({"sh", "-c", "exit 4"});
  EXPECT_EQ(result.exit_code, 4);
  int status = 0;
  EXPECT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(WEXITSTATUS(status), 9);
}

TEST(RunningCommand, EndsItsWholeTreeWhenItIsDropped) {
  TestTree tree;
  const std::string path = tree.root() / "pid";
  {
    const auto command = RunningCommand::start(
        {"sh", "-c", "setsid sleep 60 & echo $! >\"$0\"; sleep 60", path}, {.foreground = false});
    ASSERT_TRUE(command.ok());
    while (!read_file(path).ok() || read_file(path)->empty())
      ASSERT_FALSE((*command)->wait_until(monotonic_ns() + 10'000'000));
  }
  EXPECT_NE(::kill(std::stoi(*read_file(path)), 0), 0);
}

TEST(RunningCommand, ToolsThatSensorsRunAreNoneOfIts) {
  TestTree tree;
  const auto tool = tree.put("tool", "#!/bin/sh\n: >\"$0.runs\"\nsleep \"$1\"\necho done\n");
  std::filesystem::permissions(tool, std::filesystem::perms(0755));
  const auto command = RunningCommand::start({"sleep", "600"}, {.foreground = false});
  ASSERT_TRUE(command.ok());
  std::atomic<bool> asked = false;
  std::thread sensor([&] {
    for (int i = 0; i < 3; ++i) {
      const auto answer = run_tool(tool, {"0.1"}, 60);
      EXPECT_EQ(answer.ok() ? *answer : answer.error().message, "done\n");
    }
    asked = true;
  });
  while (!asked) {
    (*command)->refresh();
    EXPECT_THAT((*command)->tree().members(), testing::ElementsAre((*command)->pid()));
  }
  sensor.join();
  EXPECT_EQ((*command)->ended().processes, 0);

  const std::filesystem::path runs = tool.string() + ".runs";
  std::filesystem::remove(runs);
  std::atomic<bool> ended = false;
  std::thread last([&] {
    const auto answer = run_tool(tool, {"1"}, 60);
    EXPECT_EQ(answer.ok() ? *answer : answer.error().message, "done\n");
    ended = true;
  });
  while (!std::filesystem::exists(runs) && !ended) std::this_thread::yield();
  (*command)->signal(SIGKILL);
  (*command)->finish(false);
  last.join();
  EXPECT_EQ((*command)->left_running(), 0);
}

TEST(RunningCommand, OneForegroundCommandAtATime) {
  const auto first = RunningCommand::start({"sleep", "5"});
  ASSERT_TRUE(first.ok());
  const auto second = RunningCommand::start({"sleep", "5"});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::conflict);
  const auto background = RunningCommand::start({"true"}, {.foreground = false});
  EXPECT_TRUE(background.ok());
}

TEST(RunningCommand, PassesTheEnvironment) {
  const auto command = RunningCommand::start({"sh", "-c", "exit $FLYBALL_TEST_CODE"},
                                             {.environment = {"FLYBALL_TEST_CODE=5"}});
  ASSERT_TRUE(command.ok());
  while (!(*command)->wait_until(monotonic_ns() + 1'000'000'000)) {
  }
  (*command)->finish(true);
  EXPECT_EQ((*command)->exit_code(), 5);
}

}  // namespace
}  // namespace flyball
