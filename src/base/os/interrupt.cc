#include "base/os/interrupt.h"

#include <csignal>

namespace flyball {
namespace {

std::atomic<bool> flag{false};
std::atomic<int> last_signal{SIGINT};
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int signal) {
  last_signal = signal;
  if (flag.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

const std::atomic<bool>& interrupt_flag() {
  return flag;
}

int interrupt_signal() {
  return last_signal;
}

void note_interrupt(int signal) {
  last_signal = signal;
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace flyball
