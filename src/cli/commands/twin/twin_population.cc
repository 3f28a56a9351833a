#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands/twin/twin_commands.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "twin/population.h"

namespace flyball::cli {
namespace {

struct TwinPopulationArguments {
  size_t count = 200;
  uint64_t seed = 1;
  std::string out;
  bool quiet = false;
};

Status run(const TwinPopulationArguments& options) {
  Progress progress(options.quiet);
  size_t written = 0;
  for (size_t index = 0; index < options.count; ++index) {
    for (const Phase phase : {Phase::train, Phase::infer}) {
      FLYBALL_CHECK(check_interrupt(&interrupt_flag()));
      progress.show(index, options.count, "simulating");
      const auto table = population_table(index, options.seed, phase);
      if (!table && table.error().code == Code::infeasible) {
        fmt::print(stderr, "note: left out: {}\n", table.error().message);
        continue;
      }
      if (!table) return table.error();
      const std::string name =
          fmt::format("{}__{}__{}.csv", table->device, table->workload, phase_name(phase));
      FLYBALL_CHECK(write_file(std::filesystem::path(options.out) / name,
                               format_table(std::span(&*table, 1))));
      ++written;
    }
  }
  progress.finish();
  fmt::print("{} tables of {} networks in {}\n", written, options.count, options.out);
  return {};
}

}  // namespace

void add_twin_population(CLI::App& twin, Context& context) {
  CLI::App* command = twin.add_subcommand(
      "population", "Write tables of random networks on random simulated boards");
  auto options = std::make_shared<TwinPopulationArguments>();
  command->add_option("--networks", options->count, "Networks, each of which trains and serves")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  add_seed(*command, options->seed);
  writes(command->add_option("--out", options->out, "Folder for the tables"), "FOLDER")->required();
  add_quiet(*command, options->quiet);
  command->footer("Example:\n  flyball twin population --networks 200 --seed 1 --out population");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
