#include "fleet/rounds/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/random.h"
#include "fleet/rounds/lagrangian.h"

namespace flyball {
namespace {

SelectionProblem drawn_problem(Random& random, size_t clients, size_t most_options) {
  SelectionProblem problem;
  double energy_j = 0;
  for (size_t i = 0; i < clients; ++i) {
    std::vector<SelectionOption> options;
    SelectionOption one{random.uniform(1, 10), random.uniform(1, 10)};
    for (size_t left = random.below(most_options + 1); left > 0; --left) {
      options.push_back(one);
      one.value += random.uniform(0.1, 5);
      one.energy_j += random.uniform(0.1, 5);
    }
    if (!options.empty()) energy_j += options.back().energy_j;
    problem.add(options);
  }
  if (random.uniform() < 0.8) problem.most_energy_j = energy_j * random.uniform(0.05, 0.9);
  if (random.uniform() < 0.6) problem.most_clients = 1 + random.below(clients);
  return problem;
}

double most_value(const SelectionProblem& problem) {
  double best = 0;
  const std::function<void(size_t, double, double, size_t)> walk =
      [&](size_t at, double value, double joules, size_t taken) {
        if (joules > problem.most_energy_j || taken > problem.most_clients) return;
        if (at == problem.clients()) {
          best = std::max(best, value);
          return;
        }
        walk(at + 1, value, joules, taken);
        for (const SelectionOption& one : problem.options(at))
          walk(at + 1, value + one.value, joules + one.energy_j, taken + 1);
      };
  walk(0, 0, 0, 0);
  return best;
}

void expect_kept(const SelectionProblem& problem, const Selection& selection) {
  double value = 0, joules = 0;
  size_t clients = 0;
  for (size_t i = 0; i < problem.clients(); ++i)
    if (const int option = selection.chosen[i]; option != Selection::none) {
      value += problem.options(i)[static_cast<size_t>(option)].value;
      joules += problem.options(i)[static_cast<size_t>(option)].energy_j;
      ++clients;
    }
  EXPECT_LE(joules, problem.allowed_j());
  EXPECT_LE(clients, problem.most_clients);
  EXPECT_EQ(clients, selection.clients);
  EXPECT_NEAR(value, selection.value, 1e-9 * value);
  EXPECT_LE(selection.value, selection.bound * (1 + 1e-12));
}

TEST(SelectClients, HasTheValueOfBruteForce) {
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    const SelectionProblem problem = drawn_problem(random, 1 + random.below(7), 3);
    const Selection selection = select_clients(problem);
    expect_kept(problem, selection);
    ASSERT_TRUE(selection.exact) << i;
    ASSERT_NEAR(selection.value, most_value(problem), 1e-9) << i;
  }
}

TEST(SelectClients, HasABoundThatHolds) {
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const SelectionProblem problem = drawn_problem(random, 1 + random.below(7), 3);
    EXPECT_GE(bracket_price(problem).bound(), most_value(problem) * (1 - 1e-12)) << i;
  }
}

TEST(SelectClients, LeavesAGapThatIsToldInLargeOnes) {
  Random random(7);
  for (const size_t clients : {100, 3000, 40000}) {
    const SelectionProblem problem = drawn_problem(random, clients, 5);
    const Selection selection = select_clients(problem);
    expect_kept(problem, selection);
    EXPECT_LT(selection.gap_pct(), 100.0 / static_cast<double>(clients)) << clients;
  }
}

TEST(SelectClients, GainsByMoreEnergyAndMoreClients) {
  Random random(8);
  for (int i = 0; i < 100; ++i) {
    SelectionProblem problem = drawn_problem(random, 12, 3);
    double before = 0;
    for (const double joules : {5.0, 9.0, 20.0, 40.0, 80.0}) {
      problem.most_energy_j = joules;
      const Selection selection = select_clients(problem);
      ASSERT_TRUE(selection.exact);
      EXPECT_GE(selection.value, before * (1 - 1e-9));
      before = selection.value;
    }
    before = 0;
    for (const size_t most : {1, 2, 4, 8}) {
      problem.most_clients = most;
      const double value = select_clients(problem).value;
      EXPECT_GE(value, before * (1 - 1e-9));
      before = value;
    }
  }
}

TEST(SelectClients, TakesNobodyWhereNothingFits) {
  SelectionProblem problem;
  EXPECT_EQ(select_clients(problem).clients, 0u);
  problem.add(std::vector<SelectionOption>{{1, 10}});
  problem.add({});
  problem.most_energy_j = 9;
  const Selection selection = select_clients(problem);
  EXPECT_EQ(selection.clients, 0u);
  EXPECT_TRUE(selection.exact);
  problem.most_energy_j = 10;
  EXPECT_EQ(select_clients(problem).clients, 1u);
  problem.most_clients = 0;
  EXPECT_EQ(select_clients(problem).clients, 0u);
}

}  // namespace
}  // namespace flyball
