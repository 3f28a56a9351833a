// Boxes by their corners, and how much two of them agree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace flyball {

/// In pixels; right and bottom are not less than left and top.
struct Corners {
  float left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return double{right} - left; }
  double height() const { return double{bottom} - top; }
  double area() const { return width() * height(); }
};

inline double overlap_area(const Corners& a, const Corners& b) {
  const double width = double{std::min(a.right, b.right)} - std::max(a.left, b.left);
  const double height = double{std::min(a.bottom, b.bottom)} - std::max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/// Intersection over union, 0 to 1; 0 where neither has an area.
inline double box_iou(const Corners& a, const Corners& b) {
  const double both = overlap_area(a, b), either = a.area() + b.area() - both;
  return either > 0 ? both / either : 0;
}

/// Complete IoU (Zheng et al. 2020): less the squared distance of the centres over the squared
/// diagonal of what encloses both, less what differs in aspect. −1.5 to 1.
inline double complete_iou(const Corners& a, const Corners& b) {
  constexpr double epsilon = 1e-7;
  const double iou = overlap_area(a, b) / (a.area() + b.area() - overlap_area(a, b) + epsilon);
  const double wide = double{std::max(a.right, b.right)} - std::min(a.left, b.left);
  const double high = double{std::max(a.bottom, b.bottom)} - std::min(a.top, b.top);
  const double x = (double{a.left} + a.right - b.left - b.right) / 2;
  const double y = (double{a.top} + a.bottom - b.top - b.bottom) / 2;
  const double turn =
      std::atan(a.width() / (a.height() + epsilon)) - std::atan(b.width() / (b.height() + epsilon));
  const double aspect = 4 / (std::numbers::pi * std::numbers::pi) * turn * turn;
  const double weight = aspect / (aspect - iou + 1 + epsilon);
  return iou - (x * x + y * y) / (wide * wide + high * high + epsilon) - weight * aspect;
}

}  // namespace flyball
