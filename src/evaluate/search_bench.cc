// bench/run search: what a step of a search costs by number of candidates, and exact optima of all
// 62,912 problems of AutoCITE/Fulcrum. The networks whose tables are not at hand are stood in by
// copies of those that are, with the readings permuted. Steps are of ten profiles of a training on
// a synthetic board with `auto` and one reference, processor time of all cores together: once
// something within the limit is known (`gain`), and while nothing is (`draws`).
// usage: search_bench [DATA-FOLDER]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/clock.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/statistics.h"
#include "predict/known_board_testing.h"
#include "predictors/registry.h"
#include "problem/exact.h"
#include "problem/paper.h"
#include "search/registry.h"
#include "search/strategy.h"

namespace flyball {
namespace {

/// The table with its readings dealt to other rows; seed 0 leaves it as it is.
WorkloadTable permuted(WorkloadTable table, uint64_t seed) {
  if (seed == 0) return table;
  Random random(seed);
  const std::vector<size_t> order = random.sample(table.size(), table.size());
  const WorkloadTable before = table;
  for (size_t i = 0; i < order.size(); ++i) {
    table.minibatch_ms[i] = before.minibatch_ms[order[i]];
    table.power_w[i] = before.power_w[order[i]];
  }
  return table;
}

struct Set {
  ProblemKind kind;
  std::vector<WorkloadTable> tables;
  bool long_latency;
};

size_t solve_set(const Set& set, std::atomic<size_t>& solvable) {
  std::vector<Space> spaces;
  std::vector<const WorkloadTable*> tables;
  std::vector<Role> roles;
  for (const WorkloadTable& table : set.tables) {
    spaces.push_back(*paper_modes(table.space));
    tables.push_back(&table);
    roles.push_back(role_of(table));
  }
  const auto candidates = std::make_shared<Candidates>(*Candidates::link(std::move(spaces)));
  const Readings readings = *readings_of(*candidates, tables);
  const auto specs = paper_problems(set.kind, set.long_latency);
  parallel_for(specs.size(), [&](size_t i) {
    const Problem problem = make_problem(set.kind, candidates, roles, specs[i]);
    solvable += solve(problem, readings).outcome.feasible;
  });
  return specs.size();
}

SearchOptions with_reference() {
  SearchOptions options;
  options.min_gain = 0;
  options.predictor = "auto";
  options.make_predictor = [] { return *make_predictor("auto"); };
  const testing_board::Load other{"other", 60, 10, 20, 30, 0.05};
  options.references = {std::make_shared<std::vector<WorkloadTable>>(
      1, testing_board::table_on(testing_board::full_grid(true), other, 0.01, 2))};
  return options;
}

/// Median processor time of a step, ms, over one search within a power budget; its first two
/// trials, which nothing is fitted for, do not count.
double step_ms(const WorkloadTable& table, double power_w) {
  const auto problem = std::make_shared<Problem>();
  problem->candidates = std::make_shared<Candidates>(*Candidates::link({table.space}));
  problem->roles = {role_of(table)};
  problem->budgets.power_w = power_w;
  const auto strategy = *make_strategy("flyball", problem, with_reference());
  std::vector<double> steps;
  for (;;) {
    const std::clock_t before = std::clock();
    const auto asked = strategy->ask();
    if (!asked) break;
    steps.push_back(1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    strategy->tell(*asked, {table.minibatch_ms[asked->candidate], table.power_w[asked->candidate]});
  }
  return steps.size() > 2 ? median(std::span(steps).subspan(2)) : 0;
}

void add_steps(Json& figures, const std::string& name, const WorkloadTable& table) {
  const double least = *std::ranges::min_element(table.power_w);
  figures["step_gain_ms_" + name] = step_ms(table, 25);
  figures["step_draws_ms_" + name] = step_ms(table, 0.99 * least);
}

/// Grids of these many candidates, and as many of the largest one's at random.
Json step_figures() {
  using testing_board::steps;
  const auto grid = [](int cores, int cpu, int gpu, int memory) {
    return testing_board::table_on(
        Space::grid({named_axis("cpu_cores", steps(13 - cores, 12, cores)),
                     named_axis("cpu_mhz", steps(269, 2201, cpu)),
                     named_axis("gpu_mhz", steps(115, 1300, gpu)),
                     named_axis("mem_mhz", steps(204, 3199, memory))}),
        {}, 0.01, 1);
  };
  Json figures;
  add_steps(figures, "441", grid(3, 7, 7, 3));
  add_steps(figures, "2205", grid(5, 7, 9, 7));
  add_steps(figures, "4368", grid(6, 14, 13, 4));
  const WorkloadTable all = grid(12, 29, 13, 4);
  add_steps(figures, "18096", all);
  add_steps(figures, "2205_scattered", testing_board::random_rows(all, 2205, 1));
  return figures;
}

int run(const std::filesystem::path& folder) {
  Json figures = step_figures();
  const auto load = [&](const char* name) {
    auto table = read_table(folder / name);
    if (!table.ok()) fmt::print(stderr, "search_bench: {}\n", table.error().message);
    return table;
  };
  const auto resnet = load("orin_agx__resnet18__train.csv");
  const auto mobile = load("orin_agx__mobilenet_v3__train.csv");
  const auto resnet_i = load("orin_agx__resnet50__infer.csv");
  const auto mobile_i = load("orin_agx__mobilenet_v3__infer.csv");
  if (!resnet.ok() || !mobile.ok() || !resnet_i.ok() || !mobile_i.ok()) return 2;
  std::vector<Set> sets;
  for (uint64_t i = 0; i < 5; ++i) {  // the fifth of each kind has BERT's ranges
    const WorkloadTable train = permuted((i % 2 ? mobile : resnet)->workloads[0], i / 2);
    const WorkloadTable infer = permuted((i % 2 ? mobile_i : resnet_i)->workloads[0], i / 2);
    sets.push_back({ProblemKind::training, {train}, i == 4});
    sets.push_back({ProblemKind::inference, {infer}, i == 4});
    sets.push_back({ProblemKind::concurrent, {train, infer}, i == 4});
  }
  std::atomic<size_t> solvable{0};
  size_t problems = 0;
  const Stopwatch watch;
  for (const Set& set : sets) problems += solve_set(set, solvable);
  const double seconds = watch.seconds();
  fmt::print(stderr, "{} problems, {} solvable, {:.2f} s on {} cores\n", problems, solvable.load(),
             seconds, usable_cores());
  figures["all_problems_s"] = seconds;
  figures["problems_per_s"] = static_cast<double>(problems) / seconds;
  figures["problems"] = problems;
  fmt::print("{}\n", Json{{"benchmark", "search"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const char* known = std::getenv("FLYBALL_DATA");
  return flyball::run(argc > 1 ? argv[1] : known ? known : FLYBALL_SOURCE_DIR "/../shared/data");
}
