// The relaxation of a pick, and a bound that holds whatever rounding does to its prices.
#include <algorithm>
#include <cmath>

#include "fleet/pick.h"
#include "fleet/simplex.h"

namespace flyball {
namespace {

/// Variables are shares of a kind's boards, and rows are divided by their limits: all is near 1.
class Programme {
 public:
  explicit Programme(const PickProblem& problem) : problem_(problem) {
    for (const PickKind& kind : problem.kinds) columns_ += kind.options.size();
    program_.cost = weights([&](const PickOption& one) { return problem_.cost(one.u, one.v); });
    for (const double cost : program_.cost) scale_ = std::max(scale_, std::abs(cost));
    for (double& cost : program_.cost) cost /= scale_;
    for (size_t kind = 0; kind < problem.kinds.size(); ++kind) add_kind(kind);
    row_u_ = add_limit(problem.allowed_u(), [](const PickOption& one) { return one.u; });
    row_v_ = add_limit(problem.allowed_v(), [](const PickOption& one) { return one.v; });
    if (problem.exactly || problem.count < problem.boards()) {
      row_count_ =
          add_limit(static_cast<double>(problem.count), [](const PickOption&) { return 1.0; });
      program_.rows.back().equal = problem.exactly;
    }
  }

  std::optional<PickRelaxation> solve() const {
    const auto solution = solve_linear(program_);
    if (!solution) return std::nullopt;
    PickRelaxation relaxation;
    relaxation.price_u = price(*solution, row_u_, problem_.allowed_u());
    relaxation.price_v = price(*solution, row_v_, problem_.allowed_v());
    relaxation.price_count = price(*solution, row_count_, static_cast<double>(problem_.count));
    size_t column = 0;
    for (const PickKind& kind : problem_.kinds) {
      relaxation.counts.emplace_back();
      for (size_t i = 0; i < kind.options.size(); ++i)
        relaxation.counts.back().push_back(solution->values[column++] *
                                           static_cast<double>(kind.boards));
    }
    return relaxation;
  }

 private:
  template <class Of>
  std::vector<double> weights(Of of) const {
    std::vector<double> all;
    for (const PickKind& kind : problem_.kinds)
      for (const PickOption& one : kind.options)
        all.push_back(static_cast<double>(kind.boards) * of(one));
    return all;
  }

  void add_kind(size_t which) {
    LimitRow row{std::vector<double>(columns_, 0.0), 1};
    size_t column = 0;
    for (size_t kind = 0; kind < problem_.kinds.size(); ++kind)
      for (size_t i = 0; i < problem_.kinds[kind].options.size(); ++i)
        row.weights[column++] = kind == which ? 1 : 0;
    program_.rows.push_back(std::move(row));
  }

  static double size_of(double limit) { return limit == 0 ? 1 : std::abs(limit); }

  template <class Of>
  std::optional<size_t> add_limit(double limit, Of of) {
    if (!std::isfinite(limit)) return std::nullopt;
    LimitRow row{weights(of), limit / size_of(limit)};
    for (double& weight : row.weights) weight /= size_of(limit);
    program_.rows.push_back(std::move(row));
    return program_.rows.size() - 1;
  }

  double price(const LinearSolution& solution, std::optional<size_t> row, double limit) const {
    return row ? solution.prices[*row] * scale_ / size_of(limit) : 0;
  }

  const PickProblem& problem_;
  size_t columns_ = 0;
  double scale_ = 1e-300;
  LinearProgram program_;
  std::optional<size_t> row_u_, row_v_, row_count_;
};

/// The Lagrangian dual at these prices.
double bound_of(const PickProblem& problem, const PickRelaxation& at) {
  double bound = -price_of_limit(at.price_u, problem.allowed_u()) -
                 price_of_limit(at.price_v, problem.allowed_v()) -
                 price_of_limit(at.price_count, static_cast<double>(problem.count));
  for (const PickKind& kind : problem.kinds) {
    double least = 0;
    for (const PickOption& one : kind.options)
      least = std::min(least, problem.cost(one.u, one.v) + at.price_u * one.u + at.price_v * one.v +
                                  at.price_count);
    bound += static_cast<double>(kind.boards) * least;
  }
  return bound;
}

}  // namespace

std::optional<PickRelaxation> relax(const PickProblem& problem) {
  auto relaxation = Programme(problem).solve();
  if (relaxation) relaxation->bound = bound_of(problem, *relaxation);
  return relaxation;
}

}  // namespace flyball
