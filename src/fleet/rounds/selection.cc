#include "fleet/rounds/selection.h"

#include <algorithm>
#include <cmath>

#include "fleet/rounds/lagrangian.h"
#include "fleet/rounds/selection_core.h"

namespace flyball {
namespace {

constexpr double rounds_to_none = 1e-12;  // of the value: sums of many clients round

Selection selection_of(const PricedSelection& priced) {
  return {priced.chosen, priced.clients, priced.value, priced.energy_j};
}

struct Exchange {
  size_t client;
  int option;
  double energy_j, value, worth;
};

const SelectionOption* option_of(const SelectionProblem& problem, size_t client, int option) {
  return option == Selection::none ? nullptr
                                   : &problem.options(client)[static_cast<size_t>(option)];
}

Exchange exchange_of(const SelectionProblem& problem, size_t client, int from, int to) {
  const SelectionOption* old = option_of(problem, client, from);
  const SelectionOption* now = option_of(problem, client, to);
  Exchange one{client, to, (now ? now->energy_j : 0) - (old ? old->energy_j : 0),
               (now ? now->value : 0) - (old ? old->value : 0), 0};
  one.worth = one.energy_j > 0 ? one.value / one.energy_j : 0;
  return one;
}

void apply_exchange(Selection& selection, const Exchange& one) {
  int& chosen = selection.chosen[one.client];
  if (chosen == Selection::none) ++selection.clients;
  if (one.option == Selection::none) --selection.clients;
  chosen = one.option;
  selection.energy_j += one.energy_j;
  selection.value += one.value;
}

/// What the selection beyond the budget has otherwise, as far as the budget goes.
void fill_towards(Selection& selection, const SelectionProblem& problem,
                  const PricedSelection& beyond) {
  std::vector<Exchange> exchanges;
  for (size_t i = 0; i < selection.chosen.size(); ++i)
    if (beyond.chosen[i] != selection.chosen[i] && beyond.chosen[i] != Selection::none)
      exchanges.push_back(exchange_of(problem, i, selection.chosen[i], beyond.chosen[i]));
  std::ranges::stable_sort(exchanges, std::greater<>(), &Exchange::worth);
  for (const Exchange& one : exchanges) {
    const bool joins = selection.chosen[one.client] == Selection::none;
    if (joins && selection.clients >= problem.most_clients) continue;
    if (one.value > 0 && selection.energy_j + one.energy_j <= problem.allowed_j())
      apply_exchange(selection, one);
  }
}

/// Without what rounding left in sums that were added to and taken from.
void sum_up(Selection& selection, const SelectionProblem& problem) {
  selection.value = selection.energy_j = 0;
  selection.clients = 0;
  for (size_t i = 0; i < selection.chosen.size(); ++i)
    if (const SelectionOption* one = option_of(problem, i, selection.chosen[i])) {
      selection.value += one->value;
      selection.energy_j += one->energy_j;
      ++selection.clients;
    }
}

}  // namespace

void SelectionProblem::reserve(size_t clients, size_t options) {
  starts_.reserve(clients + 1);
  options_.reserve(options);
}

void SelectionProblem::add(std::span<const SelectionOption> options) {
  options_.insert(options_.end(), options.begin(), options.end());
  starts_.push_back(options_.size());
}

Selection select_clients(const SelectionProblem& problem) {
  const PriceBracket bracket = bracket_price(problem);
  Selection selection = selection_of(bracket.within);
  if (bracket.beyond) fill_towards(selection, problem, *bracket.beyond);
  sum_up(selection, problem);
  selection.bound = std::max(selection.value, bracket.bound());
  selection.exact = selection.bound - selection.value <= rounds_to_none * selection.bound;
  if (!selection.exact) {
    const bool beyond_is_tighter = bracket.beyond && bracket.beyond->bound < bracket.within.bound;
    search_core(problem, beyond_is_tighter ? *bracket.beyond : bracket.within, selection);
    sum_up(selection, problem);
    if (selection.exact) selection.bound = selection.value;
  }
  return selection;
}

}  // namespace flyball
