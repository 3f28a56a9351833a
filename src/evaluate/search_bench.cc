// bench/run search: exact optima of all 62,912 problems of AutoCITE/Fulcrum. The networks whose
// tables are not at hand are stood in by copies of those that are, with the readings permuted.
// usage: search_bench [DATA-FOLDER]
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/random.h"
#include "problem/exact.h"
#include "problem/paper.h"

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

int run(const std::filesystem::path& folder) {
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
  const Json figures{{"all_problems_s", seconds},
                     {"problems_per_s", static_cast<double>(problems) / seconds},
                     {"problems", problems}};
  fmt::print("{}\n", Json{{"benchmark", "search"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const char* known = std::getenv("FLYBALL_DATA");
  return flyball::run(argc > 1 ? argv[1] : known ? known : FLYBALL_SOURCE_DIR "/../shared/data");
}
