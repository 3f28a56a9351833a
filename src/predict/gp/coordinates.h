// Configurations as the models see them: logarithms relative to the highest value of each axis.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "predict/gp/matern.h"
#include "space/table.h"

namespace flyball {

/// Axes of which the physical forms know what they mean. Any other axis is `other`.
enum class AxisRole { cores, cpu, gpu, memory, batch, other };
inline constexpr Index known_roles = 5;
/// By the words of the name: cpu_mhz, but also igpu_khz, emc_clock or online_cores.
AxisRole axis_role(const std::string& name);
/// One role for each axis; of two with the same role only the first has it, the rest are `other`.
std::vector<AxisRole> axis_roles(const std::vector<Axis>& axes);

/// A column of a space as its distinct values and each row's index into them.
CodedRows coded(const Space& space, std::span<const size_t> columns);

/// n configurations.
struct Rows {
  Matrix roles;  ///< n × known_roles: log(value / scale), 0 for an axis that is not there
  Matrix other;  ///< n × other axes that vary: log1p(value) relative to the highest
  CodedRows x;   ///< coordinates of the Gaussian process
  Index size() const { return roles.rows(); }
  Rows subset(std::span<const Index> indices) const;
};

/// Which axes count, and their scales. Made from what was profiled.
class Coordinates {
 public:
  Coordinates() = default;
  /// Scales are the highest values in `measured` and in those `references` that are of its device,
  /// for the batch size also of its phase; what varies there varies here, too.
  Coordinates(const Space& measured, const std::string& device, Phase phase,
              std::span<const WorkloadTable> references = {});

  /// Error: an axis that varies in the measurements is missing.
  Result<Rows> rows(const Space& space) const;

  bool varies(AxisRole role) const;
  size_t other_axes() const;
  std::vector<std::string> other_names() const;
  size_t dimensions() const { return gp_axes_; }
  /// Lowest profiled value over the scale; 1 for an axis that does not vary.
  double lowest(AxisRole role) const;
  /// The value that counts as 1; 1 for an axis that is not there.
  double scale(AxisRole role) const;

 private:
  struct Used {
    std::string name;
    AxisRole role;
    double scale, lowest;  ///< references of the device included
    double high;           ///< profiled
    bool varies;           ///< as far as profiled
    bool expected;         ///< to vary: a reference does
  };
  static double coordinate(const Used& axis, double value);

  std::vector<Used> axes_;
  size_t gp_axes_ = 0;
};

}  // namespace flyball
