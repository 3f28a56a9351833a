// A folder of its own for a test or a benchmark, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace flyball {

class TempFolder {
 public:
  /// Below `parent`, by default where temporary files belong ($TMPDIR, else /tmp).
  explicit TempFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "flyball-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }  ///< empty when it could not be made
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace flyball
