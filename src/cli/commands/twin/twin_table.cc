#include <fmt/format.h>

#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands/twin/twin_commands.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "profile/trials/drawn_table.h"

namespace flyball::cli {
namespace {

struct TwinTableArguments {
  std::vector<std::string> workloads, phases;
  AskedAxes axes;
  std::string device, modes = "paper", out;
  uint64_t seed = 1;
  bool quiet = false;
};

Result<WorkloadTable> simulate(const TwinTableArguments& options, const std::string& workload,
                               const std::string& phase) {
  ProfilerOptions role;
  role.workload = workload;
  role.phase = phase;
  role.device = options.device;
  role.modes = options.modes;
  role.axes = options.axes;
  role.seed = options.seed;
  FLYBALL_ASSIGN(const OpenedProfiler opened, open_profiler(role));
  const ProfilerInfo& info = opened.profiler->info();
  for (const std::string& gap : info.gaps) fmt::print(stderr, "note: {}\n", gap);
  Progress progress(options.quiet);
  const std::string title =
      fmt::format("{} {} on {}", info.workload, phase_name(info.phase), info.device);
  auto table = draw_table(*opened.profiler, {.interrupted = &interrupt_flag(),
                                             .progress = [&](size_t done, size_t total) {
                                               progress.show(done, total, title);
                                             }});
  progress.finish();
  return table;
}

Status run(const TwinTableArguments& options) {
  FLYBALL_ASSIGN(const BoardName name, parse_board(options.device));
  if (name.kind != BoardName::Kind::twin)
    return Error{Code::invalid_argument, fmt::format("{} is no simulated board", name.text()),
                 "name one, e.g. --device twin:orin_agx"};
  std::vector<WorkloadTable> tables;
  for (const std::string& phase : options.phases)
    for (const std::string& workload : options.workloads) {
      FLYBALL_ASSIGN(WorkloadTable table, simulate(options, workload, phase));
      tables.push_back(std::move(table));
    }
  return write_or_print(options.out, tables, options.quiet);
}

}  // namespace

void add_twin_table(CLI::App& twin, Context& context) {
  CLI::App* command =
      twin.add_subcommand("table", "Simulate every mode of workloads and write them as a table");
  auto options = std::make_shared<TwinTableArguments>();
  options->device = "twin:orin_agx";
  options->phases = {"train"};
  command->add_option("workload,--workload", options->workloads, "Networks that the twin knows")
      ->required();
  add_device_option(*command, options->device,
                    {.refused = {"host", "jetson", "board", "cuda", "table"}, .otherwise = ""})
      ->capture_default_str();
  takes_one_of(command->add_option("--phase", options->phases, "Phases, one or both"),
               {"train", "infer"})
      ->allow_extra_args(false)
      ->delimiter(',')
      ->capture_default_str();
  add_axis_option(*command, options->axes);
  command
      ->add_option("--modes", options->modes,
                   "Power modes: all, paper (the papers' grid, as near as the board lists it), or "
                   "how many to draw by --seed")
      ->capture_default_str();
  add_seed(*command, options->seed, "Seed of the noise");
  writes(command->add_option("--out", options->out, "Write here instead of on stdout"));
  add_quiet(*command, options->quiet);
  command->footer(
      "Every row says `simulated`: commands that fit leave it out unless --accept simulated.\n"
      "Example:\n  flyball twin table resnet18 --device twin:orin_agx --out resnet18.csv");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
