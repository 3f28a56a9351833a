#include "telemetry/process/terminal.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "base/clock.h"

namespace flyball {
namespace {

constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::atomic<bool> forwarding_in_use{false};
// Only lock-free atomics may be touched by a signal handler.
std::atomic<pid_t> target_group{0};
std::atomic<int> pending_signal{0};
std::atomic<int> received_signals{0};
std::atomic<int> last_signal{0}, end_requests{0};
std::atomic<int64_t> first_request_ns{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);
std::array<struct sigaction, kForwarded.size()> previous_actions;

void forward(int number) {
  const int before = errno;  // of whatever it came in between
  ++received_signals;
  // The others may ask for something else than the end.
  int64_t none = 0;
  if (number == SIGINT || number == SIGTERM) {
    first_request_ns.compare_exchange_strong(none, monotonic_ns());
    ++end_requests;
  }
  last_signal.store(number);
  const pid_t group = target_group.load();
  if (group > 0)
    ::kill(-group, number);
  else
    pending_signal.store(number);
  errno = before;
}

// A background process that sets the foreground group is stopped by SIGTTOU unless it blocks it.
void set_foreground(pid_t group) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  ::tcsetpgrp(STDIN_FILENO, group);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void Terminal::hand_to(pid_t group) {
  if (!::isatty(STDIN_FILENO) || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
  set_foreground(group);
  handed_ = true;
  // It may have asked for input before the terminal was its own, and been stopped for that.
  ::kill(-group, SIGCONT);
}

void Terminal::take_back() {
  if (std::exchange(handed_, false)) set_foreground(::getpgrp());
}

Result<SignalForwarding> SignalForwarding::begin() {
  if (forwarding_in_use.exchange(true))
    return Error{Code::conflict, "another command runs in the foreground of this process",
                 "run one at a time"};
  target_group = 0;
  pending_signal = 0;
  received_signals = 0;
  last_signal = 0;
  first_request_ns = 0;
  end_requests = 0;
  struct sigaction action {};
  action.sa_handler = forward;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kForwarded.size(); ++i) {
    ::sigaction(kForwarded[i], nullptr, &previous_actions[i]);
    // What is ignored (nohup) stays ignored, for the command as well.
    if (previous_actions[i].sa_handler != SIG_IGN) ::sigaction(kForwarded[i], &action, nullptr);
  }
  return SignalForwarding();
}

SignalForwarding::SignalForwarding(SignalForwarding&& other) noexcept
    : active_(std::exchange(other.active_, false)) {}

SignalForwarding::~SignalForwarding() {
  if (!active_) return;
  for (size_t i = 0; i < kForwarded.size(); ++i)
    ::sigaction(kForwarded[i], &previous_actions[i], nullptr);
  target_group = 0;
  forwarding_in_use = false;
}

int SignalForwarding::received() {
  return received_signals;
}

int SignalForwarding::last() {
  return last_signal;
}

int64_t SignalForwarding::asked_to_end_ns() {
  return first_request_ns;
}

int SignalForwarding::requests() {
  return end_requests;
}

void SignalForwarding::attach(pid_t group) {
  target_group = group;
  if (const int number = pending_signal.exchange(0); number != 0) ::kill(-group, number);
}

}  // namespace flyball
