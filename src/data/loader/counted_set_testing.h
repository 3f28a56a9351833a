// A set whose samples are known by their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "data/dataset.h"

namespace flyball {

/// Sample i has 900 + i % 200 bytes and, where asked for, parts: two ids and three flags.
class CountedSet final : public Dataset {
 public:
  explicit CountedSet(int64_t count, bool with_parts = false)
      : count_(count), with_parts_(with_parts) {}
  std::string kind() const override { return "counted"; }
  int64_t size() const override { return count_; }
  int64_t classes() const override { return count_; }
  std::array<int, 3> shape() const override { return {1, 0, 0}; }
  std::vector<TensorSpec> parts() const override {
    if (!with_parts_) return {};
    return {{.name = "ids", .dtype = DType::int64, .shape = {2}},
            {.name = "flags", .dtype = DType::uint8, .shape = {3}}};
  }
  Status fetch(int64_t index, RawSample& sample) const override {
    ++fetched_;
    sample.encoding = Encoding::jpeg;
    sample.label = index;
    sample.shape = {1, 2, 3};
    sample.bytes.resize(bytes_of(index));
    for (size_t i = 0; i < sample.bytes.size(); ++i) sample.bytes[i] = byte_of(index, i);
    if (!with_parts_) return {};
    const auto ids = sample.parts.set<int64_t>(0, {2});
    ids[0] = index, ids[1] = -index;
    for (uint8_t& flag : sample.parts.set<uint8_t>(1, {3})) flag = static_cast<uint8_t>(index);
    return {};
  }
  std::string name(int64_t index) const override { return "sample " + std::to_string(index); }
  std::vector<std::filesystem::path> files() const override { return files_; }

  static size_t bytes_of(int64_t index) { return 900 + static_cast<size_t>(index) % 200; }
  static uint8_t byte_of(int64_t index, size_t i) {
    return static_cast<uint8_t>(static_cast<size_t>(index) * 31 + i * 7);
  }
  uint64_t all_bytes() const {
    uint64_t bytes = 0;
    for (int64_t i = 0; i < count_; ++i) bytes += bytes_of(i) + (with_parts_ ? 19 : 0);
    return bytes;
  }
  mutable std::atomic<int64_t> fetched_{0};
  std::vector<std::filesystem::path> files_;  ///< that it is said to lie in

 private:
  int64_t count_;
  bool with_parts_;
};

/// Is the sample what the set has?
inline bool is_right(int64_t index, const RawSample& sample, bool with_parts) {
  bool right = sample.label == index && sample.encoding == Encoding::jpeg &&
               sample.shape == std::array<int, 3>{1, 2, 3} &&
               sample.bytes.size() == CountedSet::bytes_of(index);
  for (size_t i = 0; right && i < sample.bytes.size(); ++i)
    right = sample.bytes[i] == CountedSet::byte_of(index, i);
  if (!with_parts) return right;
  const auto ids = sample.parts.get<int64_t>(0);
  const auto flags = sample.parts.get<uint8_t>(1);
  return right && ids.size() == 2 && ids[0] == index && ids[1] == -index && flags.size() == 3 &&
         std::ranges::count(flags, static_cast<uint8_t>(index)) == 3;
}

}  // namespace flyball
