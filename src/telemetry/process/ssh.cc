#include "telemetry/process/ssh.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/guard.h"
#include "base/os/interrupt.h"
#include "telemetry/process/spawn.h"

extern char** environ;

namespace flyball {
namespace {

constexpr double look_s = 0.02, ssh_grace_s = 2;

// One word for the shell there, whatever is in it.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// Of a group: its leader has ended. What ends in no time is killed.
bool ended_in_time(pid_t group, double limit_s, int& status) {
  const Stopwatch since;
  while (true) {
    const pid_t ended = ::waitpid(group, &status, WNOHANG);
    if (ended == group || (ended < 0 && errno != EINTR)) return true;
    if (since.seconds() >= limit_s) return false;
    sleep_until_ns(monotonic_ns() + nanoseconds(look_s));
  }
}

void end_group(pid_t group) {
  int status = 0;
  ::kill(-group, SIGTERM);
  if (!ended_in_time(group, ssh_grace_s, status)) {
    ::kill(-group, SIGKILL);
    while (::waitpid(group, &status, 0) < 0 && errno == EINTR) continue;
  }
}

// Nothing: it goes on.
Status broken_limit(const std::string& what, const std::filesystem::path& file, double seconds,
                    const FileLimits& limits) {
  if (is_interrupted(&interrupt_flag()))
    return Error{Code::interrupted, "interrupted", "run the same command again"};
  if (seconds > limits.seconds)
    return Error{Code::io, fmt::format("{} took longer than {:g} s", what, limits.seconds), ""};
  std::error_code ignored;
  const auto size = std::filesystem::file_size(file, ignored);
  if (!ignored && size > limits.bytes)
    return Error{Code::corrupt, fmt::format("{} writes more than {} bytes", what, limits.bytes),
                 ""};
  return {};
}

}  // namespace

Result<std::vector<std::string>> ssh_words() {
  const std::filesystem::path ssh = found_on_path("ssh");
  if (ssh.empty())
    return Error{Code::unavailable, "there is no ssh on this machine", "install openssh-client"};
  std::vector<std::string> words = {ssh.string()};
  for (const char* option :
       {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=4"})
    words.insert(words.end(), {"-o", option});
  return words;
}

std::string store_export_command(const std::string& program, const std::string& store) {
  return program + " runs export" + (store.empty() ? "" : " --store " + quoted(store));
}

Result<int> run_into_file(const std::vector<std::string>& words, const std::filesystem::path& file,
                          const FileLimits& limits) {
  Guard::start();
  SpawnOptions options;
  for (char** variable = environ; *variable; ++variable)
    options.environment.emplace_back(*variable);
  // A new file: set -C refuses one that is there.
  std::vector<std::string> argv = {"/bin/sh", "-c", "set -C; exec \"$@\" >\"$0\" </dev/null",
                                   file.string()};
  argv.insert(argv.end(), words.begin(), words.end());
  FLYBALL_ASSIGN(const pid_t group, spawn_group(argv, options));
  const Stopwatch since;
  int status = 0;
  while (!ended_in_time(group, 0.1, status)) {
    const Status broken = broken_limit(words[0], file, since.seconds(), limits);
    if (broken.ok()) continue;
    end_group(group);
    Guard::forget(group);
    return broken.error();
  }
  Guard::forget(group);
  FLYBALL_CHECK(broken_limit(words[0], file, since.seconds(), limits));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace flyball
