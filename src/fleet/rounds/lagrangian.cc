#include "fleet/rounds/lagrangian.h"

#include <algorithm>
#include <cmath>

namespace flyball {
namespace {

constexpr size_t sampled_clients = 8000;  // that a first price is found with
constexpr double first_width = 1.02;      // of the interval around it
constexpr double least_share = 1e-9;      // of the highest price
constexpr int small_steps = 60, large_steps = 14;

struct BestOption {
  int option = Selection::none;
  double gain = 0;
};

BestOption best_at(std::span<const SelectionOption> options, double price) {
  BestOption best;
  for (size_t i = 0; i < options.size(); ++i) {
    const double gain = options[i].value - price * options[i].energy_j;
    if (gain > best.gain) best = {static_cast<int>(i), gain};
  }
  return best;
}

/// The gain that a client must exceed, so that no more than `most` are taken.
double gain_of_last(std::vector<double> gains, size_t most) {
  if (most == 0) return std::numeric_limits<double>::infinity();
  std::ranges::nth_element(gains, gains.begin() + static_cast<ptrdiff_t>(most - 1),
                           std::greater<>());
  return gains[most - 1];
}

void take_client(PricedSelection& selection, const SelectionProblem& problem, size_t client,
                 int option) {
  const SelectionOption& one = problem.options(client)[static_cast<size_t>(option)];
  selection.chosen[client] = option;
  selection.value += one.value;
  selection.energy_j += one.energy_j;
  ++selection.clients;
}

SelectionProblem sample_of(const SelectionProblem& problem, size_t step) {
  SelectionProblem sample;
  for (size_t i = step / 2; i < problem.clients(); i += step) sample.add(problem.options(i));
  const double share =
      static_cast<double>(sample.clients()) / static_cast<double>(problem.clients());
  sample.most_energy_j = problem.most_energy_j * share;
  if (problem.most_clients < problem.clients())
    sample.most_clients =
        static_cast<size_t>(std::ceil(static_cast<double>(problem.most_clients) * share));
  return sample;
}

/// Above it nothing is worth its energy.
double highest_price(const SelectionProblem& problem) {
  double highest = 0;
  for (size_t i = 0; i < problem.clients(); ++i)
    for (const SelectionOption& one : problem.options(i))
      highest = std::max(highest, one.value / one.energy_j);
  return highest;
}

class Bracketing {
 public:
  explicit Bracketing(const SelectionProblem& problem) : problem_(problem) {}

  PriceBracket run() {
    PricedSelection free = select_at_price(problem_, 0);
    if (keeps(free)) return {std::move(free), {}};
    bracket_.beyond = std::move(free);
    const size_t step = problem_.clients() / sampled_clients;
    if (step >= 2) {
      const double price = bracket_price(sample_of(problem_, step)).within.price;
      start_near(price > 0 ? price : highest_price(problem_) * least_share);
      narrow(large_steps);
    } else {
      bracket_.within = select_at_price(problem_, highest_price(problem_) * (1 + 1e-9));
      narrow(small_steps);
    }
    return std::move(bracket_);
  }

 private:
  bool keeps(const PricedSelection& one) const { return one.energy_j <= problem_.allowed_j(); }

  void start_near(double price) {
    double width = first_width;
    for (double high = price * width;; width *= width, high = price * width) {
      PricedSelection one = select_at_price(problem_, high);
      if (keeps(one)) {
        bracket_.within = std::move(one);
        break;
      }
      bracket_.beyond = std::move(one);
    }
    // Either an end was found above, or one lies below the price.
    double low = price / first_width;
    while (bracket_.beyond->price < low) {
      PricedSelection one = select_at_price(problem_, low);
      if (!keeps(one)) {
        bracket_.beyond = std::move(one);
        break;
      }
      bracket_.within = std::move(one);
      width *= width;
      if (low < price * least_share) break;
      low /= width;
    }
  }

  void narrow(int steps) {
    for (int step = 0; step < steps; ++step) {
      const double low = bracket_.beyond->price, high = bracket_.within.price;
      const double middle = low > 0.5 * high ? 0.5 * (low + high) : std::sqrt(low * high);
      const double price = low > 0 ? middle : 0.25 * high;
      if (!(low < price && price < high)) return;
      PricedSelection one = select_at_price(problem_, price);
      (keeps(one) ? bracket_.within : *bracket_.beyond) = std::move(one);
    }
  }

  const SelectionProblem& problem_;
  PriceBracket bracket_;
};

}  // namespace

PricedSelection select_at_price(const SelectionProblem& problem, double price) {
  PricedSelection selection;
  selection.price = price;
  selection.chosen.assign(problem.clients(), Selection::none);
  std::vector<BestOption> best(problem.clients());
  std::vector<double> gains;
  for (size_t i = 0; i < problem.clients(); ++i) {
    best[i] = best_at(problem.options(i), price);
    if (best[i].option != Selection::none) gains.push_back(best[i].gain);
  }
  const bool counted = gains.size() > problem.most_clients;
  if (counted) selection.client_price = gain_of_last(std::move(gains), problem.most_clients);
  double gain = 0;
  const auto take = [&](size_t client) {
    take_client(selection, problem, client, best[client].option);
    gain += best[client].gain;
  };
  for (size_t i = 0; i < problem.clients(); ++i)
    if (best[i].option != Selection::none && best[i].gain > selection.client_price) take(i);
  if (counted)  // of those with equal gains the first ones
    for (size_t i = 0; i < problem.clients() && selection.clients < problem.most_clients; ++i)
      if (best[i].option != Selection::none && best[i].gain == selection.client_price) take(i);
  selection.bound = gain + (price > 0 ? price * problem.most_energy_j : 0);
  return selection;
}

double PriceBracket::bound() const {
  return beyond ? std::min(within.bound, beyond->bound) : within.bound;
}

PriceBracket bracket_price(const SelectionProblem& problem) {
  return Bracketing(problem).run();
}

}  // namespace flyball
