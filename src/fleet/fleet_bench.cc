// Fleets of simulated boards: what it takes to choose boards, how far the choice can be above the
// least energy, what it takes to decide a federated round on one core by number of clients, and
// rounds, hours, energy and fairness of each strategy until its target. Populations as `flyball
// fleet rounds` draws them with seed 1; a round may take as many joules as its clients times 40.
// Seconds are of the processor.
// usage: fleet_bench [CLIENTS]        of the comparison; default: 10000
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/json.h"
#include "base/statistics.h"
#include "fleet/choose.h"
#include "fleet/rounds/simulate_rounds.h"
#include "twin/board.h"

namespace flyball {
namespace {

constexpr double joules_of_client = 40;
constexpr int decisions = 7;

FleetTraining bench_training() {
  FleetTraining training;
  training.network = compared_network("resnet18", 0);
  return training;
}

std::vector<FleetKind> bench_kinds(size_t boards) {
  std::vector<FleetKind> kinds;
  for (const auto& [name, share] :
       {std::pair("orin_agx", 1), std::pair("orin_nx", 3), std::pair("orin_nano", 6)}) {
    auto kind = simulated_kind(*find_twin_board(name), name, bench_training());
    kind->boards = boards * static_cast<size_t>(share) / 10;
    kinds.push_back(*std::move(kind));
  }
  return kinds;
}

void time_choices(Json& figures) {
  for (const size_t boards : {10, 100, 1000, 10000, 1000000}) {
    FleetQuestion question;
    question.training = bench_training();
    question.epochs = static_cast<double>(boards) / 10;
    question.limits.deadline_s = 60;
    question.limits.power_w = 14.0 * static_cast<double>(boards);
    const std::vector<FleetKind> kinds = bench_kinds(boards);
    const std::clock_t begun = std::clock();
    const auto answer = choose_fleet(question, kinds);
    figures[fmt::format("choose_s_{}_boards", boards)] =
        static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    figures[fmt::format("choose_gap_pct_{}_boards", boards)] =
        answer->plan ? answer->gap_pct() : -1.0;
    figures[fmt::format("choose_exact_{}_boards", boards)] = answer->exact;
  }
}

RoundRules bench_rules(size_t clients) {
  RoundRules rules;
  rules.deadline_s = 60;
  rules.energy_j = joules_of_client * static_cast<double>(clients);
  return rules;
}

void time_rounds(Json& figures) {
  for (const size_t clients : {10000, 100000, 1000000}) {
    const Population population = draw_population(bench_kinds(clients), {});
    const std::vector<double> missing(population.clients.size(), 1);
    for (const bool counted : {false, true}) {
      RoundRules rules = bench_rules(clients);
      if (counted) rules.count = clients / 50;
      const RoundSetting setting(population, rules, 16);
      std::vector<double> took;
      double most_gap = 0;
      for (size_t round = 0; round < decisions; ++round) {
        const auto gains = round_gains(population, {}, missing, 1, round);
        const std::clock_t begun = std::clock();
        const RoundChoice choice = choose_round(setting, gains);
        took.push_back(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
        most_gap = std::max(most_gap, choice.gap_pct());
      }
      const std::string of = fmt::format("{}_clients{}", clients, counted ? "_counted" : "");
      figures["round_s_" + of] = median(took);
      figures["round_most_s_" + of] = quantile(took, 1);
      figures["round_gap_pct_" + of] = most_gap;
    }
  }
}

void compare_strategies(Json& figures, size_t clients) {
  const Population population = draw_population(bench_kinds(clients), {});
  const RoundSetting setting(population, bench_rules(clients), 16);
  for (const RoundStrategy strategy : round_strategies) {
    const SimulatedRounds done = simulate_rounds(setting, {}, strategy, 1);
    const std::string of = round_strategy_name(strategy);
    figures[of + "_rounds"] = done.rounds;
    figures[of + "_progress"] = done.progress;
    figures[of + "_hours"] = done.sum.time_s / 3600;
    figures[of + "_kwh"] = done.sum.energy_j / 3.6e6;
    figures[of + "_wasted_pct"] = 100 * done.sum.wasted_j / done.sum.energy_j;
    figures[of + "_fairness"] = done.fairness;
  }
}

}  // namespace
}  // namespace flyball

int main(int count, char** arguments) {
  using namespace flyball;
  const long clients = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 10000;
  if (clients < 10 || clients > static_cast<long>(most_clients)) {
    fmt::print(stderr, "fleet_bench: CLIENTS is a number from 10 to {}\n", most_clients);
    return 2;
  }
  Json figures;
  time_choices(figures);
  time_rounds(figures);
  compare_strategies(figures, static_cast<size_t>(clients));
  fmt::print("{}\n", Json{{"benchmark", "fleet"}, {"figures", figures}}.dump());
  return 0;
}
