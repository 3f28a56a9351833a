#include "fleet/rounds/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/text.h"
#include "base/units.h"

namespace flyball {
namespace {

class Asking {
 public:
  Asking(RoundsQuestion question, const Population& population,
         const std::function<void(RoundStrategy)>& begins)
      : population_(population),
        begins_(begins),
        setting_(population, question.rules, question.training.batch_size) {
    answer_.question = std::move(question);
    answer_.kinds = population.kinds;
  }

  Result<RoundsAnswer> run() {
    if (population_.clients.empty())
      return Error{Code::invalid_argument, "there are no clients",
                   "draw some with --board twin:orin_nano=1000, or name a file: --clients FILE"};
    decide_first();
    add_round_notes();
    if (!answer_.first) {
      explain_round();
      return std::move(answer_);
    }
    for (const RoundStrategy strategy : round_strategies) {
      if (begins_) begins_(strategy);
      answer_.strategies.push_back(
          simulate_rounds(setting_, answer_.question.proxy, strategy, answer_.question.seed));
    }
    return std::move(answer_);
  }

 private:
  void decide_first() {
    answer_.clients = population_.clients.size();
    for (const RoundClient& client : population_.clients) answer_.samples += client.samples;
    const auto gains = first_gains();
    answer_.available =
        static_cast<size_t>(std::ranges::count_if(gains, [](double gain) { return gain > 0; }));
    const RoundChoice choice = choose_round(setting_, gains);
    if (!choice.invited.empty()) answer_.first = first_round(choice);
  }

  /// 0 of clients that are not there in the first round.
  std::vector<double> first_gains() const {
    const std::vector<double> missing(population_.clients.size(), 1);
    return round_gains(population_, answer_.question.proxy, missing, answer_.question.seed, 0);
  }

  FirstRound first_round(const RoundChoice& choice) const {
    FirstRound first{
        {}, {}, choice.progress / answer_.samples, choice.energy_j, choice.gap_pct(), choice.exact};
    using Key = std::tuple<size_t, double, const RoundMode*>;
    const auto key_of = [this](const Invitation& one) {
      return Key{population_.clients[one.client].kind, one.mode->mode.power_w, one.mode};
    };
    std::map<Key, size_t> places;
    for (const Invitation& one : choice.invited) places.emplace(key_of(one), 0);
    for (auto& [key, place] : places) {
      place = first.groups.size();
      first.groups.push_back({std::get<0>(key), std::get<2>(key)->mode});
    }
    for (const Invitation& one : choice.invited) {
      const size_t place = places[key_of(one)];
      add_client(first.groups[place], one);
      first.asked.emplace_back(one.client, place);
    }
    for (RoundGroup& group : first.groups) group.on_time /= static_cast<double>(group.clients);
    return first;
  }

  void add_client(RoundGroup& group, const Invitation& one) const {
    const RoundClient& client = population_.clients[one.client];
    ++group.clients;
    group.samples += client.samples;
    group.longest_s = std::max(group.longest_s, setting_.time_s(client, *one.mode));
    group.on_time += one.on_time;
    group.energy_j += one.energy_j;
  }

  /// What the client needs that needs least.
  void explain_round() {
    double deadline_s = std::numeric_limits<double>::infinity(), energy_j = deadline_s;
    bool in_time = false;
    const std::vector<double> gains = first_gains();
    for (size_t i = 0; i < gains.size(); ++i) {
      const RoundClient& client = population_.clients[i];
      const RoundModes& modes = setting_.modes_of(client);
      if (client.available == 0 || client.dropout == 1) continue;
      deadline_s = std::min(deadline_s, setting_.time_s(client, modes.modes.back()));
      for (const RoundMode& mode : modes.modes) {
        if (setting_.on_time(client, mode) <= 0) continue;
        in_time = true;
        if (gains[i] > 0) energy_j = std::min(energy_j, setting_.energy_j(client, mode));
      }
    }
    std::string hint = "name clients that are available, and do not always drop out";
    if (std::isfinite(energy_j) && answer_.question.rules.energy_j &&
        energy_j > *answer_.question.rules.energy_j)
      hint = fmt::format("the thriftiest client of the first round needs --energy-budget {}J",
                         upper_figure(energy_j, 6));
    else if (in_time)
      hint =
          "none of those that can answer in time is available in the first round: another "
          "--seed, or more clients";
    else if (std::isfinite(deadline_s))
      hint = fmt::format("the fastest client is expected to take {}s: give a later --deadline",
                         upper_figure(deadline_s, 6));
    answer_.infeasible =
        Error{Code::infeasible, "no client can be asked within these limits", hint};
  }

  void add_round_notes() {
    answer_.notes.emplace_back(
        "no model is trained: progress is a proxy, in which each client's data is of use to "
        "itself alone");
    std::vector<std::string> totals;
    for (const FleetKind& kind : answer_.kinds) {
      if (!kind.idle_w)
        answer_.notes.push_back(
            fmt::format("the idle power of {} is not known: its energy of transfers is not counted",
                        kind.title));
      answer_.notes.insert(answer_.notes.end(), kind.notes.begin(), kind.notes.end());
      const std::string total = kind.power_total.empty() ? "not named" : kind.power_total;
      if (std::ranges::find(totals, total) == totals.end()) totals.push_back(total);
    }
    if (totals.size() > 1)
      answer_.notes.push_back("the power totals of the boards differ: " + join(totals, ", "));
  }

  const Population& population_;
  const std::function<void(RoundStrategy)>& begins_;
  RoundSetting setting_;
  RoundsAnswer answer_;
};

std::string beside_text(const SimulatedRounds& own, const SimulatedRounds& other) {
  const std::string name = round_strategy_name(other.strategy);
  if (!own.reached) return fmt::format("{}: {:.1f} %", name, 100 * other.progress);
  if (!other.reached)
    return fmt::format("{} comes to {:.1f} % in {} rounds", name, 100 * other.progress,
                       other.rounds);
  return fmt::format("{} takes {} times the rounds and {} times the energy", name,
                     number(static_cast<double>(other.rounds) / static_cast<double>(own.rounds)),
                     number(other.sum.energy_j / own.sum.energy_j));
}

}  // namespace

Result<RoundsAnswer> ask_rounds(RoundsQuestion question, const Population& population,
                                const std::function<void(RoundStrategy)>& begins) {
  return Asking(std::move(question), population, begins).run();
}

std::string round_sentence(const RoundsAnswer& answer) {
  if (!answer.first) return "";
  const FirstRound& first = *answer.first;
  const std::string how = first.exact ? "the most there is"
                                      : fmt::format("at most {} % below the most there is",
                                                    number(std::max(first.gap_pct, 1e-6), 2));
  return fmt::format(
      "round 1: {} of {} clients that are available are asked, {} in all; {} and progress of {} % "
      "are expected, {}",
      first.asked.size(), answer.available, answer.clients, format_joules(first.energy_j),
      number(100 * first.progress), how);
}

std::string rounds_sentence(const RoundsAnswer& answer) {
  if (answer.strategies.empty()) return "";
  const SimulatedRounds& own = answer.strategies.front();
  std::vector<std::string> parts;
  for (const SimulatedRounds& other : answer.strategies)
    if (other.strategy != own.strategy) parts.push_back(beside_text(own, other));
  return fmt::format("progress of {:.1f} % {} {} rounds, {} and {}; {}", 100 * own.progress,
                     own.reached ? "after" : "is all within", own.rounds,
                     format_seconds({own.sum.time_s}), format_joules(own.sum.energy_j),
                     join(parts, "; "));
}

}  // namespace flyball
