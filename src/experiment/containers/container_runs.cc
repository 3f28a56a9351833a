#include "experiment/container_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/guard.h"
#include "base/os/interrupt.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/text.h"
#include "device/measuring.h"
#include "experiment/containers/runtimes.h"
#include "experiment/limits.h"
#include "experiment/runner.h"
#include "experiment/stored_figures.h"
#include "telemetry/process/command.h"
#include "telemetry/process/output_log.h"
#include "telemetry/process/spawn.h"

extern char** environ;

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr int starts = 3;                // of an empty program, before each run
constexpr int64_t look_ns = 50'000'000;  // how often Ctrl-C is looked at
constexpr double longest_start_s = 30;   // of an empty program
constexpr std::array own_mounts = {"proc", "sys", "dev", "tmp", "run"};
// What a container gets of the environment: where programs and libraries are, and how these
// compute.
constexpr std::array passed_on = {
    "PATH=",           "HOME=",   "LANG=", "LC_",       "TZ=",    "LD_",     "OMP_",
    "GOMP_",           "KMP_",    "MKL_",  "OPENBLAS_", "BLIS_",  "DNNL_",   "ATEN_",
    "TORCH",           "PYTORCH", "CUDA_", "CUBLAS_",   "CUDNN_", "NVIDIA_", "MALLOC",
    "GLIBC_TUNABLES=", "FLYBALL_"};

// Folders of / with this machine's files, and its links.
void list_root(ContainerPlan& plan) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/", ignored)) {
    const std::string name = entry.path().filename();
    const bool own = std::ranges::find(own_mounts, name) != own_mounts.end();
    if (entry.is_symlink(ignored))
      plan.links.emplace_back(entry.path(), fs::read_symlink(entry.path(), ignored).string());
    else if (!own && entry.is_directory(ignored) && ::access(entry.path().c_str(), X_OK) == 0)
      plan.system.push_back(entry.path());
  }
  std::ranges::sort(plan.system);
  std::ranges::sort(plan.links);
}

// Of NVIDIA's GPUs, discrete ones and those of Jetsons.
std::vector<fs::path> gpu_devices() {
  std::vector<fs::path> devices;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev", ignored))
    if (entry.path().filename().string().starts_with("nv") && entry.is_character_file(ignored))
      devices.push_back(entry.path());
  std::ranges::sort(devices);
  return devices;
}

// Two mounts at one place are an error to some runtimes.
void show(ContainerPlan& plan, const fs::path& folder) {
  const auto holds = [&](const fs::path& other) {
    return std::ranges::mismatch(other, folder).in1 == other.end();
  };
  if (std::ranges::none_of(plan.system, holds) && std::ranges::none_of(plan.more, holds))
    plan.more.push_back(folder);
}

Status make_rootfs(const ContainerPlan& plan) {
  std::error_code problem;
  const fs::path root = rootfs_of(plan);
  for (const char* name : own_mounts) fs::create_directories(root / name, problem);
  for (const fs::path& folder : plan.system)
    fs::create_directories(root / folder.relative_path(), problem);
  for (const auto& [link, target] : plan.links)
    fs::create_symlink(target, root / link.relative_path(), problem);
  if (!problem) return {};
  return Error{Code::io, fmt::format("cannot make {}: {}", root.string(), problem.message()), ""};
}

// The settings of a run, but for what this process sees to itself, as an experiment of one run.
std::string child_experiment(const RunSettings& settings) {
  const Json all = settings_json(settings);
  std::string text = "question = \"variability\"\n[fixed]\n";
  for (const auto& [name, value] : all.items()) {
    const bool ours = name == "runtime" || name == "power_mode" || name == "dvfs";
    if (!ours && value != Json(std::string())) text += fmt::format("{} = {}\n", name, value.dump());
  }
  return text;
}

struct Outcome {
  int exit_code = 0;
  double seconds = 0;
  std::string said{};
};

// The last line that says an error, else the last one.
std::string complaint(const std::string& said) {
  std::string last;
  for (const std::string& line : split(said, '\n')) {
    if (line.find("ERROR: ") != std::string::npos || line.find("error: ") != std::string::npos)
      return std::string(trim(line));
    if (!trim(line).empty()) last = std::string(trim(line));
  }
  return last;
}

class Host : public ContainerRuns {
 public:
  Host(const ExperimentOptions& options, TempFolder scratch)
      : options_(options), scratch_(std::move(scratch)) {
    plan_.name = fmt::format("flyball-{}", ::getpid());
    std::error_code ignored;
    plan_.scratch = fs::canonical(scratch_.path(), ignored);
    list_root(plan_);
    if (options_.board.compute != "cpu") plan_.devices = gpu_devices();
    program_ = fs::read_symlink("/proc/self/exe", ignored);
    show(plan_, program_.parent_path().parent_path());  // with lib/ beside bin/
  }
  ~Host() override {
    for (const std::string& runtime : ready_) clean_up(runtime_teardown(runtime, plan_));
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Status check(const std::string& runtime) override {
    if (rootfs_made_ || runtime == "bare") return check_made(runtime);
    remove_left_over_groups();
    FLYBALL_CHECK(make_rootfs(plan_));
    FLYBALL_CHECK(write_file(plan_.scratch / "empty.tar", std::string(10240, '\0')));
    rootfs_made_ = true;
    return check_made(runtime);
  }

  Result<RunFigures> run(const RunSettings& settings, int repeat, const fs::path& data) override {
    std::error_code ignored;
    ContainerPlan plan = plan_;
    const fs::path set = fs::canonical(data, ignored);
    show(plan, set);
    plan.argv = {"/bin/sh", (plan.scratch / "run.sh").string()};
    const fs::path store = plan.scratch / "run.db";
    for (const char* part : {"", "-wal", "-shm"}) fs::remove(store.string() + part, ignored);
    FLYBALL_CHECK(write_file(plan.scratch / "run.toml", child_experiment(settings)));
    FLYBALL_CHECK(write_file(plan.scratch / "run.sh", script(plan, set, store)));
    FLYBALL_ASSIGN(const double start_ms, measure_start(settings.runtime));
    const Disturbance disturbance;
    FLYBALL_ASSIGN(const Outcome outcome, run_in(settings.runtime, plan, 0));
    if (outcome.exit_code != 0) return failed(settings.runtime, outcome);
    FLYBALL_ASSIGN(RunFigures figures, read_back(store, settings.runtime));
    figures.settings = settings;
    figures.repeat = repeat;
    figures.start_ms = start_ms;
    figures.disturbed = disturbance.by();
    return figures;
  }

 private:
  Status check_made(const std::string& runtime) {
    if (const auto setup = runtime_setup(runtime, plan_); !setup.empty()) {
      FLYBALL_ASSIGN(const Outcome made, start(setup, longest_start_s, options_.interrupted));
      if (made.exit_code != 0) return failed(runtime, made);
      ready_.push_back(runtime);
    }
    const auto works = measure_start(runtime);
    return works ? Status() : Status(works.error());
  }

  // Milliseconds until an empty program has run in it.
  Result<double> measure_start(const std::string& runtime) {
    ContainerPlan plan = plan_;
    plan.argv = {"/bin/true"};
    std::vector<double> times;
    for (int i = 0; i < starts; ++i) {
      FLYBALL_ASSIGN(const Outcome outcome, run_in(runtime, plan, longest_start_s));
      if (outcome.exit_code != 0) return failed(runtime, outcome);
      times.push_back(1e3 * outcome.seconds);
    }
    return median(times);
  }

  Result<Outcome> run_in(const std::string& runtime, const ContainerPlan& plan, double longest_s) {
    if (runtime == "runc")
      FLYBALL_CHECK(write_file(plan.scratch / "config.json", runc_config(plan).dump()));
    auto outcome = start(runtime_command(runtime, plan), longest_s, options_.interrupted);
    // One that ended by itself has been removed.
    if (!outcome || outcome->exit_code != 0) clean_up(runtime_removal(runtime, plan));
    return outcome;
  }

  // What has to be done whether or not the user waits for it.
  static void clean_up(const std::vector<std::string>& argv) {
    if (!argv.empty()) (void)start(argv, longest_start_s, nullptr).ok();
  }

  // Its process group ends with it, or with us. 0: however long it takes.
  static Result<Outcome> start(const std::vector<std::string>& argv, double longest_s,
                               const std::atomic<bool>* interrupted) {
    Guard::start();  // no part of the time
    FLYBALL_ASSIGN(const auto output, OutputLog::open(size_t{1} << 16));
    CommandOptions how;
    how.foreground = false;
    how.streams = Streams::all_into(output->descriptor());
    const int64_t begin = monotonic_ns();
    FLYBALL_ASSIGN(const auto command, RunningCommand::start(argv, how));
    const int64_t latest = begin + static_cast<int64_t>(longest_s * 1e9);
    while (!command->wait_until(monotonic_ns() + look_ns)) {
      if (is_interrupted(interrupted))
        return Error{Code::interrupted, "interrupted", "the same command goes on from here"};
      if (longest_s > 0 && monotonic_ns() > latest)
        return Error{Code::unavailable, fmt::format("{} took more than {:g} s", argv[0], longest_s),
                     ""};
    }
    Outcome outcome;
    outcome.seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
    command->finish(false);
    outcome.exit_code = command->exit_code();
    outcome.said = output->text();
    return outcome;
  }

  static Error failed(const std::string& runtime, const Outcome& outcome) {
    const std::string why = complaint(outcome.said);
    return {Code::unavailable,
            fmt::format("runtime {}: {}", runtime,
                        why.empty() ? fmt::format("it ended with {}", outcome.exit_code) : why),
            fmt::format("leave {} out of runtime = […], or mend it; what was measured is kept",
                        runtime)};
  }

  // The same for each runtime: an environment that says the same, and Flyball. Its names and its
  // journal are its own, so that it neither sees nor disturbs this process.
  std::string script(const ContainerPlan& plan, const fs::path& data, const fs::path& store) const {
    std::string text = "#!/bin/sh\n";
    for (char** entry = environ; *entry; ++entry) {
      const std::string variable = *entry;
      const size_t equals = variable.find('=');
      if (equals == std::string::npos) continue;
      if (std::ranges::any_of(passed_on, [&](const char* p) { return variable.starts_with(p); }))
        text += fmt::format("export {}={}\n", variable.substr(0, equals),
                            shell_word(variable.substr(equals + 1)));
    }
    text += fmt::format("export TMPDIR=/tmp FLYBALL_MACHINE={} FLYBALL_STATE={}\n",
                        "in-" + plan.name, shell_word((plan.scratch / "state").string()));
    std::vector<std::string> words = {program_.string(),
                                      "experiment",
                                      "run",
                                      (plan.scratch / "run.toml").string(),
                                      "--data",
                                      data.string(),
                                      "--store",
                                      store.string(),
                                      "--out",
                                      plan.scratch.string(),
                                      "--device",
                                      options_.board.name.text(),
                                      "--force",
                                      "--quiet",
                                      "--json"};
    return text + "exec " + shell_line(words) + "\n";
  }

  static Result<RunFigures> read_back(const fs::path& file, const std::string& runtime) {
    FLYBALL_ASSIGN(Store store, Store::open(file, {.create = false}));
    FLYBALL_ASSIGN(std::vector<StoredFigures> figures, stored_figures(store, {}));
    if (figures.size() == 1) return std::move(figures.front().figures);
    return Error{Code::corrupt, fmt::format("runtime {}: the run left no figures", runtime), ""};
  }

  const ExperimentOptions& options_;
  TempFolder scratch_;
  ContainerPlan plan_;
  fs::path program_;
  std::vector<std::string> ready_;  ///< runtimes with an image to take back
  bool rootfs_made_ = false;
};

}  // namespace

Result<std::unique_ptr<ContainerRuns>> ContainerRuns::open(const ExperimentSpec& spec,
                                                           const ExperimentOptions& options) {
  std::error_code problem;
  const fs::path folder = fs::absolute(options.out / spec.name, problem);
  fs::create_directories(folder, problem);
  FLYBALL_ASSIGN(TempFolder scratch, TempFolder::make(folder));
  return std::unique_ptr<ContainerRuns>(std::make_unique<Host>(options, std::move(scratch)));
}

std::vector<std::string> leave_out_runtimes(
    ExperimentSpec& spec, const std::function<std::string(const std::string&)>& why) {
  std::vector<std::string> left_out;
  for (Varied& varied : spec.vary) {
    if (varied.name != "runtime") continue;
    std::erase_if(varied.values, [&](const SettingValue& value) {
      const std::string reason = why(setting_text(value));
      if (!reason.empty()) left_out.push_back(reason);
      return !reason.empty();
    });
  }
  return left_out;
}

std::string missing_runtime(const std::string& runtime) {
  const std::string program = runtime_program(runtime);
  if (program.empty() || !found_on_path(program).empty()) return "";
  return fmt::format("runtime {}: {} is not on PATH (package {})", runtime, program,
                     runtime_package(runtime));
}

Status check_runtimes(const ExperimentSpec& spec, const std::vector<std::string>& left_out) {
  for (const Varied& varied : spec.vary)
    if (varied.name == "runtime" && varied.values.size() > 1 &&
        std::ranges::count(varied.values, SettingValue("bare")) == 1)
      return {};
  return Error{Code::unavailable,
               fmt::format("experiment {}: no runtime works here that could stand beside bare: {}",
                           spec.name, join(left_out, "; ")),
               "install one, e.g. the package bubblewrap"};
}

std::vector<RunSettings> runs_in_turn(const ExperimentSpec& spec, int repeat) {
  std::vector<RunSettings> runs = spec.runs();
  if (!spec.varies_runtime()) return runs;
  Random random(mix_seed(spec.fixed.seed, static_cast<uint64_t>(repeat)));
  random.shuffle(std::span(runs));
  return runs;
}

}  // namespace flyball
