// The helper's board while we have it, and what one asks of the helper without having it.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "device/helper/link.h"

namespace flyball {

/// A connection that has the board. A thread of its own says every 10 s that we live; what was set
/// is put back when the connection ends.
class BoardHold {
 public:
  /// Claims the board. Errors: those of HelperLink, `conflict` where another client has it.
  static Result<std::unique_ptr<BoardHold>> claim(const std::filesystem::path& socket);
  ~BoardHold();
  BoardHold(const BoardHold&) = delete;
  BoardHold& operator=(const BoardHold&) = delete;

  /// The helper's reply. Once the helper has gone, its error is the answer to all.
  Status ask(const HelperRequest& request);
  bool lost();

 private:
  explicit BoardHold(HelperLink link);
  Status ask_now(const HelperRequest& request);
  void beat();

  HelperLink link_;
  int owner_;  ///< process that claimed it: one that was forked from it does not give it back
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::optional<Error> lost_;
  std::thread heartbeat_;
};

/// What the helper sets and who has it do so. Errors: those of HelperLink; it sets another board
/// than that below `root`.
Result<HelperBoard> ask_helper(const std::filesystem::path& root,
                               const std::filesystem::path& socket);
/// Has the helper put back what was before a mode was kept; how many settings.
Result<size_t> restore_kept_by_helper(const std::filesystem::path& socket);

}  // namespace flyball
