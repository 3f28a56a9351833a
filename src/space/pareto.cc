#include "space/pareto.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace flyball {

std::vector<size_t> pareto_front(std::span<const double> cost, std::span<const double> time) {
  assert(cost.size() == time.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < cost.size(); ++i)
    if (!std::isnan(cost[i]) && !std::isnan(time[i])) order.push_back(i);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    if (cost[a] != cost[b]) return cost[a] < cost[b];
    if (time[a] != time[b]) return time[a] < time[b];
    return a < b;
  });
  std::vector<size_t> front;
  double best = std::numeric_limits<double>::infinity();
  for (size_t i : order) {
    if (time[i] >= best) continue;
    best = time[i];
    front.push_back(i);
  }
  return front;
}

}  // namespace flyball
