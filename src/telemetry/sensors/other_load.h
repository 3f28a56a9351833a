// What other processes do with the CPU while something here is measured: a busy machine makes times
// longer, and nothing in the times themselves says so.
#pragma once

#include <filesystem>
#include <optional>

namespace flyball {

class OtherLoad {
 public:
  /// Begins a window now. Reads proc/stat below `root`.
  explicit OtherLoad(std::filesystem::path root = "/");

  /// Cores that others kept busy since the window began, on average: all busy time less that of
  /// this process and of the children it has waited for. Nothing where the kernel does not say.
  std::optional<double> cores() const;

 private:
  struct Point {
    double busy_s = 0, own_s = 0;
    int64_t at_ns = 0;
  };
  std::optional<Point> now() const;

  std::filesystem::path stat_;
  std::optional<Point> begin_;
};

}  // namespace flyball
