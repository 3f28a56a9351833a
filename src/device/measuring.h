// One measuring session per machine: who measures while another one does, reads its load as well.
//
// A session takes a name of the machine (base/machine_name.h), so that sessions of all users see
// each other, whatever their state folders are. The journal's lock (journal.h) is another promise:
// this one says who measures and may be passed over (`force`), that one says whose settings the
// board has, is taken by whoever sets them, and is never shared. Each session has a name of its own
// as well, with process and time, so that one that is disturbed knows by whom. A name dies with its
// process, whatever ends it.
//
// Where there is a file of sessions (session_file.h) that this process may use, the right to
// measure is that file's: containers that share it see each other, and a name that some user took
// without measuring keeps nobody out. The name is taken beside it, for those who have no such file.
//
// What another flyball measures ($FLYBALL_MEASURED: a server of `tune --server`) has no session: it
// is part of that one.
//
// Tables are only read: they need no session. $FLYBALL_MACHINE makes sessions those of another
// machine, by its name: tests that run at once take it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/option_name.h"
#include "base/os/machine_name.h"
#include "base/status.h"
#include "device/session_file.h"

namespace flyball {

struct MeasuringOptions {
  bool wait = false;   ///< until the other session has ended
  bool force = false;  ///< beside it; what is measured meanwhile is marked
  std::function<void(const std::string& holder)> waiting{};  ///< called once, when there is a wait
  std::function<bool()> cancelled{};                         ///< ends the wait
  Caller caller = Caller::command_line;                      ///< whose names both ways out have
};

class MeasuringSession {
 public:
  /// This process' session: a second call answers with the one that there is. Errors: `conflict`
  /// where another process has one, which names it, with both ways out; `interrupted` while it
  /// waited; $FLYBALL_MACHINE is no name.
  static Result<std::shared_ptr<MeasuringSession>> begin(const MeasuringOptions& options);

 private:
  explicit MeasuringSession(std::vector<MachineName> names, std::optional<SessionFile> file);
  std::vector<MachineName> names_;
  std::optional<SessionFile> file_;
  int owner_;  ///< process that began it: one that was forked from it measures on its own
};

/// Other processes that measure on this machine now: "process 12 (flyball tune lenet5) of user 1000
/// since 2026-…"; "" when there are none.
std::string others_measuring();

/// What of others_measuring() this process cannot see, with the remedy: other containers, from
/// within one that shares no file of sessions; "" otherwise. `root`: of the files that say what
/// this is.
std::string unseen_sessions(const std::filesystem::path& root = "/");

/// Who else measures during a measurement: asked at its begin and at its end. Its trial is marked
/// by Interference (space/measurement.h).
class Disturbance {
 public:
  Disturbance() : at_begin_(others_measuring()) {}
  /// At the end; "" when nobody did.
  std::string by() const {
    const std::string at_end = others_measuring();
    return at_end.empty() ? at_begin_ : at_end;
  }

 private:
  std::string at_begin_;
};

}  // namespace flyball
