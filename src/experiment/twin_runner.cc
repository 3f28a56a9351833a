#include "experiment/twin_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/distinct.h"
#include "base/os/interrupt.h"
#include "base/random.h"
#include "device/modes/mode.h"
#include "device/modes/presets.h"
#include "experiment/residency.h"
#include "profile/characterise/twin_epochs.h"
#include "twin/twin.h"

namespace flyball {
namespace {

/// As the file or the board names it: "15W", "gpu_mhz=…".
std::string mode_text(const ExperimentSpec& spec, const RunSettings& run) {
  const auto named = spec.modes.find(run.power_mode);
  return named == spec.modes.end() ? run.power_mode : named->second;
}

/// One of the board's own, and not the highest mode, which is any board's.
bool names_preset(const ExperimentSpec& spec, const RunSettings& run) {
  const std::string text = mode_text(spec, run);
  return !text.empty() && text != "MAXN" && text.find('=') == std::string::npos;
}

bool varies(const ExperimentSpec& spec, const char* setting) {
  return std::ranges::any_of(spec.vary, [&](const Varied& one) { return one.name == setting; });
}

std::string without_threads(const RunSettings& run) {
  return fmt::format("threads {}: a simulated board computes with all cores of its mode",
                     run.threads);
}

// What of a run has no counterpart on a simulated board; "" where all has.
std::string missing_knob(const ExperimentSpec& spec, const RunSettings& run,
                         const TwinBoard& board) {
  if (run.threads > 0 && varies(spec, "threads")) return without_threads(run);
  if (run.state == "suspended" && (!twin_plug_w(board, 0) || !twin_plug_w(board, 1)))
    return fmt::format("state suspended: what {} draws at the wall then is not known", board.id);
  if (!run.runtime.empty()) return "a simulated board has no containers";
  if (run.cache_pct > 0)
    return fmt::format("cache_pct {:g}: of a simulated board the page cache is the only one",
                       run.cache_pct);
  if (run.memory_mb > 0)
    return fmt::format("memory_mb {:g}: say memory_pct, a share of the set", run.memory_mb);
  return "";
}

/// Why the board has no such preset; "" where none is asked for.
std::string missing_preset(const ExperimentSpec& spec, const RunSettings& run, const Board& board) {
  if (!names_preset(spec, run)) return "";
  const Presets presets = board.presets();
  const auto found = find_preset(presets, mode_text(spec, run));
  return found ? "" : fmt::format("power_mode {}: {}", run.power_mode, found.error().message);
}

// Where a board leaves less to the page cache than the file would limit it to.
void note_less_memory(const RunFigures& run, const Board& board, std::vector<std::string>& notes) {
  if (!(run.settings.memory_pct > 0) || run.epochs.size() < 2) return;
  if (run.settings.clear == Clear::epoch) return;  // it is dropped, whatever there is room for
  const double cached = 100 * run.epochs.back().cached_before.value_or(0);
  if (cached > std::min(100.0, run.settings.memory_pct) - 1) return;
  add_distinct(notes, fmt::format("memory_pct {:g}: {} leaves the page cache {:.0f} % of the set",
                                  run.settings.memory_pct, board.info().device.name, cached));
}

Result<PowerMode> mode_of(const ExperimentSpec& spec, const RunSettings& run, const Board& board) {
  if (run.power_mode.empty()) return PowerMode();
  const std::string text = mode_text(spec, run);
  if (text == "MAXN") return PowerMode();
  if (names_preset(spec, run)) {
    const Presets presets = board.presets();
    FLYBALL_ASSIGN(const Preset* preset, find_preset(presets, text));
    return preset->mode;
  }
  FLYBALL_ASSIGN(PowerMode mode, parse_mode(text));
  FLYBALL_ASSIGN(const auto knobs, board.knobs());
  FLYBALL_CHECK(knobs->apply(mode));
  return mode;
}

/// A preset leaves clocks free below its caps, as on a board.
bool clocks_free(const ExperimentSpec& spec, const RunSettings& run) {
  if (!run.dvfs.empty()) return run.dvfs == "on";
  return names_preset(spec, run) || mode_text(spec, run) == "MAXN";
}

// A medium that the board has a storage of the name of is that one. Another is the board's first,
// throttled as the file says; memory takes no time to read.
void place_data(const ExperimentSpec& spec, const RunSettings& run, const TwinBoard& board,
                TwinEpochs& wanted) {
  const Medium* medium = spec.medium(run.medium);
  if (!medium) return;
  TwinStorage storage = board.storages.front();
  const auto named = std::ranges::find(board.storages, medium->name, &TwinStorage::name);
  if (named != board.storages.end()) {
    storage = *named;
  } else if (medium->read_mb_s > 0) {
    storage.name = medium->name;
    storage.mb_per_s = medium->read_mb_s;
  }
  if (medium->folder == "/dev/shm")
    storage = {.name = medium->name, .mb_per_s = 1e9, .latency_ms = 0, .at_once = 1e3};
  wanted.storage = storage;
}

/// A base load is what a meter at the wall tells, where the board's file says what that is.
void read_at_the_wall(RunFigures& figures, const TwinBoard& board) {
  const auto has_power = [](const EpochFigures& epoch) { return epoch.power_w.has_value(); };
  if (!twin_plug_w(board, 1) || std::ranges::none_of(figures.epochs, has_power)) return;
  figures.power_total = "plug";
  figures.power_gap.clear();
  if (figures.base_w) figures.base_w = twin_plug_w(board, *figures.base_w);
  for (EpochFigures& epoch : figures.epochs) {
    if (!epoch.power_w) continue;
    epoch.power_w = twin_plug_w(board, *epoch.power_w);
    epoch.energy_j = *epoch.power_w * epoch.e2e_s;
  }
}

// Idle states have one epoch of `seconds` without minibatches.
Result<RunFigures> idle_run(const RunSettings& run, int repeat, const Board& board,
                            const PowerMode& mode) {
  const TwinIdle state{.governors = run.dvfs == "on", .logging = run.state == "sampling"};
  FLYBALL_ASSIGN(TwinPower power, idle_power(*board.twin(), mode, state));
  if (run.state == "suspended") power = {};
  RunFigures figures;
  figures.settings = run;
  figures.repeat = repeat;
  figures.started_utc = wall_clock_utc();
  figures.power_total = twin_power_total(*board.twin());
  EpochFigures epoch;
  epoch.e2e_s = static_cast<double>(run.seconds);
  figures.power_gap = twin_power_gap(*board.twin());
  if (figures.power_gap.empty()) {
    epoch.power_w = twin_total_w(*board.twin(), power);
    epoch.energy_j = *epoch.power_w * epoch.e2e_s;
  }
  figures.epochs.push_back(std::move(epoch));
  return figures;
}

Result<RunFigures> simulate_run(const ExperimentSpec& spec, const RunSettings& run, int repeat,
                                const Board& board) {
  FLYBALL_ASSIGN(const PowerMode mode, mode_of(spec, run, board));
  if (!run.state.empty() && run.state != "training") return idle_run(run, repeat, board, mode);
  TwinEpochs wanted;
  wanted.mode = mode;
  EpochRequest& request = wanted.request;
  request.workload = run.workload;
  request.step.phase = run.phase;
  request.step.batch_size = run.batch_size;
  request.step.seed = mix_seed(run.seed, static_cast<uint64_t>(repeat));
  request.workers = run.workers;
  request.prefetch = run.prefetch;
  request.drop_last = true;
  request.epochs = run.epochs;
  request.steps = run.steps;
  request.keep_minibatches = true;  // their spread
  wanted.drop_each = run.clear == Clear::epoch;
  wanted.cached = run.clear == Clear::never ? 1 : 0;
  if (run.memory_pct > 0) wanted.most_cached = std::min(1.0, run.memory_pct / 100);
  wanted.governors = clocks_free(spec, run);
  place_data(spec, run, *board.twin(), wanted);
  FLYBALL_ASSIGN(const EpochRun epochs, simulate_epochs(board, wanted));
  RunFigures figures = figures_of(epochs, run, repeat);
  figures.losses.clear();  // a simulation has none
  if (!figures.power_total.empty()) {
    FLYBALL_ASSIGN(const TwinPower base,
                   idle_power(*board.twin(), mode, {.governors = wanted.governors}));
    figures.base_w = twin_total_w(*board.twin(), base);
  }
  if (wanted.governors)
    figures.residency =
        residency_of(epochs.traces, epochs.epochs.front().begin_ns, epochs.epochs.back().end_ns);
  return figures;
}

}  // namespace

Result<ExperimentResult> simulate_experiment(const ExperimentSpec& spec,
                                             const ExperimentOptions& options, const Board& board) {
  const Stopwatch watch;
  ExperimentResult result = begin_experiment(spec, options, board.info());
  std::vector<RunSettings> runs;
  for (const RunSettings& run : spec.runs()) {
    std::string missing = missing_knob(spec, run, *board.twin());
    if (missing.empty()) missing = missing_preset(spec, run, board);
    if (missing.empty())
      runs.push_back(run);
    else
      add_distinct(result.left_out, missing);
  }
  if (runs.empty())
    return Error{
        Code::unavailable,
        fmt::format("experiment {} cannot be simulated: {}", spec.name, result.left_out.front()),
        spec.varies_runtime()
            ? "leave --device out: containers run on this machine"
            : "name another --device twin:BOARD, or change what the file asks for"};
  if (spec.fixed.threads > 0) result.left_out.push_back(without_threads(spec.fixed));
  if (!spec.dataset.kind.empty() && runs.front().state != "suspended")
    result.left_out.push_back("[dataset]: on a simulated board each workload has its own data");
  result.wanted = runs.size() * static_cast<size_t>(spec.repeats);
  for (int repeat = 0; repeat < spec.repeats; ++repeat)
    for (const RunSettings& run : runs) {
      FLYBALL_CHECK(check_interrupt(options.interrupted));
      FLYBALL_ASSIGN(RunFigures figures, simulate_run(spec, run, repeat, board));
      if (spec.question == Question::base_load || run.state == "suspended")
        read_at_the_wall(figures, *board.twin());
      note_less_memory(figures, board, result.left_out);
      figures.fingerprint = result.fingerprint;
      result.runs.push_back(std::move(figures));
    }
  result.seconds = watch.seconds();
  return result;
}

}  // namespace flyball
