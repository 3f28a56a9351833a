#include "cli/commands/verify/verify_tune.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/interrupt.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "cli/board.h"
#include "data/makers/make.h"
#include "module/module.h"
#include "tune/tune.h"

namespace flyball::cli {
namespace {

constexpr const char* tiny_network = "lenet5";
constexpr int64_t few_digits = 600;
constexpr const char* shell_loop = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";

Result<TuneResult> run_tune(const ShortTune& request, bool network) {
  ProfilerOptions options;
  options.root = request.root.string();
  options.axes.texts = request.axes;
  options.quiet = true;
  options.trial_seconds = request.trial_s;
  FLYBALL_ASSIGN(const TempFolder folder, TempFolder::make());
  if (network) {
    options.workload = tiny_network;
    options.data = (folder / "digits").string();
    FLYBALL_CHECK(make_dataset("digits", few_digits, options.data));
  } else {
    options.program = {"sh", "-c", shell_loop};
  }
  FLYBALL_ASSIGN(const OpenedProfiler opened, open_profiler(options));
  Request tune_request;
  tune_request.kind = "tune";
  tune_request.profiles = request.trials;
  tune_request.profiles_asked = true;
  tune_request.verify = false;
  tune_request.cancelled = &interrupt_flag();
  tune_request.command = "flyball verify-board";
  return tune(*opened.profiler, nullptr, tune_request);
}

CheckedStep judged(const TuneResult& result, const std::string& what) {
  CheckedStep step{.name = "tune"};
  size_t good = 0;
  for (const Observation& trial : result.profiled) {
    const Measurement& measured = trial.measurement;
    const bool failed = !measured.failure.empty();
    if (!failed) ++good;
    step.details.push_back(fmt::format("{}: {}", describe(trial.settings), reading_text(trial)));
  }
  for (const SetAside& trial : result.set_aside)
    step.details.push_back(fmt::format("{}: {}", describe(trial.settings), trial.reason));
  step.found = fmt::format("{} of {} trials of {} measured", good, result.profiled.size(), what);
  if (good == 0 || good < result.profiled.size() || !result.choice) {
    step.verdict = Verdict::failed;
    step.hint = "`flyball tune` on this board shows the same; the bundle tells which mode failed";
  }
  return step;
}

}  // namespace

Result<CheckedStep> short_tune(const ShortTune& request) {
  const bool network = check_module().ok();
  const std::string what = network ? tiny_network : "a shell's loop";
  const auto result = run_tune(request, network);
  if (result) return judged(*result, what);
  if (result.error().code == Code::interrupted) return result.error();
  return CheckedStep{.name = "tune",
                     .verdict = Verdict::failed,
                     .found = fmt::format("{}: {}", what, result.error().message),
                     .hint = result.error().hint};
}

}  // namespace flyball::cli
