// What a command costs before it does anything: wall time, CPU time and memory of --help, measure,
// doctor, workloads, runs and a tune over a table of 4,368 rows, beside an empty Python program and
// GNU time. usage: start_bench [--rounds N]
//
// Peer: GNU time | test -x /usr/bin/time
// Peer: Python | ${FLYBALL_PYTHON:-/usr/bin/python3} -c pass
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/statistics.h"
#include "predict/known_board_testing.h"

extern char** environ;

namespace flyball {
namespace {

struct Command {
  std::string name;
  std::vector<std::string> words;
  std::vector<double> ms = {}, cpu_ms = {};
  double peak_mb = 0;
};

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "start_bench: {}\n", message);
  std::exit(2);
}

// Output goes nowhere. The child's memory counts from its own start only where this process is
// smaller: it holds no table and loads nothing.
void run_once(Command& command) {
  std::vector<char*> argv;
  for (std::string& word : command.words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t nowhere;
  ::posix_spawn_file_actions_init(&nowhere);
  for (const int file : {STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&nowhere, file, "/dev/null", O_WRONLY, 0);
  const Stopwatch watch;
  pid_t child = 0;
  int status = 0;
  rusage usage{};
  if (::posix_spawnp(&child, argv[0], &nowhere, nullptr, argv.data(), environ) != 0 ||
      ::wait4(child, &status, 0, &usage) < 0 || status != 0)
    give_up(command.name + " failed");
  command.ms.push_back(1e3 * watch.seconds());
  const auto cpu_ms = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  command.cpu_ms.push_back(cpu_ms(usage.ru_utime) + cpu_ms(usage.ru_stime));
  command.peak_mb = std::max(command.peak_mb, static_cast<double>(usage.ru_maxrss) / 1024);
  ::posix_spawn_file_actions_destroy(&nowhere);
}

// In a process of its own, so that this one stays small.
void write_table(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto table = testing_board::table_on(testing_board::full_grid(true),
                                               {"net", 30, 15, 8, 10, 0.03}, 0.02, 1);
    ::_exit(write_file(path, format_table(std::span(&table, 1))).ok() ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0 || status != 0) give_up("cannot write a table");
}

std::vector<Command> commands(const std::string& table) {
  const std::string flyball = FLYBALL_BIN_DIR "/flyball";
  std::vector<Command> all = {{"help", {flyball, "--help"}},
                              {"measure", {flyball, "measure", "--", "true"}},
                              {"doctor", {flyball, "doctor"}},
                              {"workloads", {flyball, "workloads"}},
                              {"runs", {flyball, "runs", "list"}},
                              {"tune",
                               {flyball, "tune", "net", "--device", "table:" + table,
                                "--power-budget", "30W", "--no-store", "--no-reference", "-q"}},
                              {"bare_true", {"true"}}};
  const char* const named = std::getenv("FLYBALL_PYTHON");
  const std::string python = named ? named : "/usr/bin/python3";
  if (::access(python.c_str(), X_OK) == 0) all.push_back({"peer_python", {python, "-c", "pass"}});
  if (::access("/usr/bin/time", X_OK) == 0)
    all.push_back({"peer_time", {"/usr/bin/time", "-o", "/dev/null", "true"}});
  return all;
}

int run(int rounds) {
  const TempFolder folder;
  ::setenv("FLYBALL_STORE", (folder / "store.db").c_str(), 1);
  ::setenv("FLYBALL_REFERENCES", (folder / "references").c_str(), 1);
  ::setenv("FLYBALL_STATE", (folder / "state").c_str(), 1);
  write_table(folder / "table.csv");
  std::vector<Command> all = commands((folder / "table.csv").string());
  for (Command& command : all) {
    run_once(command);  // the first one reads its files from the disk
    command.ms.clear();
    command.cpu_ms.clear();
  }
  for (int round = 0; round < rounds; ++round)
    for (Command& command : all) run_once(command);
  nlohmann::ordered_json figures;
  for (const Command& command : all) {
    figures[command.name + "_ms"] = median(command.ms);
    figures[command.name + "_ms_min"] = *std::ranges::min_element(command.ms);
    figures[command.name + "_cpu_ms"] = median(command.cpu_ms);
    figures[command.name + "_mb"] = command.peak_mb;
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"benchmark", "start"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const bool rounds = argc == 3 && argv[1] == std::string("--rounds");
  return flyball::run(rounds ? std::max(1, std::atoi(argv[2])) : 20);
}
