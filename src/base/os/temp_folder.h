// A folder of its own for a run, a test or a benchmark, gone with it.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/files.h"

namespace flyball {

class TempFolder {
 public:
  /// Below `parent`; "" stands for where temporary files belong ($TMPDIR, else /tmp). Error: there
  /// is no such folder, or it takes no more.
  static Result<TempFolder> make(std::filesystem::path parent = {}) {
    std::error_code problem;
    if (parent.empty()) parent = std::filesystem::temp_directory_path(problem);
    if (problem)
      return Error{Code::not_found, "there is no folder for temporary files: " + problem.message(),
                   "set TMPDIR to a folder that can be written to"};
    std::string name = (parent / "flyball-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return file_error("make a folder in", parent, errno);
    return TempFolder(std::move(name), 0);
  }
  /// For tests and benchmarks, which have nobody to tell: throws what make() returns.
  explicit TempFolder(const std::filesystem::path& parent = {}) {
    Result<TempFolder> made = make(parent);
    if (!made) throw std::system_error(EIO, std::generic_category(), made.error().message);
    path_ = std::exchange(made->path_, {});
  }
  TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  TempFolder(std::string made, int) : path_(std::move(made)) {}

  std::filesystem::path path_;
};

}  // namespace flyball
