// Ctrl-C and SIGTERM as a flag that long work looks at, so that everything is put back in order.
#pragma once

#include <atomic>

namespace flyball {

/// Set once the user, or the system, asks to stop.
const std::atomic<bool>& interrupt_flag();
/// The signal that asked; SIGINT while none has.
int interrupt_signal();
/// A signal that reached us by another way than the flag, e.g. one that was passed on to a program.
void note_interrupt(int signal);
/// From now on SIGINT, SIGTERM and SIGHUP set the flag; the second one ends the process at once,
/// and what it leaves is the guard's (guard.h). A signal that was ignored when this process started
/// stays ignored: `nohup` means that the terminal may go.
void catch_interrupts();

}  // namespace flyball
