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

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/lock_file.h"
#include "base/status.h"

namespace flyball {

struct MeasuringOptions {
  bool wait = false;    ///< until the other session has ended
  bool anyway = false;  ///< beside it; what is measured meanwhile is marked
  std::function<void(const std::string& holder)> waiting{};  ///< called once, when there is a wait
  const std::atomic<bool>* cancelled = nullptr;              ///< ends the wait
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

/// The condition (space/conditions.h) of a trial beside which another process measured: who. With
/// it the trial never stands for one that was measured alone.
inline constexpr const char* disturbed_condition = "disturbed by";

/// Who else measures during a measurement: asked at its begin and at its end.
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
