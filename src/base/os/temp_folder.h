// A folder of its own for a run, a test or a benchmark, gone with it. One that was left behind (its
// process was killed) goes when the next one is made.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/status.h"

namespace flyball {

class TempFolder {
 public:
  /// Below `parent`; "" stands for where temporary files belong ($TMPDIR, else /tmp). Those that
  /// this user's dead processes left there, a minute ago or more, are removed. Error: there is no
  /// such folder, or it takes no more.
  static Result<TempFolder> make(std::filesystem::path parent = {});
  /// For tests and benchmarks, which have nobody to tell: throws what make() returns.
  explicit TempFolder(const std::filesystem::path& parent = {});
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  TempFolder(std::filesystem::path made, Descriptor lock)
      : path_(std::move(made)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor lock_;  ///< the folder's own, while this process lives; none where it has no locks
};

}  // namespace flyball
