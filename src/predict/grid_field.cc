#include "predict/grid_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics.h"

namespace flyball {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double largest_residual = 0.5;
constexpr double spike = 0.06;  // away from the median of the neighbours: a fault, not physics

double coordinate(double value) {
  return std::copysign(std::log1p(std::abs(value)), value);
}

class GridField final : public ResidualField {
 public:
  GridField(const std::vector<Axis>& axes, const Matrix& x, const Vector& residual) {
    size_t cells = 1;
    for (size_t d = axes.size(); d-- > 0;) {
      strides_.insert(strides_.begin(), cells);
      cells *= axes[d].values.size();
    }
    for (const Axis& axis : axes) {
      values_.push_back(axis.values);
      for (double& value : values_.back()) value = coordinate(value);
    }
    cells_.assign(cells, 0);
    place(axes, x, residual);
    fill_gaps();
    remove_spikes();
  }

  Vector at(const Matrix& x) const override {
    Vector result(x.rows());
    const size_t dimensions = values_.size();
    std::vector<double> part(dimensions);
    for (Index i = 0; i < x.rows(); ++i) {
      size_t base = 0;
      for (size_t d = 0; d < dimensions; ++d)
        base += strides_[d] * locate(values_[d], coordinate(x(i, static_cast<Index>(d))), part[d]);
      double sum = 0;
      for (size_t corner = 0; corner < size_t{1} << dimensions; ++corner) {
        double weight = 1;
        size_t cell = base;
        for (size_t d = 0; d < dimensions && weight > 0; ++d) {
          const bool upper = corner >> d & 1;
          weight *= upper ? part[d] : 1 - part[d];
          cell += upper ? strides_[d] : 0;
        }
        if (weight > 0) sum += weight * cells_[cell];
      }
      result[i] = sum;
    }
    return result;
  }

 private:
  /// Index of the grid point at or below `at`; `part` of the way to the next one.
  static size_t locate(const std::vector<double>& values, double at, double& part) {
    const auto above = std::ranges::upper_bound(values, at) - values.begin();
    const auto low = static_cast<size_t>(
        std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(values.size()) - 1));
    part = 0;
    if (low + 1 < values.size())
      part = std::clamp((at - values[low]) / (values[low + 1] - values[low]), 0.0, 1.0);
    return low;
  }

  void place(const std::vector<Axis>& axes, const Matrix& x, const Vector& residual) {
    std::vector<int> counts(cells_.size(), 0);
    for (Index i = 0; i < x.rows(); ++i) {
      if (std::isnan(residual[i])) continue;
      size_t cell = 0;
      for (size_t d = 0; d < axes.size(); ++d) {
        const auto& known = axes[d].values;
        const auto at = std::ranges::lower_bound(known, x(i, static_cast<Index>(d)));
        cell += strides_[d] * static_cast<size_t>(at - known.begin());
      }
      cells_[cell] += std::clamp(residual[i], -largest_residual, largest_residual);
      ++counts[cell];
    }
    for (size_t cell = 0; cell < cells_.size(); ++cell)
      cells_[cell] = counts[cell] > 0 ? cells_[cell] / counts[cell] : unknown;
  }

  void neighbours(size_t cell, std::vector<double>& found) const {
    found.clear();
    for (size_t d = 0; d < values_.size(); ++d) {
      const size_t at = cell / strides_[d] % values_[d].size();
      if (at > 0) found.push_back(cells_[cell - strides_[d]]);
      if (at + 1 < values_[d].size()) found.push_back(cells_[cell + strides_[d]]);
    }
    std::erase_if(found, [](double value) { return std::isnan(value); });
  }

  void fill_gaps() {
    std::vector<double> around;
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<double> next = cells_;
      for (size_t cell = 0; cell < cells_.size(); ++cell) {
        if (!std::isnan(cells_[cell])) continue;
        neighbours(cell, around);
        if (around.empty()) continue;
        next[cell] = mean(around);
        changed = true;
      }
      cells_ = std::move(next);
    }
    for (double& value : cells_)
      if (std::isnan(value)) value = 0;
  }

  void remove_spikes() {
    std::vector<double> clean = cells_, around;
    for (size_t cell = 0; cell < cells_.size(); ++cell) {
      neighbours(cell, around);
      if (around.empty()) continue;
      const double middle = median(around);
      if (std::abs(cells_[cell] - middle) > spike) clean[cell] = middle;
    }
    cells_ = std::move(clean);
  }

  std::vector<std::vector<double>> values_;
  std::vector<size_t> strides_;
  std::vector<double> cells_;
};

}  // namespace

bool fills_grid(const Space& space, const std::vector<Axis>& axes) {
  double cells = 1;
  for (const Axis& axis : axes) cells *= static_cast<double>(axis.values.size());
  return cells <= 2.0 * static_cast<double>(space.size());
}

std::unique_ptr<ResidualField> make_grid_field(const std::vector<Axis>& axes, const Matrix& x,
                                               const Vector& residual) {
  return std::make_unique<GridField>(axes, x, residual);
}

}  // namespace flyball
