#include "telemetry/process/command.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/os/guard.h"
#include "telemetry/process/terminal.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace flyball {
namespace {

std::atomic<int> living_commands{0};
constexpr int64_t signal_look_ns = 200'000'000;  // for a signal that came just before a sleep

// What the kernel may charge to a child of ours before its exec. It counts pages roughly.
double own_peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 * 1.05 + 1e6;
}

}  // namespace

class RunningCommand::Foreground {
 public:
  explicit Foreground(SignalForwarding forwarding) : forwarding_(std::move(forwarding)) {}
  void attach(pid_t group) {
    terminal_.hand_to(group);
    forwarding_.attach(group);
  }
  bool has_terminal() const { return terminal_.handed(); }
  void take_back() { terminal_.take_back(); }
  void hand_to(pid_t group) { terminal_.hand_to(group); }
  int signals() const { return SignalForwarding::received(); }
  int last() const { return SignalForwarding::last(); }
  /// SIGINT or SIGTERM was passed on, and the time to end by it is over, or a second one has come.
  bool lost_patience() const {
    const int64_t asked_ns = SignalForwarding::asked_to_end_ns();
    return SignalForwarding::requests() > 1 ||
           (asked_ns != 0 && monotonic_ns() >= asked_ns + foreground_grace_ns);
  }

 private:
  SignalForwarding forwarding_;
  Terminal terminal_;
};

Result<std::unique_ptr<RunningCommand>> RunningCommand::start(const std::vector<std::string>& argv,
                                                              const CommandOptions& options) {
  if (argv.empty() || argv[0].empty())
    return Error{Code::invalid_argument, "there is no command to run",
                 "put it after --, e.g. -- python3 train.py"};
  Guard::start();  // before it looks for the children that are not the command's
  std::unique_ptr<RunningCommand> command(new RunningCommand(ProcessTree::children_of(::getpid())));
  if (options.foreground) {
    FLYBALL_ASSIGN(SignalForwarding forwarding, SignalForwarding::begin());
    command->shield_ = std::make_unique<Foreground>(std::move(forwarding));
  }
  FLYBALL_ASSIGN(const pid_t pid,
                 spawn_group(argv, {.environment = own_environment(options.environment),
                                    .streams = options.streams}));
  command->own_peak_bytes_ = own_peak_bytes();
  command->finished_ = false;
  command->pid_ = pid;
  command->tree_.lead(pid);
  if (command->shield_) command->shield_->attach(pid);
  command->pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  return command;
}

RunningCommand::RunningCommand(std::vector<pid_t> bystanders) : tree_(0, std::move(bystanders)) {
  if (living_commands++ == 0) ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

RunningCommand::~RunningCommand() {
  if (!finished_) {
    signal(SIGTERM);
    if (!wait_until(monotonic_ns() + command_grace_ns)) signal(SIGKILL);
    finish(false);
  }
  shield_.reset();
  if (--living_commands == 0) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  if (pidfd_ >= 0) ::close(pidfd_);
}

int RunningCommand::passed_on() const {
  return shield_ ? shield_->last() : 0;
}

void RunningCommand::signal(int number) const {
  if (pid_ > 0) ::kill(-pid_, number);
}

// A stopped command (Ctrl-Z) stops us as well, so that the shell gets its terminal back.
void RunningCommand::follow_stop() {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG) != 0) return;
  if (info.si_pid != pid_) return;
  shield_->take_back();
  ::raise(SIGSTOP);
  shield_->hand_to(pid_);
  signal(SIGCONT);
}

bool RunningCommand::wait_until(int64_t deadline_ns) {
  while (true) {
    siginfo_t info{};
    const int waited = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (waited == 0 && info.si_pid == pid_) return true;
    if (waited != 0 && errno == ECHILD) return true;
    if (shield_ && shield_->has_terminal()) follow_stop();
    if (shield_ && shield_->lost_patience()) signal(SIGKILL);
    int64_t left = deadline_ns - monotonic_ns();
    if (left <= 0) return false;
    left = std::min(left, signal_look_ns);
    // Kernels before 5.3 have no pidfd: then the end is noticed within 2 ms.
    if (pidfd_ < 0) left = std::min<int64_t>(left, 2'000'000);
    const timespec timeout{static_cast<time_t>(left / 1'000'000'000),
                           static_cast<long>(left % 1'000'000'000)};
    pollfd ready{pidfd_, POLLIN, 0};
    ::ppoll(&ready, pidfd_ >= 0 ? 1 : 0, &timeout, nullptr);
  }
}

void RunningCommand::reap(pid_t pid) {
  const auto io = read_pid_io(pid);  // a zombie still has its figures
  int status = 0;
  rusage usage{};
  if (::wait4(pid, &status, WNOHANG, &usage) != pid) return;
  if (io)
    ended_.io += *io;
  else
    ended_.io_known = false;
  ended_.user_s += seconds_of(usage.ru_utime);
  ended_.system_s += seconds_of(usage.ru_stime);
  ended_.minor_faults += static_cast<uint64_t>(usage.ru_minflt);
  ended_.major_faults += static_cast<uint64_t>(usage.ru_majflt);
  ended_.voluntary_switches += static_cast<uint64_t>(usage.ru_nvcsw);
  ended_.involuntary_switches += static_cast<uint64_t>(usage.ru_nivcsw);
  ++ended_.processes;
  // Until it calls exec, a child is charged with our own memory: only more than that is its own.
  const double peak = static_cast<double>(usage.ru_maxrss) * 1024;
  if (peak > own_peak_bytes_) ended_.max_resident_bytes = std::max(ended_.max_resident_bytes, peak);
  if (pid != pid_) return;
  end_signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  exit_code_ = end_signal_ != 0 ? 128 + end_signal_ : WEXITSTATUS(status);
}

void RunningCommand::refresh() {
  tree_.refresh();
  for (pid_t pid : tree_.adopted()) {
    if (pid == pid_) continue;
    const auto stat = read_pid_stat(pid);
    if (stat && stat->state == 'Z') reap(pid);
  }
}

bool RunningCommand::others_run() {
  // Its group was the terminal's foreground: with its end, Ctrl-C has to reach us.
  if (shield_) shield_->take_back();
  refresh();
  const int all_signals = shield_ ? shield_->signals() : 0;
  if (signals_before_wait_ < 0) signals_before_wait_ = all_signals;
  const int signals = all_signals - signals_before_wait_;
  if (signals > 1 || (signals == 1 && shield_->lost_patience())) return false;
  return std::ranges::any_of(tree_.members(), [&](pid_t pid) {
    return pid != pid_ && (signals == 0 || ::getpgid(pid) == pid_);
  });
}

void RunningCommand::finish(bool leave_running) {
  if (std::exchange(finished_, true)) return;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  if (!leave_running) {
    tree_.refresh();
    signal(SIGKILL);
    for (pid_t pid : tree_.members())
      if (pid != pid_) ::kill(pid, SIGKILL);
    // Orphans arrive as their parents die.
    for (int round = 0; round < 200 && tree_.adopted().size() > 1; ++round) {
      for (pid_t pid : tree_.adopted()) {
        if (pid == pid_) continue;
        ::kill(pid, SIGKILL);
        reap(pid);
      }
      if (tree_.adopted().size() > 1) ::usleep(5000);
    }
  }
  refresh();
  Guard::forget(pid_);  // what lives on may do so without us
  reap(pid_);
  tree_.refresh();
  left_running_ = tree_.use().processes;
  shield_.reset();
}

int start_failure_exit_code(const Error& error) {
  return error.code == Code::not_found ? 127 : 126;
}

}  // namespace flyball
