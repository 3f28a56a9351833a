// One measuring session per machine: who measures while another one does, reads its load as well.
//
// A session takes state_folder()/measuring.lock, a LockFile as the board's journal has one
// (journal.h). The two are different promises: this one says who measures and may be passed over
// (`anyway`), the journal's says whose settings the board has, is taken by whoever sets them, and
// is never shared. Who passes over takes a lock of its own beside it (measuring-PID.lock), so that
// the session that it disturbs knows of it, too. A lock dies with its process, whatever ends it.
//
// Tables are only read: they need no session. Sessions of different users, whose state folders
// differ, do not see each other.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/lock_file.h"
#include "base/option_name.h"
#include "base/status.h"

namespace flyball {

struct MeasuringOptions {
  bool wait = false;    ///< until the other session has ended
  bool anyway = false;  ///< beside it; what is measured meanwhile is marked
  std::function<void(const std::string& holder)> waiting{};  ///< called once, when there is a wait
  std::function<bool()> cancelled{};                         ///< ends the wait
  Caller caller = Caller::command_line;                      ///< whose names both ways out have
};

class MeasuringSession {
 public:
  /// This process' session: a second call answers with the one that there is. Errors: `conflict`
  /// where another process has one, which names it, with both ways out; `interrupted` while it
  /// waited; the state folder cannot be used.
  static Result<std::shared_ptr<MeasuringSession>> begin(const MeasuringOptions& options);

 private:
  explicit MeasuringSession(LockFile lock);
  LockFile lock_;
  int owner_;  ///< process that began it: one that was forked from it measures on its own
};

/// Other processes that measure on this machine now, by name; "" when there are none.
std::string others_measuring(const std::filesystem::path& folder);
std::string others_measuring();  ///< in state_folder()

/// Who else measures during a measurement: asked at its begin and at its end. Its trial is marked
/// by disturbed_condition (space/trial_facts.h).
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
