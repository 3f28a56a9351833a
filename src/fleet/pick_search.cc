#include "fleet/pick_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace flyball {
namespace {

struct State {
  double u = 0, v = 0;
  uint32_t used = 0, count = 0;  ///< of this kind, of all
  uint32_t parent = 0, taken = 0;
};

constexpr size_t most_expansions = 5'000'000;

/// What the boards that are still to come add at least.
struct Rest {
  double reduced = 0, v = 0;  ///< of each further board of this kind, by the options that are left
  double later_reduced = 0, later_v = 0;  ///< of all boards of later kinds
  size_t later_boards = 0;
};

class Enumeration {
 public:
  Enumeration(const PickProblem& problem, const PickRelaxation& at, const PickSearch& search)
      : problem_(problem), at_(at), search_(search) {
    counted_ = problem.exactly || problem.count < problem.boards();
    constant_ = price_of_limit(at.price_u, problem.allowed_u()) +
                price_of_limit(at.price_v, problem.allowed_v()) +
                price_of_limit(at.price_count, static_cast<double>(problem.count));
  }

  PickFound run() {
    layers_.push_back({State{}});
    for (size_t kind = 0; kind < problem_.kinds.size(); ++kind) {
      for (size_t option = 0; option < problem_.kinds[kind].options.size(); ++option) {
        expand(kind, option);
        if (!found_.complete && !search_.thins) return found_;
      }
    }
    choose();
    return found_;
  }

 private:
  double reduced(const PickOption& one) const {
    return problem_.cost(one.u, one.v) + at_.price_u * one.u + at_.price_v * one.v +
           at_.price_count;
  }

  Rest rest_after(size_t kind, size_t option) const {
    Rest rest;
    const auto& options = problem_.kinds[kind].options;
    for (size_t i = option + 1; i < options.size(); ++i) {
      rest.reduced = std::min(rest.reduced, reduced(options[i]));
      rest.v = std::min(rest.v, options[i].v);
    }
    for (size_t later = kind + 1; later < problem_.kinds.size(); ++later) {
      double least = 0, least_v = 0;
      for (const PickOption& one : problem_.kinds[later].options) {
        least = std::min(least, reduced(one));
        least_v = std::min(least_v, one.v);
      }
      const auto boards = static_cast<double>(problem_.kinds[later].boards);
      rest.later_reduced += boards * least;
      rest.later_v += boards * least_v;
      rest.later_boards += problem_.kinds[later].boards;
    }
    return rest;
  }

  double bound(const State& state, const Rest& rest, size_t boards) const {
    const auto left = static_cast<double>(boards - state.used);
    return problem_.cost(state.u, state.v) + at_.price_u * state.u + at_.price_v * state.v +
           at_.price_count * state.count + left * rest.reduced + rest.later_reduced - constant_;
  }

  bool may_end_well(const State& state, const Rest& rest, size_t boards, double least) const {
    if (!(least < search_.below)) return false;
    const size_t left = boards - state.used;
    if (problem_.exactly && state.count + left + rest.later_boards < problem_.count) return false;
    return state.v + static_cast<double>(left) * rest.v + rest.later_v <= problem_.allowed_v();
  }

  void expand(size_t kind, size_t option) {
    const PickOption& one = problem_.kinds[kind].options[option];
    const size_t boards = problem_.kinds[kind].boards;
    const Rest rest = rest_after(kind, option);
    const bool last = option + 1 == problem_.kinds[kind].options.size();
    const bool falls = reduced(one) < rest.reduced;
    const std::vector<State>& from = layers_.back();
    std::vector<State> next;
    for (size_t i = 0; i < from.size(); ++i) {
      size_t most = std::min(search_.most[kind][option], boards - from[i].used);
      if (counted_) most = std::min(most, problem_.count - from[i].count);
      for (size_t taken = search_.least[kind][option]; taken <= most; ++taken) {
        if (!search_.thins && gives_up(next.size())) {
          found_.complete = false;
          return;
        }
        State state = from[i];
        state.u += static_cast<double>(taken) * one.u;
        state.v += static_cast<double>(taken) * one.v;
        if (!(state.u <= problem_.allowed_u())) break;
        state.used += static_cast<uint32_t>(taken);
        state.count += static_cast<uint32_t>(taken);
        state.parent = static_cast<uint32_t>(i);
        state.taken = static_cast<uint32_t>(taken);
        const double least = bound(state, rest, boards);
        if (!may_end_well(state, rest, boards, least)) {
          if (!falls && !(least < search_.below)) break;
          continue;
        }
        if (last) state.used = 0;
        next.push_back(state);
      }
    }
    keep_unbeaten(next);
    if (search_.thins) thin(next, rest, last ? 0 : boards);
    states_ += next.size();
    layers_.push_back(std::move(next));
  }

  /// So many states, or steps that lead to none, take seconds.
  bool gives_up(size_t next) {
    return ++steps_ > most_expansions || states_ + next > search_.most_states;
  }

  /// Of states that have used equally many boards, those that no other one beats in u and v.
  void keep_unbeaten(std::vector<State>& states) const {
    const auto group = [this](const State& s) {
      return std::pair(s.used, counted_ ? s.count : uint32_t{0});
    };
    std::ranges::sort(states, [&](const State& a, const State& b) {
      return std::tuple(group(a), a.u, a.v, a.parent, a.taken) <
             std::tuple(group(b), b.u, b.v, b.parent, b.taken);
    });
    size_t kept = 0;
    for (size_t i = 0; i < states.size(); ++i) {
      const bool same = kept > 0 && group(states[kept - 1]) == group(states[i]);
      if (same && !(states[i].v < states[kept - 1].v)) continue;
      states[kept++] = states[i];
    }
    states.resize(kept);
  }

  void thin(std::vector<State>& states, const Rest& rest, size_t boards) {
    if (states.size() <= search_.most_states) return;
    found_.complete = false;
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < states.size(); ++i)
      order.emplace_back(bound(states[i], rest, boards), i);
    std::ranges::sort(order);
    order.resize(search_.most_states);
    std::vector<State> kept;
    for (const auto& [unused, i] : order) kept.push_back(states[i]);
    states = std::move(kept);
  }

  void choose() {
    const std::vector<State>& last = layers_.back();
    std::optional<size_t> best;
    const auto rank = [&](const State& s) {
      return std::tuple(problem_.cost(s.u, s.v), s.u, s.count);
    };
    for (size_t i = 0; i < last.size(); ++i) {
      if (problem_.exactly && last[i].count != problem_.count) continue;
      if (!(last[i].v <= problem_.allowed_v())) continue;
      if (!best || rank(last[i]) < rank(last[*best])) best = i;
    }
    if (!best || !(problem_.cost(last[*best].u, last[*best].v) < search_.below)) return;
    found_.pick = make_pick(problem_, counts_of(*best));
  }

  PickCounts counts_of(size_t at) const {
    PickCounts counts;
    for (const PickKind& kind : problem_.kinds) counts.emplace_back(kind.options.size(), 0);
    size_t layer = layers_.size() - 1;
    for (size_t kind = counts.size(); kind-- > 0;)
      for (size_t option = counts[kind].size(); option-- > 0; --layer) {
        const State& state = layers_[layer][at];
        counts[kind][option] = state.taken;
        at = state.parent;
      }
    return counts;
  }

  const PickProblem& problem_;
  const PickRelaxation& at_;
  const PickSearch& search_;
  bool counted_ = false;
  double constant_ = 0;
  size_t states_ = 0, steps_ = 0;
  std::vector<std::vector<State>> layers_;
  PickFound found_;
};

}  // namespace

PickFound search_picks(const PickProblem& problem, const PickRelaxation& relaxation,
                       const PickSearch& search) {
  return Enumeration(problem, relaxation, search).run();
}

}  // namespace flyball
