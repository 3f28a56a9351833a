#include "telemetry/process/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/os/guard.h"
#include "base/text.h"

extern char** environ;

namespace flyball {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Where the program may be, in the order of PATH.
std::vector<std::string> places_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return {program};
  const char* path = std::getenv("PATH");
  std::vector<std::string> places;
  for (const std::string& folder : split(path ? path : "/bin:/usr/bin", ':'))
    places.push_back(folder.empty() ? program : folder + "/" + program);
  return places;
}

// An exec closes its end of this pipe, a failure writes the reason into it. The kernel wakes the
// parent of a new process a moment before the exec is done, while the child still shows the
// parent's memory as its own.
class ExecNotice {
 public:
  ExecNotice() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~ExecNotice() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }
  ExecNotice(const ExecNotice&) = delete;
  ExecNotice& operator=(const ExecNotice&) = delete;

  bool ok() const { return ends_[0] >= 0; }
  int child_end() const { return ends_[1]; }
  /// After the child was made: errno of its exec, 0 for a good one. At most 0.1 s, in case that
  /// another process holds the pipe.
  int wait() {
    ::close(std::exchange(ends_[1], -1));
    pollfd ready{ends_[0], POLLIN, 0};
    int polled = 0, reason = 0;
    do polled = ::poll(&ready, 1, 100);
    while (polled < 0 && errno == EINTR);
    if (polled <= 0) return 0;
    return ::read(ends_[0], &reason, sizeof reason) == sizeof reason ? reason : 0;
  }

 private:
  int ends_[2];
};

// All that the child needs, made before it is.
struct Child {
  std::vector<char*> argv, environment, places;
  Streams streams;
  int notice = -1;
  sigset_t mask;
};

// From here to the exec the child has our memory: system calls only, nothing of ours is changed.
void reset_handlers() {
  struct sigaction action {};
  for (int number = 1; number < NSIG; ++number) {
    if (::sigaction(number, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
  }
}

// Left as it is where `from` is none. One that has the number already stays open beyond the exec.
bool set_stream(int from, int to) {
  return from < 0 || (from == to ? ::fcntl(to, F_SETFD, 0) == 0 : ::dup2(from, to) >= 0);
}

bool set_streams(const Streams& streams) {
  int in = streams.in;
  if (in == Streams::nothing && (in = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) return false;
  // stdout first: it may be our stderr; or, where our stdin is closed, the number of stdin.
  return set_stream(streams.out, 1) && set_stream(streams.err, 2) && set_stream(in, 0);
}

// As execvpe() searches, but a file that is no program is never given to a shell.
int try_places(const Child& child) {
  int reason = ENOENT;
  for (char* place : child.places) {
    if (!place) break;
    ::execve(place, child.argv.data(), child.environment.data());
    if (errno == EACCES) reason = EACCES;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return errno;
  }
  return reason;
}

[[noreturn, gnu::noinline]] void become_the_command(const Child& child) {
  ::setpgid(0, 0);
  Guard::announce_this_group();
  reset_handlers();
  int reason = 0;
  if (set_streams(child.streams)) {
    ::sigprocmask(SIG_SETMASK, &child.mask, nullptr);
    reason = try_places(child);
  } else {
    reason = errno;
  }
  (void)!::write(child.notice, &reason, sizeof reason);
  ::_exit(127);
}

Error start_error(const std::string& program, int reason) {
  Error error{Code::io, fmt::format("cannot start '{}': {}", program, std::strerror(reason)), ""};
  if (reason == ENOENT) {
    error.code = Code::not_found;
    error.hint = "is it installed and in PATH? A script needs its interpreter, too";
  } else if (reason == EACCES) {
    error.code = Code::permission;
    error.hint = "make it executable (chmod +x), or name its interpreter in front";
  } else if (reason == ENOEXEC) {
    error.hint = "is it built for this machine?";
  }
  return error;
}

}  // namespace

std::filesystem::path found_on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  for (const std::string& place : places_of(program))
    if (::access(place.c_str(), X_OK) == 0) return place;
  return {};
}

std::vector<std::string> own_environment(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string key = text.substr(0, text.find('=') + 1);
    if (std::ranges::none_of(more, [&](const auto& e) { return e.starts_with(key); }))
      all.push_back(text);
  }
  return all;
}

Result<pid_t> spawn_group(const std::vector<std::string>& argv, const SpawnOptions& options) {
  const std::vector<std::string> places = places_of(argv[0]);
  ExecNotice notice;
  if (!notice.ok()) return start_error(argv[0], errno);
  Child child;
  child.argv = pointers(argv);
  child.environment = pointers(options.environment);
  child.places = pointers(places);
  child.streams = options.streams;
  child.notice = notice.child_end();
  // A handler of ours must not run in the child, which has our memory.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &child.mask);
  // Not fork(): that would copy the page tables of a large process and disturb what is sampled. The
  // child calls nothing but the kernel.
  const pid_t pid = ::vfork();              // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0) become_the_command(child);  // NOLINT(clang-analyzer-unix.Vfork)
  const int failure = pid < 0 ? errno : 0;
  ::pthread_sigmask(SIG_SETMASK, &child.mask, nullptr);
  if (failure != 0) return start_error(argv[0], failure);
  if (const int reason = notice.wait(); reason != 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    Guard::forget(pid);
    return start_error(argv[0], reason);
  }
  return pid;
}

}  // namespace flyball
