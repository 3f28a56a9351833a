#include "fleet/rounds/selection_core.h"

#include <algorithm>
#include <tuple>

namespace flyball {
namespace {

constexpr size_t most_open = 64;        // clients; more are not enumerated
constexpr size_t most_kept = 50000;     // states of all clients
constexpr size_t most_tried = 400'000;  // states, kept or not: milliseconds
constexpr double better_by = 1e-12;     // of the value

/// Choices for the open clients so far.
struct CoreState {
  double value = 0, energy_j = 0;
  uint32_t clients = 0, parent = 0;
  int option = Selection::none;
};

struct OpenClient {
  size_t client = 0;
  std::vector<int> options;  ///< that may be in a better selection; none among them
  double gain = 0;           ///< at the prices, of its best option; 0 for none
};

class Core {
 public:
  Core(const SelectionProblem& problem, const PricedSelection& at, Selection& selection)
      : problem_(problem), at_(at), selection_(selection), settled_(at.chosen.size()) {}

  void run() {
    if (!open_clients()) return;
    if (const CoreState fixed{fixed_value_, fixed_j_, fixed_clients_}; keeps(fixed))
      states_.push_back({fixed});
    else
      states_.emplace_back();
    for (const OpenClient& one : open_) {
      rest_ -= one.gain;
      if (!extend(one)) return;
    }
    selection_.exact = true;
    take_best();
  }

 private:
  double gain_of(size_t client, int option) const {
    if (option == Selection::none) return 0;
    const SelectionOption& one = problem_.options(client)[static_cast<size_t>(option)];
    return one.value - at_.price * one.energy_j - at_.client_price;
  }

  /// False: too many.
  bool open_clients() {
    const double open = selection_.bound - selection_.value * (1 + better_by);
    for (size_t i = 0; i < problem_.clients(); ++i) {
      OpenClient one{i, {}, 0};
      int best = Selection::none;
      for (int option = 0; option < static_cast<int>(problem_.options(i).size()); ++option)
        if (const double gain = gain_of(i, option); gain > one.gain) {
          one.gain = gain;
          best = option;
        }
      const int options = static_cast<int>(problem_.options(i).size());
      for (int option = Selection::none; option < options; ++option)
        if (one.gain - gain_of(i, option) <= open) one.options.push_back(option);
      if (one.options.size() > 1) {
        if (open_.size() == most_open) return false;
        rest_ += one.gain;
        open_.push_back(std::move(one));
      } else {
        fix(i, best);
      }
    }
    std::ranges::stable_sort(open_, std::greater<>(), &OpenClient::gain);
    return true;
  }

  void fix(size_t client, int option) {
    settled_[client] = option;
    if (option == Selection::none) return;
    const SelectionOption& one = problem_.options(client)[static_cast<size_t>(option)];
    fixed_value_ += one.value;
    fixed_j_ += one.energy_j;
    ++fixed_clients_;
  }

  bool keeps(const CoreState& state) const {
    return state.energy_j <= problem_.allowed_j() && state.clients <= problem_.most_clients;
  }
  /// No selection that goes on from here has more.
  double bound_of(const CoreState& state) const {
    double bound = state.value + rest_ + at_.client_price * clients_left(state);
    if (at_.price > 0) bound += at_.price * (problem_.most_energy_j - state.energy_j);
    return bound;
  }
  double clients_left(const CoreState& state) const {
    return at_.client_price > 0
               ? static_cast<double>(problem_.most_clients) - static_cast<double>(state.clients)
               : 0;
  }

  bool extend(const OpenClient& client) {
    const std::vector<CoreState>& from = states_.back();
    std::vector<CoreState> next;
    for (size_t i = 0; i < from.size(); ++i)
      for (const int option : client.options) {
        if (++tried_ > most_tried) return false;
        CoreState state = from[i];
        state.parent = static_cast<uint32_t>(i);
        state.option = option;
        if (option != Selection::none) {
          const SelectionOption& one = problem_.options(client.client)[static_cast<size_t>(option)];
          state.value += one.value;
          state.energy_j += one.energy_j;
          ++state.clients;
        }
        if (keeps(state) && bound_of(state) > selection_.value * (1 + better_by))
          next.push_back(state);
      }
    keep_best(next);
    kept_ += next.size();
    if (kept_ > most_kept) return false;
    states_.push_back(std::move(next));
    return true;
  }

  /// Of states with as many clients those to which no other one has as much for less energy.
  void keep_best(std::vector<CoreState>& states) const {
    const bool counted = problem_.most_clients < problem_.clients();
    const auto group = [counted](const CoreState& s) { return counted ? s.clients : 0; };
    std::ranges::sort(states, [&](const CoreState& a, const CoreState& b) {
      return std::tuple(group(a), a.energy_j, -a.value, a.parent, a.option) <
             std::tuple(group(b), b.energy_j, -b.value, b.parent, b.option);
    });
    size_t kept = 0;
    for (size_t i = 0; i < states.size(); ++i) {
      const bool same_group = kept > 0 && group(states[kept - 1]) == group(states[i]);
      if (same_group && !(states[i].value > states[kept - 1].value)) continue;
      states[kept++] = states[i];
    }
    states.resize(kept);
  }

  void take_best() {
    const std::vector<CoreState>& last = states_.back();
    if (last.empty()) return;  // the selection that is known is the best
    const auto best = std::ranges::max_element(last, {}, &CoreState::value);
    if (!(best->value > selection_.value)) return;
    auto at = static_cast<size_t>(best - last.begin());
    for (size_t layer = states_.size() - 1; layer > 0; --layer) {
      const CoreState& state = states_[layer][at];
      settled_[open_[layer - 1].client] = state.option;
      at = state.parent;
    }
    selection_.chosen = std::move(settled_);
  }

  const SelectionProblem& problem_;
  const PricedSelection& at_;
  Selection& selection_;
  std::vector<int> settled_;
  std::vector<OpenClient> open_;
  double rest_ = 0;  ///< gain of open clients that are still to come
  double fixed_value_ = 0, fixed_j_ = 0;
  uint32_t fixed_clients_ = 0;
  size_t tried_ = 0, kept_ = 0;
  std::vector<std::vector<CoreState>> states_;
};

}  // namespace

void search_core(const SelectionProblem& problem, const PricedSelection& at, Selection& selection) {
  Core(problem, at, selection).run();
}

}  // namespace flyball
