// Runs of an experiment in containers beside bare ones: Flyball itself, started in each.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "experiment/run_figures.h"
#include "experiment/spec.h"

namespace flyball {

struct ExperimentOptions;

/// What of the machine the containers see is this machine, read-only; they write into one folder.
class ContainerRuns {
 public:
  virtual ~ContainerRuns() = default;

  /// A folder for what they write below that of the experiment. Error: it cannot be made.
  static Result<std::unique_ptr<ContainerRuns>> open(const ExperimentSpec& spec,
                                                     const ExperimentOptions& options);
  /// Makes the runtime ready and starts an empty program in it. Error: why it does not work here.
  virtual Status check(const std::string& runtime) = 0;
  /// The run as a process of its own, in settings.runtime, with the time that the container takes
  /// to start an empty program. Nothing is left of it, whatever ends it. Errors: what the process
  /// said; `interrupted`.
  virtual Result<RunFigures> run(const RunSettings& settings, int repeat,
                                 const std::filesystem::path& data) = 0;
};

/// Takes runtimes out of what varies of which `why` says something else than "", and returns it:
/// "runtime podman: it is not on PATH".
std::vector<std::string> leave_out_runtimes(
    ExperimentSpec& spec, const std::function<std::string(const std::string& runtime)>& why);
/// Why this runtime cannot be started at all: it is not installed; else "".
std::string missing_runtime(const std::string& runtime);
/// Error `unavailable`: nothing is left that can be compared with bare; `left_out` says why.
Status check_runtimes(const ExperimentSpec& spec, const std::vector<std::string>& left_out);

/// Settings of the runs of a repeat, in the order in which they take turns: as they are listed, but
/// runtimes in one that the seed draws.
std::vector<RunSettings> runs_in_turn(const ExperimentSpec& spec, int repeat);

}  // namespace flyball
