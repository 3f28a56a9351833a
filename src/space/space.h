// A finite set of configurations: what may be chosen from.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "space/axis.h"

namespace flyball {

/// Rows of axis values, row-major; a row is one configuration, its index names it.
class Space {
 public:
  Space() = default;
  /// No configurations yet; each axis' `values` are filled as rows are added.
  explicit Space(std::vector<Axis> axes) : axes_(std::move(axes)) {}

  /// Every combination of the axes' values, the last axis fastest.
  static Space grid(std::vector<Axis> axes);

  /// Appends a configuration (one value for each axis) and returns its index.
  size_t add(std::span<const double> row);

  const std::vector<Axis>& axes() const { return axes_; }
  size_t dimensions() const { return axes_.size(); }
  size_t size() const { return axes_.empty() ? 0 : values_.size() / axes_.size(); }
  bool empty() const { return values_.empty(); }

  std::span<const double> row(size_t index) const {
    return {values_.data() + index * axes_.size(), axes_.size()};
  }
  /// All values, size() × dimensions(), row-major.
  std::span<const double> values() const { return values_; }

  std::optional<size_t> axis_index(const std::string& name) const;
  /// Indices of the axes of a board, which make a power mode.
  std::vector<size_t> board_axes() const;
  /// Index of the configuration with exactly these values, or nothing (of repeats, the first);
  /// O(log size) after the first call. Like every const member, it may be called from several
  /// threads at once.
  std::optional<size_t> find(std::span<const double> row) const;
  /// The configuration as values by axis name.
  Settings settings(size_t index) const;
  /// The row for these settings, or an error that names the axis that is missing.
  Result<std::vector<double>> to_row(const Settings& settings) const;
  /// The configuration as mode and job, split by the scope of each axis.
  Trial trial(size_t index, const std::string& workload, Phase phase) const;

  /// Only the configurations with these indices, in this order.
  Space subset(std::span<const size_t> indices) const;

 private:
  using Order = std::shared_ptr<const std::vector<size_t>>;
  /// Built when first asked for. A copy of the space builds its own.
  struct LazyOrder {
    LazyOrder() = default;
    LazyOrder(const LazyOrder&) noexcept {}
    LazyOrder& operator=(const LazyOrder& other) noexcept {
      if (this != &other) order.reset();
      return *this;
    }
    std::mutex mutex;
    Order order;
  };
  /// Indices in lexicographic order of their rows.
  Order sorted() const;

  std::vector<Axis> axes_;
  std::vector<double> values_;
  mutable LazyOrder lazy_;
};

}  // namespace flyball
