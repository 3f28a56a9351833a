#include "fleet/pick.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/random.h"

namespace flyball {
namespace {

/// A few kinds of few boards; every option is some trade of u against v.
PickProblem random_problem(Random& random) {
  PickProblem problem;
  const size_t kinds = 1 + random.below(3);
  for (size_t kind = 0; kind < kinds; ++kind) {
    problem.kinds.push_back({1 + random.below(3), {}});
    const size_t options = 1 + random.below(4);
    for (size_t i = 0; i < options; ++i)
      problem.kinds.back().options.push_back({random.uniform(1, 20), -random.uniform(1, 30)});
  }
  problem.weight_u = random.uniform();
  problem.weight_v = random.uniform();
  if (random.uniform() < 0.6) problem.most_u = random.uniform(5, 80);
  if (random.uniform() < 0.6) problem.most_v = -random.uniform(1, 90);
  problem.count = 1 + random.below(problem.boards());
  problem.exactly = random.uniform() < 0.3;
  return problem;
}

size_t boards_in(const Pick& pick) {
  size_t all = 0;
  for (const auto& kind : pick.counts)
    for (const size_t boards : kind) all += boards;
  return all;
}

bool keeps(const PickProblem& problem, const Pick& pick) {
  const size_t boards = boards_in(pick);
  for (size_t kind = 0; kind < problem.kinds.size(); ++kind) {
    size_t used = 0;
    for (const size_t of_option : pick.counts[kind]) used += of_option;
    if (used > problem.kinds[kind].boards) return false;
  }
  return pick.u <= problem.allowed_u() && pick.v <= problem.allowed_v() &&
         (problem.exactly ? boards == problem.count : boards <= problem.count);
}

/// Every pick there is.
std::optional<Pick> brute_force(const PickProblem& problem) {
  PickCounts counts;
  for (const PickKind& kind : problem.kinds) counts.emplace_back(kind.options.size(), 0);
  std::optional<Pick> best;
  const std::function<void(size_t, size_t, size_t)> walk = [&](size_t kind, size_t option,
                                                               size_t used) {
    if (kind == problem.kinds.size()) {
      const Pick pick = make_pick(problem, counts);
      if (keeps(problem, pick) &&
          (!best || problem.cost(pick.u, pick.v) < problem.cost(best->u, best->v)))
        best = pick;
      return;
    }
    if (option == counts[kind].size()) {
      walk(kind + 1, 0, 0);
      return;
    }
    for (size_t taken = 0; used + taken <= problem.kinds[kind].boards; ++taken) {
      counts[kind][option] = taken;
      walk(kind, option + 1, used + taken);
    }
    counts[kind][option] = 0;
  };
  walk(0, 0, 0);
  return best;
}

TEST(Pick, IsThatOfBruteForce) {
  Random random(7);
  size_t found = 0, none = 0;
  for (int i = 0; i < 2000; ++i) {
    const PickProblem problem = random_problem(random);
    const auto best = brute_force(problem);
    const PickAnswer answer = solve_pick(problem);
    ASSERT_TRUE(answer.exact) << i;
    ASSERT_EQ(answer.pick.has_value(), best.has_value()) << i;
    best ? ++found : ++none;
    if (!best) continue;
    EXPECT_TRUE(keeps(problem, *answer.pick)) << i;
    const double least = problem.cost(best->u, best->v);
    EXPECT_NEAR(problem.cost(answer.pick->u, answer.pick->v), least, 1e-8 * (1 + std::abs(least)))
        << i;
    EXPECT_LE(answer.bound, least + 1e-8 * (1 + std::abs(least))) << i;
  }
  EXPECT_GT(found, 500u);
  EXPECT_GT(none, 100u);
}

TEST(Pick, OfManyBoardsComesNearItsBound) {
  Random random(3);
  for (int i = 0; i < 5; ++i) {
    PickProblem problem;
    double u = 0, v = 0;
    for (int kind = 0; kind < 4; ++kind) {
      problem.kinds.push_back({25000, {}});
      for (int option = 0; option < 20; ++option)
        problem.kinds.back().options.push_back({random.uniform(1, 20), -random.uniform(1, 30)});
      u += 25000 * 10;
      v -= 25000 * 15;
    }
    problem.weight_u = 1;
    problem.most_u = u / 2;
    problem.most_v = v / 3;
    problem.count = 40000;
    const PickAnswer answer = solve_pick(problem);
    ASSERT_TRUE(answer.pick.has_value());
    EXPECT_TRUE(keeps(problem, *answer.pick));
    const double cost = problem.cost(answer.pick->u, answer.pick->v);
    EXPECT_LT(cost - answer.bound, 1e-3 * cost);
    EXPECT_GE(cost - answer.bound, -1e-9 * cost);
  }
}

TEST(Pick, RelaxationIsABoundAndKnowsWhenNothingFits) {
  PickProblem problem;
  problem.kinds = {{2, {{10, -1}, {20, -3}}}};
  problem.weight_u = 1;
  problem.most_v = -4;
  problem.count = 2;
  const auto relaxed = relax(problem);
  ASSERT_TRUE(relaxed.has_value());
  EXPECT_NEAR(relaxed->bound, 80.0 / 3, 1e-6);  // 4/3 boards at 20
  EXPECT_NEAR(solve_pick(problem).pick->u, 30, 1e-9);
  problem.most_v = -7;
  EXPECT_FALSE(relax(problem).has_value());
  EXPECT_FALSE(solve_pick(problem).pick.has_value());
  EXPECT_TRUE(solve_pick(problem).exact);
}

}  // namespace
}  // namespace flyball
