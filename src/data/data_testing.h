// What the tests of this room share.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/os/temp_folder.h"
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

using TemporaryFolder = TempFolder;

}  // namespace flyball
