// A file that one living process holds: who else asks is told whose it is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/status.h"

namespace flyball {

/// The kernel gives the lock back when its process ends, in whatever way. The file goes with it;
/// one that a killed process left behind is taken over.
class LockFile {
 public:
  /// Asks for at most `patience_s`. Errors: `conflict` "WHAT is held by process 12 (COMMAND) on
  /// HOST …",
  /// without a hint; the folder or the file cannot be made.
  static Result<LockFile> take(const std::filesystem::path& path, const std::string& what,
                               double patience_s = 0);
  /// "process 12 (flyball tune lenet5) on HOST since …" of who holds it now; "" when nobody does,
  /// or it cannot be read. Costs a moment in which nobody else can take it: give take() patience.
  static std::string holder(const std::filesystem::path& path);
  LockFile(LockFile&& other) noexcept
      : path_(std::move(other.path_)),
        file_(std::exchange(other.file_, -1)),
        owner_(other.owner_) {}
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

 private:
  explicit LockFile(std::filesystem::path path) : path_(std::move(path)) {}
  Result<bool> attempt();

  std::filesystem::path path_;
  int file_ = -1;
  int owner_ = 0;  ///< process that took it: one that was forked from it does not give it back
};

}  // namespace flyball
