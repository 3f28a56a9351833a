// Least squares with coefficients that cannot be negative.
#pragma once

#include <span>
#include <vector>

namespace flyball {

/// The x ≥ 0 that minimises |A·x − b|², by Lawson and Hanson (1974), chapter 23. `a` is row-major,
/// b.size() × columns; columns may differ in scale by orders of magnitude. Where several x are
/// best, it is one with as few entries above zero as the active-set steps lead to.
std::vector<double> nnls(std::span<const double> a, size_t columns, std::span<const double> b);

/// The same on relative errors: minimises Σ ((A·x)ᵢ / bᵢ − 1)²; every b must be above zero.
std::vector<double> relative_nnls(std::span<const double> a, size_t columns,
                                  std::span<const double> b);

/// What coefficients and terms come to; a longer list's last ones are left out.
double dot(std::span<const double> a, std::span<const double> b);

}  // namespace flyball
