#include "predict/gp/grid_field.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace flyball {
namespace {

constexpr double largest_residual = 2.5;  // a factor of twelve; what lies beyond is a fault
constexpr double neighbour_weights[] = {0, 0.1, 0.2, 0.35, 0.5, 0.7, 1};
constexpr double spike = 0.06;  // away from the median of the neighbours: a fault, not physics

double coordinate(double value) {
  return std::copysign(std::log1p(std::abs(value)), value);
}

class GridField final : public ResidualField {
 public:
  GridField(const std::vector<Axis>& axes, const CodedRows& x, const Vector& residual) {
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
    smooth();
  }

  Vector at(const CodedRows& x) const override {
    // Where each distinct value lies between the grid's.
    std::vector<std::vector<Place>> places(values_.size());
    for (size_t d = 0; d < values_.size(); ++d)
      for (double value : x.values[d]) places[d].push_back(locate(d, coordinate(value)));
    Vector result(x.rows);
    std::vector<Place> at(values_.size());
    for (size_t i = 0; i < static_cast<size_t>(x.rows); ++i) {
      size_t cell = 0;
      for (size_t d = 0; d < values_.size(); ++d) {
        at[d] = places[d][static_cast<size_t>(x.index[d][i])];
        cell += at[d].offset;
      }
      result[static_cast<Index>(i)] = between(at, values_.size(), cell);
    }
    return result;
  }

 private:
  struct Place {
    size_t offset;  ///< of the grid point at or below
    double part;    ///< of the way to the next one
  };

  Place locate(size_t d, double at) const {
    const std::vector<double>& values = values_[d];
    const auto above = std::ranges::upper_bound(values, at) - values.begin();
    const auto low = static_cast<size_t>(
        std::clamp<std::ptrdiff_t>(above - 1, 0, static_cast<std::ptrdiff_t>(values.size()) - 1));
    Place place{low * strides_[d], 0};
    if (low + 1 < values.size())
      place.part = std::clamp((at - values[low]) / (values[low + 1] - values[low]), 0.0, 1.0);
    return place;
  }

  /// Linear along the first `dimensions` axes; most places lie on the grid, where there is no way.
  double between(const std::vector<Place>& at, size_t dimensions, size_t cell) const {
    while (dimensions > 0 && at[dimensions - 1].part == 0) --dimensions;
    if (dimensions == 0) return cells_[cell];
    const size_t d = dimensions - 1;
    return (1 - at[d].part) * between(at, d, cell) +
           at[d].part * between(at, d, cell + strides_[d]);
  }

  void place(const std::vector<Axis>& axes, const CodedRows& x, const Vector& residual) {
    std::vector<int> counts(cells_.size(), 0);
    for (Index i = 0; i < x.rows; ++i) {
      if (std::isnan(residual[i])) continue;
      size_t cell = 0;
      for (size_t d = 0; d < axes.size(); ++d) {
        const double value = x.values[d][static_cast<size_t>(x.index[d][static_cast<size_t>(i)])];
        const auto at = std::ranges::lower_bound(axes[d].values, value);
        cell += strides_[d] * static_cast<size_t>(at - axes[d].values.begin());
      }
      cells_[cell] += std::clamp(residual[i], -largest_residual, largest_residual);
      ++counts[cell];
    }
    for (size_t cell = 0; cell < cells_.size(); ++cell)
      cells_[cell] = counts[cell] > 0 ? cells_[cell] / counts[cell] : not_known;
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

  /// Sums over each cell and its neighbours along every axis, which count `weights` of it.
  std::vector<double> gathered(std::vector<double> sums, const std::vector<double>& weights) const {
    for (size_t d = 0; d < values_.size(); ++d) {
      if (weights[d] == 0) continue;
      const std::vector<double> before = sums;
      for (size_t cell = 0; cell < sums.size(); ++cell) {
        const size_t at = cell / strides_[d] % values_[d].size();
        if (at > 0) sums[cell] += weights[d] * before[cell - strides_[d]];
        if (at + 1 < values_[d].size()) sums[cell] += weights[d] * before[cell + strides_[d]];
      }
    }
    return sums;
  }

  /// Mean error with which the neighbours foretell a cell.
  double left_out_error(const std::vector<double>& weights) const {
    const auto sums = gathered(cells_, weights);
    const auto totals = gathered(std::vector<double>(cells_.size(), 1), weights);
    double error = 0;
    for (size_t cell = 0; cell < cells_.size(); ++cell)
      error += totals[cell] > 1
                   ? std::abs(cells_[cell] - (sums[cell] - cells_[cell]) / (totals[cell] - 1))
                   : std::abs(cells_[cell]);
    return error / static_cast<double>(cells_.size());
  }

  /// Takes out what is noise by the grid's own account: neighbours share in each cell, along every
  /// axis with the weight with which they foretell cells best.
  void smooth() {
    std::vector<double> weights(values_.size(), 0.5);
    double least = left_out_error(weights);
    for (bool better = true; better;) {
      better = false;
      for (double& weight : weights) {
        const double before = weight;
        double best = before;
        for (double tried : neighbour_weights) {
          weight = tried;
          const double error = left_out_error(weights);
          if (error >= least * (1 - 1e-6)) continue;
          least = error;
          best = tried;
          better = true;
        }
        weight = best;
      }
    }
    auto sums = gathered(cells_, weights);
    const auto totals = gathered(std::vector<double>(cells_.size(), 1), weights);
    for (size_t cell = 0; cell < cells_.size(); ++cell) sums[cell] /= totals[cell];
    cells_ = std::move(sums);
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

std::unique_ptr<ResidualField> make_grid_field(const std::vector<Axis>& axes, const CodedRows& x,
                                               const Vector& residual) {
  return std::make_unique<GridField>(axes, x, residual);
}

}  // namespace flyball
