#include "telemetry/process/bounded_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/os/guard.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "telemetry/process/command.h"

namespace flyball {
namespace {

constexpr double look_s = 0.005, end_grace_s = 1e-9 * command_grace_ns;
constexpr uint64_t most_output = uint64_t{64} << 20;
constexpr off_t most_complaint = 2000, told_complaint = 400;

// The file's end, or all of it where it is short.
std::string last_of(int file, off_t most) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t from = size > most ? size - most : 0;
  std::string text(static_cast<size_t>(std::max<off_t>(size - from, 0)), '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), from);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

// Of a group: its leader has ended.
bool ends_within(pid_t group, double seconds, int& status) {
  const Stopwatch since;
  while (true) {
    const pid_t ended = ::waitpid(group, &status, WNOHANG);
    if (ended == group || (ended < 0 && errno != EINTR)) return true;
    if (since.seconds() >= seconds) return false;
    sleep_until_ns(monotonic_ns() + nanoseconds(look_s));
  }
}

// All of it: its leader may end and leave others.
void end_group(pid_t group) {
  int status = 0;
  ::kill(-group, SIGTERM);
  const bool ended = ends_within(group, end_grace_s, status);
  ::kill(-group, SIGKILL);
  while (!ended && ::waitpid(group, &status, 0) < 0 && errno == EINTR) continue;
}

uint64_t size_of(int file) {
  struct stat facts {};
  return file >= 0 && ::fstat(file, &facts) == 0 ? static_cast<uint64_t>(facts.st_size) : 0;
}

// One that runs, whose streams are files.
struct BoundedRun {
  const std::vector<std::string>& argv;
  Streams streams;
  RunLimits limits;
  bool interruptible;

  Status check(double seconds) const {
    if (interruptible && is_interrupted(&interrupt_flag()))
      return Error{Code::interrupted, "interrupted", "run the same command again"};
    if (seconds > limits.seconds)
      return Error{Code::io,
                   fmt::format("{} took longer than {:g} s", shell_line(argv), limits.seconds), ""};
    if (size_of(streams.out) > limits.bytes || size_of(streams.err) > most_output)
      return Error{Code::corrupt,
                   fmt::format("{} prints more than {} MiB", argv[0], limits.bytes >> 20), ""};
    return {};
  }

  /// Its exit code.
  Result<int> to_end() const {
    Guard::start();
    FLYBALL_ASSIGN(const pid_t group,
                   spawn_group(argv, {.environment = own_environment(), .streams = streams}));
    const Stopwatch since;
    int status = 0;
    Status broken;
    while (!ends_within(group, std::min(0.1, limits.seconds), status)) {
      broken = check(since.seconds());
      if (broken.ok()) continue;
      end_group(group);
      break;
    }
    Guard::forget(group);
    FLYBALL_CHECK(broken);
    FLYBALL_CHECK(check(0));  // it may have ended within the time, with too much
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
};

}  // namespace

Result<ProgramAnswer> ask_program(const std::vector<std::string>& argv, double limit_s, int in) {
  if (found_on_path(argv[0]).empty())
    return Error{Code::unavailable, fmt::format("there is no {} on this machine", argv[0]),
                 fmt::format("install it, or put it on the PATH: {}", argv[0])};
  const Descriptor out(::memfd_create("out", MFD_CLOEXEC)), err(::memfd_create("err", MFD_CLOEXEC));
  if (out.get() < 0 || err.get() < 0) return file_error("run", argv[0], errno);
  const BoundedRun run{argv,
                       {.in = in, .out = out.get(), .err = err.get()},
                       {.seconds = limit_s, .bytes = most_output},
                       false};
  ProgramAnswer answer;
  FLYBALL_ASSIGN(answer.exit_code, run.to_end());
  answer.out = last_of(out.get(), most_output);
  answer.complaint = last_of(err.get(), most_complaint);
  return answer;
}

Result<std::string> run_program(const std::vector<std::string>& argv, double limit_s, int in) {
  FLYBALL_ASSIGN(ProgramAnswer answer, ask_program(argv, limit_s, in));
  if (answer.exit_code == 0) return std::move(answer.out);
  std::string complaint = std::move(answer.complaint);
  if (complaint.size() > told_complaint) complaint.erase(0, complaint.size() - told_complaint);
  return Error{Code::unavailable, fmt::format("{} failed: {}", shell_line(argv), trim(complaint)),
               ""};
}

Result<int> run_into_file(const std::vector<std::string>& argv, const std::filesystem::path& file,
                          const RunLimits& limits) {
  const Descriptor out(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (out.get() < 0 && errno == EEXIST)
    return Error{Code::conflict, fmt::format("{} is there already", file.string()),
                 "remove it, or name another file"};
  if (out.get() < 0) return file_error("make", file, errno);
  return BoundedRun{argv, {.in = Streams::nothing, .out = out.get()}, limits, true}.to_end();
}

}  // namespace flyball
