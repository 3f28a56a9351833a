// What the tests of this room share.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "data/dataset.h"

namespace flyball {

#ifdef FLYBALL_SOURCE_DIR  // tests have it, fuzzers do not
/// A file of src/data/testdata, by name.
inline std::filesystem::path test_file(const std::string& name) {
  return std::filesystem::path(FLYBALL_SOURCE_DIR) / "src/data/testdata" / name;
}

inline std::vector<uint8_t> test_bytes(const std::string& name) {
  std::ifstream file(test_file(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
#endif

/// A set that has a shape and no samples.
class ShapedSet final : public Dataset {
 public:
  explicit ShapedSet(std::array<int, 3> shape) : shape_(shape) {}
  std::string kind() const override { return "shape"; }
  int64_t size() const override { return 1; }
  int64_t classes() const override { return 1; }
  std::array<int, 3> shape() const override { return shape_; }
  Status fetch(int64_t, RawSample&) const override { return {}; }
  std::string name(int64_t) const override { return "sample"; }
  std::vector<std::filesystem::path> files() const override { return {}; }

 private:
  std::array<int, 3> shape_;
};

/// A folder of its own for one test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "flyball-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace flyball
