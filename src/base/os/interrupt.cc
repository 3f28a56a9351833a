#include "base/os/interrupt.h"

#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace flyball {
namespace {

std::atomic<bool> flag{false}, seen{false};  // asked to stop; and somebody ends in order
std::atomic<int> last_signal{SIGINT};
std::atomic<int64_t> patience_us{static_cast<int64_t>(usual_interrupt_patience_s * 1e6)};
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<int64_t>::is_always_lock_free);

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// 0: never.
void end_after(int64_t us) {
  itimerval timer{};
  timer.it_value = {static_cast<time_t>(us / 1'000'000), static_cast<suseconds_t>(us % 1'000'000)};
  ::setitimer(ITIMER_REAL, &timer, nullptr);  // a system call: safe in a handler
}

void on_signal(int signal) {
  const int before = errno;
  last_signal = signal;
  if (flag) end_by(signal);
  end_after(patience_us);  // first: whoever sees the flag may take it back
  flag = true;
  errno = before;
}

void on_lost_patience(int) {
  constexpr char text[] = "\nflyball: interrupted in work that did not come to its end in time\n";
  (void)!::write(STDERR_FILENO, text, sizeof text - 1);
  end_by(last_signal);
}

}  // namespace

const std::atomic<bool>& interrupt_flag() {
  return flag;
}

bool is_interrupted(const std::atomic<bool>* asked) {
  if (!asked || !*asked) return false;
  if (asked != &flag) return true;
  seen = true;
  end_after(0);
  return true;
}

Status check_interrupt(const std::atomic<bool>* asked) {
  return is_interrupted(asked) ? Error{Code::interrupted, "interrupted", ""} : Status();
}

int interrupt_signal() {
  return last_signal;
}

void note_interrupt(int signal) {
  last_signal = signal;
}

WholeWork::WholeWork() : before_us_(patience_us.exchange(0)) {
  if (flag) end_after(0);
}

WholeWork::~WholeWork() {
  patience_us = before_us_;
  if (flag && !seen) end_after(before_us_);
}

void set_interrupt_patience(double seconds) {
  patience_us = static_cast<int64_t>(seconds * 1e6);
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_lost_patience;
  ::sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace flyball
