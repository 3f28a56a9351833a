#include "predict/gp/lbfgs.h"

#include <cmath>
#include <deque>

namespace flyball {
namespace {

constexpr size_t memory = 8;
constexpr double longest_step = 2;  // the variables are logarithms: a factor of e² at a time

struct Correction {
  Vector step, change;
  double curvature;
};

Vector descent(const Vector& gradient, const std::deque<Correction>& past) {
  Vector direction = -gradient;
  std::vector<double> weights(past.size());
  for (size_t i = past.size(); i-- > 0;) {
    weights[i] = past[i].step.dot(direction) / past[i].curvature;
    direction -= weights[i] * past[i].change;
  }
  if (!past.empty()) direction *= past.back().curvature / past.back().change.squaredNorm();
  for (size_t i = 0; i < past.size(); ++i) {
    const double back = past[i].change.dot(direction) / past[i].curvature;
    direction += (weights[i] - back) * past[i].step;
  }
  return direction;
}

}  // namespace

Minimum minimise(const Differentiable& function, const Vector& start, int max_iterations,
                 double tolerance) {
  Minimum best{start, 0, 0};
  if (start.size() == 0) return best;
  Vector gradient(start.size()), next_gradient(start.size());
  best.value = function(best.x, gradient);
  std::deque<Correction> past;
  for (; best.iterations < max_iterations && std::isfinite(best.value); ++best.iterations) {
    Vector direction = descent(gradient, past);
    if (!(direction.dot(gradient) < 0)) {
      past.clear();
      direction = -gradient;
    }
    // The first direction has no scale of its own.
    double length = past.empty() ? std::min(1.0, 0.5 / (direction.norm() + 1e-12)) : 1;
    length = std::min(length, longest_step / (direction.cwiseAbs().maxCoeff() + 1e-12));
    const double slope = direction.dot(gradient);
    Vector next;
    double value = INFINITY;
    int halvings = 0;
    for (; halvings < 20; ++halvings, length *= 0.4) {
      next = best.x + length * direction;
      value = function(next, next_gradient);
      if (std::isfinite(value) && value <= best.value + 1e-4 * length * slope) break;
    }
    if (halvings == 20) break;
    Correction correction{next - best.x, next_gradient - gradient, 0};
    correction.curvature = correction.step.dot(correction.change);
    if (correction.curvature > 1e-10 * correction.change.squaredNorm()) {
      past.push_back(std::move(correction));
      if (past.size() > memory) past.pop_front();
    }
    const double fall = best.value - value;
    best.x = next;
    best.value = value;
    gradient = next_gradient;
    if (fall < tolerance) break;
  }
  return best;
}

}  // namespace flyball
