// Ctrl-C and SIGTERM as a flag that long work looks at, so that everything is put back in order.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.h"

namespace flyball {

/// Set once the user, or the system, asks to stop.
const std::atomic<bool>& interrupt_flag();
inline constexpr double usual_interrupt_patience_s = 1.4;
/// Is the flag set? Null is none. Whoever is told so ends in order, however long that takes.
bool is_interrupted(const std::atomic<bool>* flag);
/// The error `interrupted`, once the flag is set.
Status check_interrupt(const std::atomic<bool>* flag);
/// The signal that asked; SIGINT while none has.
int interrupt_signal();
/// A signal that reached us by another way than the flag, e.g. one that was passed on to a program.
void note_interrupt(int signal);
/// From now on SIGINT, SIGTERM and SIGHUP set the flag. The second one ends the process at once,
/// and so does the first one where nobody has looked at the flag within the patience: a minibatch,
/// or a read, may take longer than anybody waits. What is left then is the guard's (guard.h). A
/// signal that was ignored when this process started stays ignored: `nohup` means that the terminal
/// may go.
void catch_interrupts();
/// While one lives, the first signal waits: a file is written, a board is set. Not for work without
/// bounds.
class WholeWork {
 public:
  WholeWork();
  ~WholeWork();
  WholeWork(const WholeWork&) = delete;
  WholeWork& operator=(const WholeWork&) = delete;

 private:
  int64_t before_us_;
};
/// For work that owes something to others before it looks, such as the answers of a server; 0 has
/// no end.
void set_interrupt_patience(double seconds);

}  // namespace flyball
