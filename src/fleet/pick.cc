#include "fleet/pick.h"

#include <algorithm>
#include <cmath>

#include "fleet/pick_search.h"

namespace flyball {
namespace {

constexpr double rounding = 1e-9;      // of a limit: sums of many boards round
constexpr size_t beam = 2000;          // states of a step near the relaxation
constexpr size_t all_states = 400000;  // of the complete search
constexpr double near = 3;             // boards of an option beside those of the relaxation
constexpr double no_cost = std::numeric_limits<double>::infinity();

PickSearch near_relaxation(const PickProblem& problem, const PickRelaxation& relaxation) {
  PickSearch search;
  for (size_t kind = 0; kind < problem.kinds.size(); ++kind) {
    search.least.emplace_back();
    search.most.emplace_back();
    for (const double boards : relaxation.counts[kind]) {
      const double whole = std::floor(std::max(0.0, boards) + 1e-6);
      search.least.back().push_back(static_cast<size_t>(std::max(0.0, whole - near)));
      search.most.back().push_back(static_cast<size_t>(whole + near));
    }
  }
  search.most_states = beam;
  search.thins = true;
  return search;
}

PickSearch everywhere(const PickProblem& problem) {
  PickSearch search;
  for (const PickKind& kind : problem.kinds) {
    search.least.emplace_back(kind.options.size(), 0);
    search.most.emplace_back(kind.options.size(), kind.boards);
  }
  search.most_states = all_states;
  return search;
}

bool is_tight(double cost, double bound) {
  return cost - bound <= rounding * std::abs(cost);
}

}  // namespace

size_t PickProblem::boards() const {
  size_t all = 0;
  for (const PickKind& kind : kinds) all += kind.boards;
  return all;
}

double PickProblem::allowed_u() const {
  return std::isinf(most_u) ? most_u : most_u + rounding * std::abs(most_u);
}

double PickProblem::allowed_v() const {
  return std::isinf(most_v) ? most_v : most_v + rounding * std::abs(most_v);
}

Pick make_pick(const PickProblem& problem, PickCounts counts) {
  Pick pick{std::move(counts)};
  for (size_t kind = 0; kind < problem.kinds.size(); ++kind)
    for (size_t i = 0; i < problem.kinds[kind].options.size(); ++i) {
      pick.u += static_cast<double>(pick.counts[kind][i]) * problem.kinds[kind].options[i].u;
      pick.v += static_cast<double>(pick.counts[kind][i]) * problem.kinds[kind].options[i].v;
    }
  return pick;
}

PickAnswer solve_pick(const PickProblem& problem, const std::optional<Pick>& known,
                      PickEffort effort) {
  PickAnswer answer{known};
  const auto relaxation = relax(problem);
  answer.exact = !relaxation;
  if (!relaxation) return answer;
  answer.bound = relaxation->bound;
  const auto cost = [&] {
    return answer.pick ? problem.cost(answer.pick->u, answer.pick->v) : no_cost;
  };
  const auto run = [&](PickSearch search) {
    search.below = cost() - rounding * 1e-2 * std::abs(answer.pick ? cost() : 0);
    PickFound found = search_picks(problem, *relaxation, search);
    if (found.pick) answer.pick = std::move(found.pick);
    return found.complete;
  };
  run(near_relaxation(problem, *relaxation));
  answer.exact = answer.pick && is_tight(cost(), answer.bound);
  if (!answer.exact && effort == PickEffort::thorough) answer.exact = run(everywhere(problem));
  return answer;
}

}  // namespace flyball
