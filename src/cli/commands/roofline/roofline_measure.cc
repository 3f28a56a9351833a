#include <fmt/format.h>

#include "base/os/interrupt.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands/roofline/roofline.h"
#include "cli/common_options.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/report_left.h"
#include "device/modes/mode.h"
#include "roofs/microbench/measure.h"

namespace flyball::cli {
namespace {

struct RooflineMeasureArguments {
  std::vector<std::string> modes;
  std::string device, root = "/", command;
  StoreArguments store;
  RoofOptions roofs;
  MeasuringOptions measuring;
  bool json = false, quiet = false;
};

Result<std::vector<PowerMode>> modes_of(const RooflineMeasureArguments& options,
                                        const Device& device) {
  FLYBALL_ASSIGN(auto modes, parse_modes(options.modes));
  return roof_modes(device, std::move(modes));
}

std::string giga(double value) {
  return number(value * 1e-9);
}

void print_mode(const ModeRoofs& mode) {
  fmt::print("\n{}, {} thread{}\n",
             mode.mode.values.empty() ? "as it is" : describe(mode.mode.values), mode.threads,
             mode.threads == 1 ? "" : "s");
  TextTable table({"what", "best", "median", "from", "to", "unit", "power W"});
  const auto add = [&](const std::string& what, const Rate& rate, const char* unit) {
    table.add({what, giga(rate.best), giga(rate.median), giga(rate.q1), giga(rate.q3), unit,
               number(rate.power_w)});
  };
  for (const MeasuredPeak& peak : mode.peaks)
    add(peak.bits > 0 ? fmt::format("{} {}, {} bits", peak.isa, peak.precision, peak.bits)
                      : fmt::format("{} {}", peak.isa, peak.precision),
        peak.op, peak.precision == "int8" ? "GOP/s" : "GFLOP/s");
  for (const MeasuredStream& stream : mode.streams)
    add(fmt::format("{}, {:.0f} MB", stream.name, stream.bytes * 1e-6), stream.byte, "GB/s");
  for (const SweepPoint& point : mode.sweep)
    add(fmt::format("sweep, {} FLOP/B", number(point.intensity)), point.flop, "GFLOP/s");
  fmt::print("{}", table.str());
  fmt::print("balance {} FLOP/B; a parallel region takes {} µs\n", number(mode.balance()),
             number(mode.launch_s * 1e6));
  if (mode.idle) fmt::print("idle power {} W\n", number(mode.idle->power_w));
  if (!mode.energy) return;
  const auto with = [](const Estimate& b, double scale) {
    return fmt::format("{} ({} to {})", number(b.value * scale), number(b.low * scale),
                       number(b.high * scale));
  };
  fmt::print("energy: {} pJ/FLOP, {} pJ/B, static {} W (90 % intervals)\n",
             with(mode.energy->eps_flop, 1e12), with(mode.energy->eps_mem, 1e12),
             with(mode.energy->pi0, 1));
}

void print_roofs(const BoardRoofs& roofs) {
  fmt::print("roofs of {} ({})\n", roofs.device, roofs.title);
  for (const ModeRoofs& mode : roofs.modes) print_mode(mode);
  fmt::print(
      "\nbest, median, quartiles of repetitions; bandwidth counted as STREAM does; the roofs are "
      "the "
      "best fp32 and the best triad\n");
  if (roofs.total.empty())
    fmt::print("no energy per FLOP and byte, and no idle power: {}\n", roofs.power_gap);
  if (roofs.other_cores.value_or(0) >= 0.1)
    fmt::print("note: others kept {:.2g} cores busy meanwhile: measure again on a quiet machine\n",
               *roofs.other_cores);
  if (!roofs.disturbed.empty()) fmt::print("note: {} measured beside it\n", roofs.disturbed);
}

Status run(const RooflineMeasureArguments& options) {
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (!board->live())
    return Error{Code::invalid_argument, "a table has nothing to measure",
                 "flyball roofline FILE.csv fits the roofs of its board"};
  if (board->twin())
    return Error{Code::invalid_argument,
                 board->info().device.title + ": microbenchmarks would measure this machine",
                 "flyball roofline FILE.csv --accept simulated fits roofs over a table of it"};
  FLYBALL_CHECK(check_roofs_of(*board));
  FLYBALL_ASSIGN(std::optional<Store> store, options.store.open());
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.measuring));
  FLYBALL_ASSIGN(const auto device, board->knobs(report_left));  // as the last session left it
  FLYBALL_ASSIGN(const std::vector<PowerMode> modes, modes_of(options, *device));
  const auto meter = board->power();
  Progress progress(options.quiet);
  RoofOptions roofs = options.roofs;
  roofs.interrupted = &interrupt_flag();
  roofs.progress = [&](size_t done, size_t total, const std::string& what) {
    progress.show(done, total, what);
  };
  const auto measured = measure_roofs(*device, *meter, modes, roofs);
  progress.finish();
  const Status restored = device->restore();
  if (!measured) return measured.error();
  FLYBALL_CHECK(restored);
  auto document = roofs_json(*measured);
  document["run"] = nullptr;
  if (store) {
    FLYBALL_ASSIGN(document["run"], keep_roofs(*store, *measured, options.command));
  }
  if (options.json)
    print_json(document);
  else
    print_roofs(*measured);
  return {};
}

}  // namespace

Status check_roofs_of(const Board& board) {
  if (board.info().name.kind != BoardName::Kind::cuda) return {};
  return Error{Code::unavailable, "the roofs of a GPU are not measured yet",
               "leave --device out for the roofs of the CPU; `flyball roofline FILE.csv` takes "
               "measured tables"};
}

void add_roofline_measure(CLI::App& roofline, Context& context) {
  CLI::App* command =
      roofline.add_subcommand("measure", "Measure the roofs of this machine by microbenchmarks");
  auto options = std::make_shared<RooflineMeasureArguments>();
  command->add_option("mode", options->modes,
                      "AXIS=VALUE,…, several; none: as it is, and each axis at its lowest");
  add_device_option(*command, options->device, options->root,
                    {.refused = {"cuda", "table", "twin"}});
  add_duration(*command, "--duration",
               [options](Seconds time) { options->roofs.seconds = time.value; },
               "Time of each benchmark; default: 300ms, with a power sensor until power is known",
               {0.01, 3600, "10ms to 1h"});
  add_size(
      *command, "--array",
      [options](uint64_t bytes) { options->roofs.array_bytes = static_cast<double>(bytes); },
      "Size of each array that bandwidth is measured with; default: four times the last cache");
  add_store_options(*command, options->store);
  add_measuring_options(*command, options->measuring);
  add_quiet(*command, options->quiet);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball roofline measure\n  flyball roofline measure cpu_cores=1 --duration 2s");
  set_action(*command, context, [options, &context] {
    options->command = context.command;
    return run(*options);
  });
}

}  // namespace flyball::cli
