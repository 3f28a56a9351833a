#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/tables.h"
#include "data/digits.h"
#include "data/open.h"
#include "device/host.h"
#include "profile/live_profiler.h"
#include "profile/power_meter.h"
#include "profile/table_profiler.h"
#include "workload/workload.h"

namespace flyball::cli {
namespace {

std::filesystem::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"))
    return std::filesystem::path(cache) / "flyball";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home ? home : "/tmp") / ".cache" / "flyball";
}

// The drawn digits stand in for MNIST; they are drawn once.
Result<std::filesystem::path> drawn_digits(bool quiet) {
  const std::filesystem::path folder = cache_folder() / "digits";
  if (open_dataset(folder, Split::train).ok() && open_dataset(folder, Split::test).ok())
    return folder;
  if (!quiet) fmt::print(stderr, "drawing 70000 digits into {}\n", folder.string());
  FLYBALL_CHECK(make_digits(folder));
  return folder;
}

Result<std::filesystem::path> dataset_folder(const BoardOptions& options) {
  if (!options.data.empty()) return std::filesystem::path(options.data);
  FLYBALL_ASSIGN(const Workload* workload, find_workload(options.workload));
  if (workload->dataset == "mnist") return drawn_digits(options.quiet);
  return Error{Code::invalid_argument,
               fmt::format("{} needs a dataset ({})", workload->name, workload->dataset),
               "name its folder with --data"};
}

Result<Board> open_table(const BoardOptions& options) {
  FLYBALL_ASSIGN(const Table table, read_table(options.device.substr(6)));
  std::optional<Phase> phase;
  if (!options.phase.empty()) {
    FLYBALL_ASSIGN(phase, parse_phase(options.phase));
  }
  FLYBALL_ASSIGN(const WorkloadTable* found, table.find(options.workload, phase));
  if (!options.axes.empty())
    return Error{Code::invalid_argument, "the axes of a table are those it has",
                 "leave --axis out"};
  Board board;
  FLYBALL_ASSIGN(board.table, measured_part(*found, table.name));
  board.profiler = make_table_profiler(*board.table);
  return board;
}

Result<Board> open_live(const BoardOptions& options) {
  LiveOptions live;
  live.workload = options.workload;
  live.seed = options.seed;
  live.stopping.max_seconds = options.trial_seconds;
  live.stopping.min_seconds = std::min(1.0, options.trial_seconds);
  live.interrupted = &interrupt_flag();
  if (!options.phase.empty()) {
    FLYBALL_ASSIGN(live.phase, parse_phase(options.phase));
  }
  for (const std::string& text : options.axes) {
    FLYBALL_ASSIGN(Axis axis, parse_axis(text));
    live.open.push_back(std::move(axis));
  }
  FLYBALL_ASSIGN(live.data, dataset_folder(options));
  FLYBALL_ASSIGN(auto device, open_host());
  catch_interrupts();
  Board board;
  FLYBALL_ASSIGN(board.profiler, make_live_profiler(std::move(device), open_power_meter(), live));
  return board;
}

}  // namespace

void add_board_options(CLI::App& command, BoardOptions& options) {
  command.add_option("workload", options.workload, "network, or a workload of the table")
      ->required();
  command.add_option("--device", options.device, "host, or table:FILE")->capture_default_str();
  command.add_option("--phase", options.phase, "train or infer");
  command.add_option("--data", options.data, "dataset folder (MNIST's IDX files for lenet5)");
  command.add_option("--axis", options.axes, "open or narrow an axis: batch_size=8,16,32");
  command.add_option("--trial-time", options.trial_seconds, "time cap of a live trial, seconds")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of everything random")->capture_default_str();
  command.add_flag("--quiet,-q", options.quiet, "no progress");
}

Result<Board> open_board(const BoardOptions& options) {
  if (options.device.starts_with("table:")) return open_table(options);
  if (options.device == "host") return open_live(options);
  return Error{Code::invalid_argument, fmt::format("there is no device '{}'", options.device),
               "host is this machine; table:FILE is a measured table"};
}

Result<Store> open_store(const std::string& place) {
  return Store::open(place.empty() ? Store::default_place() : std::filesystem::path(place));
}

Result<Axis> parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  const Error bad{Code::invalid_argument, fmt::format("'{}' is not an axis", text),
                  "write NAME=VALUE,VALUE,…, such as batch_size=8,16,32"};
  if (equals == std::string::npos || equals == 0) return bad;
  Axis axis = named_axis(text.substr(0, equals));
  for (const std::string& piece : split(text.substr(equals + 1), ',')) {
    const auto value = parse_double(piece);
    if (!value) return bad;
    axis.values.push_back(*value);
  }
  std::ranges::sort(axis.values);
  const auto twice = std::ranges::unique(axis.values);
  axis.values.erase(twice.begin(), twice.end());
  return axis;
}

}  // namespace flyball::cli
