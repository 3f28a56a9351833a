// Marks on their way from a program to whoever profiles it: a ring in a file that both have mapped,
// named by FLYBALL_MARKS. Writing one takes no system call but for the clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace flyball {

inline constexpr const char* marks_variable = "FLYBALL_MARKS";

/// `figure`: the program reports `name`, whose value stands in the bits of stall_ns. `setting` and
/// `library` are the program's library speaking for itself: the program has read the setting
/// `name`; what it marks with tells of that, too. Older libraries tell neither, and older readers
/// pass over both.
enum class MarkKind : uint32_t {
  minibatch = 1,
  window_begin = 2,
  window_end = 3,
  setting = 4,
  library = 5,
  figure = 6
};

/// One mark. Durations are negative when the program does not mark them. Both ends of a window bear
/// its number in the process as stall_ns: names are cut, and threads use the same. Of older
/// libraries it is −1.
struct Mark {
  int64_t time_ns = 0;  ///< CLOCK_MONOTONIC
  int64_t stall_ns = -1, compute_ns = -1;
  MarkKind kind = MarkKind::minibatch;
  uint32_t pid = 0;
  std::string name{};  ///< of a window or setting: its first 23 bytes
};

namespace marks {

/// As it lies in the file; all processes of one machine agree on it. A writer that comes round may
/// be at work on a slot that is being read: the sequence is looked at before and after.
struct Slot {
  std::atomic<uint64_t> sequence;  ///< number of the mark + 1, written last; 0 while it is written
  std::atomic<int64_t> time_ns, stall_ns, compute_ns;
  std::atomic<uint32_t> kind, pid;
  std::atomic<uint64_t> name[3];  ///< 24 bytes of text
};
struct Ring {
  char magic[8];  ///< "FLYMARK1"
  uint64_t capacity;
  std::atomic<uint64_t> head;  ///< marks written so far

  /// `capacity` of them follow in the file; mark n is slot n modulo capacity.
  Slot& slot(uint64_t number) { return reinterpret_cast<Slot*>(this + 1)[number % capacity]; }
};
static_assert(sizeof(Slot) == 64 && std::atomic<uint64_t>::is_always_lock_free);

/// Writes a mark into the ring that FLYBALL_MARKS names; does nothing without one.
void write(MarkKind kind, int64_t stall_ns, int64_t compute_ns, const char* name);
/// Does anybody read?
bool wanted();

}  // namespace marks

/// Marks of windows as windows.
class WindowMarks {
 public:
  /// When the window began that this mark ends; nothing of other marks. Without a number it is the
  /// newest of its name.
  std::optional<int64_t> begin_ns(const Mark& mark);

 private:
  std::map<std::pair<std::string, int64_t>, std::vector<int64_t>> open_;  ///< when they began
};

/// The reading end. The file goes with it.
class MarkReader {
 public:
  /// Makes the ring in a file of its own below `folder`, with all of its 4 MiB reserved: a page
  /// that a full file system cannot give would be a SIGBUS in the program that marks. Errors: those
  /// of files; `io` when there is no room.
  static Result<std::unique_ptr<MarkReader>> create(const std::filesystem::path& folder);
  ~MarkReader();
  MarkReader(const MarkReader&) = delete;
  MarkReader& operator=(const MarkReader&) = delete;

  /// "FLYBALL_MARKS=…" for the environment of the program.
  std::string environment() const;
  /// The minibatches and windows since the last call, of the first process that marked any;
  /// children it forked are left out. At most 65536 may come between two calls; older ones are lost
  /// and counted.
  std::vector<Mark> take();
  uint64_t lost() const { return lost_; }
  /// Minibatches and windows of the other processes, so far.
  uint64_t of_others() const { return of_others_; }
  /// Has any process of the program read this setting, by what was taken so far?
  bool was_read(const std::string& setting) const;
  /// What the program has reported by what was taken so far, the last of each name.
  const std::map<std::string, double>& figures() const { return figures_; }
  /// Those names whose last value was no finite number.
  const std::set<std::string>& not_finite() const { return not_finite_; }
  /// Would the program's library have told so?
  bool tells_settings() const { return tells_settings_; }

 private:
  void take_figure(const Mark& mark);
  MarkReader(std::filesystem::path path, marks::Ring* ring) : path_(std::move(path)), ring_(ring) {}

  std::filesystem::path path_;
  marks::Ring* ring_;
  uint64_t next_ = 0, lost_ = 0, of_others_ = 0;
  uint32_t pid_ = 0;
  std::set<std::string> settings_;  ///< that were read, as marks hold their names
  std::map<std::string, double> figures_;
  std::set<std::string> not_finite_;
  bool tells_settings_ = false;
};

}  // namespace flyball
