// What watching costs: `flyball monitor` on a terminal of 80 x 24 and as JSON lines at 10 Hz and 1
// Hz, beside a loop in Python that reads the same files. In percent of one core, without the start.
// usage: monitor_bench [--seconds N] [--program FILE]
//
// Peer: Python | ${FLYBALL_PYTHON:-/usr/bin/python3} -c pass
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/os/temp_folder.h"

namespace flyball {
namespace {

struct Watched {
  std::string name;
  std::vector<std::string> words;
  std::string suffix;  ///< of the seconds, which are the last word
};

constexpr int start_s = 2;  ///< of a run that is mostly start, which is taken off

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "monitor_bench: {}\n", message);
  std::exit(2);
}

// On a terminal of its own, whose other end this process reads and throws away.
double cpu_seconds(const Watched& watched, int seconds) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 80;
  int terminal = -1;
  const std::string duration = std::to_string(seconds) + watched.suffix;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) give_up("there is no terminal to be had");
  if (child == 0) {
    ::setenv("TERM", "xterm-256color", 1);
    std::vector<char*> argv;
    for (const std::string& word : watched.words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(const_cast<char*>(duration.c_str()));
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  std::vector<char> thrown_away(65536);
  while (::read(terminal, thrown_away.data(), thrown_away.size()) > 0) continue;
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) < 0 || status != 0) give_up(watched.name + " failed");
  ::close(terminal);
  const auto used = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return used(usage.ru_utime) + used(usage.ru_stime);
}

double core_percent(const Watched& watched, int seconds) {
  const double start = cpu_seconds(watched, start_s);
  return 100 * (cpu_seconds(watched, start_s + seconds) - start) / seconds;
}

int run(const std::string& program, int seconds) {
  const TempFolder folder;
  ::setenv("FLYBALL_STATE", (folder / "state").c_str(), 1);
  std::vector<Watched> all = {
      {"screen_10hz", {program, "monitor", "--interval", "100ms", "--duration"}, "s"},
      {"screen_1hz", {program, "monitor", "--interval", "1s", "--duration"}, "s"},
      {"json_10hz", {program, "monitor", "--json", "--interval", "100ms", "--duration"}, "s"}};
  const char* const named = std::getenv("FLYBALL_PYTHON");
  const std::string python = named ? named : "/usr/bin/python3";
  const std::string loop = FLYBALL_SOURCE_DIR "/bench/peers/watch.py";
  if (::access(python.c_str(), X_OK) == 0) {
    all.push_back({"peer_python_10hz", {python, loop, "0.1"}, ""});
    all.push_back({"peer_python_1hz", {python, loop, "1"}, ""});
  }
  nlohmann::ordered_json figures;
  for (const Watched& watched : all)
    figures[watched.name + "_core_pct"] = core_percent(watched, seconds);
  fmt::print("{}\n", nlohmann::ordered_json{{"benchmark", "monitor"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  std::string program = FLYBALL_BIN_DIR "/flyball";
  int seconds = 20;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (argv[i] == std::string("--seconds")) seconds = std::max(2, std::atoi(argv[i + 1]));
    if (argv[i] == std::string("--program")) program = argv[i + 1];
  }
  return flyball::run(program, seconds);
}
