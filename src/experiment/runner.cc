#include "experiment/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <variant>

#include "base/clock.h"
#include "base/distinct.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/interrupt.h"
#include "device/registry/live_knobs.h"
#include "experiment/base_load.h"
#include "experiment/container_runs.h"
#include "experiment/environment.h"
#include "experiment/experiment_record.h"
#include "experiment/fingerprint.h"
#include "experiment/run_board.h"
#include "experiment/summary.h"
#include "experiment/suspend.h"
#include "profile/characterise/epochs.h"
#include "telemetry/sensors/board_sensors.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/nvidia_gpus.h"
#include "telemetry/sensors/page_cache.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr size_t epoch_units = 100;
constexpr int warm_up_steps = 2;

EpochRequest request_of(const RunSettings& run, const fs::path& data) {
  EpochRequest request;
  request.workload = run.workload;
  request.data = data;
  request.step.phase = run.phase;
  request.step.batch_size = run.batch_size;
  request.step.threads = run.threads;
  request.step.seed = run.seed;
  request.workers = run.workers;
  request.prefetch = run.prefetch;
  request.drop_last = true;
  request.epochs = run.epochs;
  request.steps = run.steps;
  request.keep_minibatches = true;  // their spread, and the first losses
  return request;
}

bool reads_power(const ExperimentOptions& options) {
  return !preferred_total(open_power_sensors(options.root, options.board.gpu)).empty();
}

// A run without power does not serve where power can be read by now.
const StoredFigures* known_run(const ExperimentRecord& record, const RunSettings& run, int repeat,
                               bool reads_power) {
  const StoredFigures* stored = record.find(run, repeat);
  const bool lacks = stored && run.state != "suspended" && stored->figures.power_total.empty();
  return lacks && reads_power ? nullptr : stored;
}

class Runner {
 public:
  Runner(ExperimentResult& result, const ExperimentOptions& options, const RunRequest& request,
         ExperimentRecord& record, RunBoard& board, ContainerRuns* containers)
      : result_(result),
        options_(options),
        request_(request),
        record_(record),
        board_(board),
        containers_(containers),
        spec_(result.spec) {}

  Status run_all() {
    const auto settings = spec_.runs();
    for (int repeat = 0; repeat < spec_.repeats; ++repeat)
      for (const RunSettings& run : settings)
        if (!known(run, repeat)) total_ += static_cast<size_t>(run.epochs) * epoch_units;
    for (int repeat = 0; repeat < spec_.repeats; ++repeat)
      for (const RunSettings& run : runs_in_turn(spec_, repeat))
        FLYBALL_CHECK(run_or_reuse(run, repeat));
    return board_.restore();
  }

 private:
  const StoredFigures* known(const RunSettings& run, int repeat) const {
    return known_run(record_, run, repeat, reads_power_);
  }

  Status run_or_reuse(const RunSettings& run, int repeat) {
    if (const StoredFigures* stored = known(run, repeat)) {
      FLYBALL_CHECK(record_.reuse(*stored));
      result_.runs.push_back(stored->figures);
      ++result_.reused;
      return {};
    }
    what_ = run_label(spec_, run) + (repeat > 0 ? fmt::format(", repeat {}", repeat + 1) : "");
    show(0);
    FLYBALL_ASSIGN(RunFigures figures, run_one(run, repeat));
    figures.device = options_.board.device.name;
    figures.fingerprint = request_.fingerprint;
    figures.conditions = request_.conditions;
    const bool trains = run.state.empty() || run.state == "training";
    if (trains && options_.idle_w && !figures.power_total.empty())
      figures.base_w = options_.idle_w(figures.power_total);
    FLYBALL_CHECK(record_.add(figures));
    result_.runs.push_back(std::move(figures));
    done_ += static_cast<size_t>(run.epochs) * epoch_units;
    return {};
  }

  Result<RunFigures> run_one(const RunSettings& run, int repeat) {
    const auto interrupted = [this] { return is_interrupted(options_.interrupted); };
    FLYBALL_CHECK(board_.prepare(spec_, run));
    if (run.state == "suspended") return watch_suspended(run, repeat, interrupted, options_.root);
    if (run.state == "idle" || run.state == "sampling") {
      FLYBALL_ASSIGN(RunFigures figures, watch_base_load(run, repeat, interrupted, options_));
      return figures;
    }
    FLYBALL_ASSIGN(const fs::path data,
                   dataset_for(spec_, run, options_.data, options_.out / "data"));
    if (!run.runtime.empty()) return containers_->run(run, repeat, data);
    EpochRequest request = request_of(run, data);
    request.step.device = options_.board.compute;
    request.gpu = sensor_number(options_.root, options_.board.compute);
    FLYBALL_CHECK(warm_up(request));
    request.sensors = open_power_sensors(options_.root, options_.board.gpu);
    const bool clocks = !run.dvfs.empty() || !run.power_mode.empty();
    request.context = clocks ? open_clock_sensors(options_.root) : open_board_gpu(options_.root);
    if (clocks) request.context.append(open_board_sensors(options_.root));
    request.interrupted = options_.interrupted;
    FLYBALL_ASSIGN(const RunMemory memory, memory_of(run, data));
    request.cache_bytes = memory.cache;
    const bool limited = memory.limit > 0;
    request.before_epoch = [&](int epoch) -> Status {
      const bool drop =
          run.clear == Clear::epoch || (epoch == 0 && (run.clear == Clear::start || limited));
      return drop ? drop_from_page_cache(data) : Status();
    };
    request.progress = [this](int epoch, int64_t done, int64_t of) {
      show(static_cast<size_t>(epoch) * epoch_units +
           static_cast<size_t>(done) * epoch_units / static_cast<size_t>(std::max<int64_t>(of, 1)));
    };
    FLYBALL_ASSIGN(const auto limits, limits_for(spec_, run, memory, data));
    FLYBALL_ASSIGN(const EpochRun epochs, run_epochs(request));
    if (!epochs.stopped.empty())
      return Error{Code::interrupted, epochs.stopped, "the same command goes on from here"};
    RunFigures figures = figures_of(epochs, run, repeat);
    if (clocks)
      figures.residency =
          residency_of(epochs.traces, epochs.epochs.front().begin_ns, epochs.epochs.back().end_ns);
    return figures;
  }

  // The first steps of a network touch new memory and read its code from disk.
  Status warm_up(EpochRequest request) {
    const auto key = fmt::format("{} {} {} {}", request.workload, request.step.batch_size,
                                 request.step.threads, static_cast<int>(request.step.phase));
    if (key == warm_) return {};
    request.epochs = 1;
    request.sensors = {};
    request.context = {};
    request.steps = warm_up_steps;
    request.interrupted = options_.interrupted;
    FLYBALL_ASSIGN([[maybe_unused]] const EpochRun run, run_epochs(request));
    warm_ = key;
    return {};
  }

  void show(size_t of_run) const {
    if (options_.progress) options_.progress(done_ + of_run, total_, what_);
  }

  ExperimentResult& result_;
  const ExperimentOptions& options_;
  const RunRequest& request_;
  ExperimentRecord& record_;
  RunBoard& board_;
  ContainerRuns* containers_;  ///< null where no run has a runtime
  const ExperimentSpec& spec_;
  const bool reads_power_ = reads_power(options_);
  size_t done_ = 0, total_ = 0;
  std::string what_, warm_;
};

Result<std::unique_ptr<BoardDevice>> open_device(const ExperimentOptions& options) {
  return open_live_knobs(options.board.name, identify_board(options.root), options.root);
}

// What makes a start of an experiment the same as an interrupted one.
RunRequest request_of(const ExperimentSpec& spec, const ExperimentOptions& options,
                      const std::string& fingerprint) {
  Json asked{{"experiment", spec.name},         {"question", question_name(spec.question)},
             {"workload", spec.fixed.workload}, {"fixed", settings_json(spec.fixed)},
             {"vary", Json::object()},          {"repeats", spec.repeats}};
  for (const Varied& varied : spec.vary)
    for (const SettingValue& value : varied.values)
      std::visit([&](const auto& one) { asked["vary"][varied.name].push_back(one); }, value);
  for (const RunSettings& run : spec.listed) asked["runs"].push_back(settings_json(run));
  if (options.fresh) asked["fresh"] = true;  // goes on with its own kind only
  return {options.command, asked.dump(),    options.board.device.name,
          fingerprint,     spec.fixed.seed, experiment_conditions(spec, options, options.board)};
}

Status take_in_earlier(const ExperimentSpec& spec, const ExperimentOptions& options) {
  const fs::path file = options.out / spec.name / "results.jsonl";
  std::error_code ignored;
  if (!options.store || !fs::exists(file, ignored)) return {};
  FLYBALL_ASSIGN(const TakenIn taken, take_in_results(*options.store, file, options.command,
                                                      options.board.device.name, options.out));
  if (!taken.there && options.note)
    options.note(fmt::format("the {} runs of {} are in the store now, as run {}",
                             taken.run.experiment_runs, file.string(), taken.run.id));
  return {};
}

Error explained(Error error, bool kept) {
  if (error.code == Code::interrupted && !kept)
    error.hint =
        "nothing was kept; leave --no-store out, and the same command will go on from where it "
        "was stopped";
  return error;
}

// Null where no run has a runtime. What does not work here is left out, and said.
Result<std::unique_ptr<ContainerRuns>> open_containers(ExperimentSpec& spec,
                                                       const ExperimentOptions& options,
                                                       std::vector<std::string>& left_out) {
  if (!spec.varies_runtime()) return std::unique_ptr<ContainerRuns>();
  FLYBALL_ASSIGN(auto containers, ContainerRuns::open(spec, options));
  left_out = leave_out_runtimes(spec, [&](const std::string& runtime) {
    const std::string missing = missing_runtime(runtime);
    if (!missing.empty()) return missing;
    const Status works = containers->check(runtime);
    return works.ok() ? std::string() : works.error().message;
  });
  FLYBALL_CHECK(check_interrupt(options.interrupted));
  FLYBALL_CHECK(check_runtimes(spec, left_out));
  for (const std::string& one : left_out)
    if (options.note) options.note("left out: " + one);
  return containers;
}

// Of runtimes that were left out when it ran there is nothing.
void leave_out_unmeasured(ExperimentResult& result, const ExperimentOptions& options) {
  result.left_out = leave_out_runtimes(result.spec, [&](const std::string& runtime) {
    const bool measured = std::ranges::any_of(
        result.runs, [&](const RunFigures& run) { return run.settings.runtime == runtime; });
    return measured ? "" : fmt::format("runtime {}: it was not measured", runtime);
  });
  result.wanted = begin_experiment(result.spec, options, options.board).wanted;
}

// What was measured on the board as it is told.
Result<ExperimentResult> load_at(const ExperimentSpec& spec, const ExperimentOptions& options,
                                 const BoardInfo& board) {
  ExperimentResult result = begin_experiment(spec, options, board);
  ExperimentRunFilter here{.run = {}, .fingerprint = result.fingerprint, .own = true};
  FLYBALL_ASSIGN(auto known, stored_figures(*options.store, here));
  if (known.empty()) {  // a store that others were collected into
    here.own = false;
    FLYBALL_ASSIGN(known, stored_figures(*options.store, here));
  }
  const std::set<std::string> asked = keys_of(spec);
  for (const StoredFigures& one : known)
    if (asked.contains(one.key)) result.fingerprint = one.conditions;  // the latest
  for (int repeat = 0; repeat < spec.repeats; ++repeat)
    for (const RunSettings& run : spec.runs())
      if (const StoredFigures* one = latest_of(known, run_key(run, repeat), result.fingerprint))
        result.runs.push_back(one->figures);
  result.reused = result.runs.size();
  if (result.runs.empty())
    return Error{Code::not_found,
                 fmt::format("nothing was measured for experiment {} with this dataset on this "
                             "machine (looked in {} for networks on {})",
                             spec.name, options.store->path().string(), result.compute),
                 "`flyball experiment run FILE` measures it; --device cuda asks for runs on a GPU"};
  leave_out_unmeasured(result, options);
  return result;
}

}  // namespace

ExperimentResult begin_experiment(const ExperimentSpec& spec, const ExperimentOptions& options,
                                  const BoardInfo& board) {
  const bool live = board.provenance == Provenance::measured;
  ExperimentResult result;
  result.spec = spec;
  result.device = board.device.title;
  result.compute = board.compute;
  result.gpu_unused = live && board.may_compute_on_gpu && board.compute == "cpu";
  result.fingerprint = experiment_fingerprint(spec, options, board);
  result.started_utc = wall_clock_utc();
  result.wanted = spec.runs().size() * static_cast<size_t>(spec.repeats);
  return result;
}

Result<ExperimentResult> run_experiment(const ExperimentSpec& asked,
                                        const ExperimentOptions& options) {
  const Stopwatch watch;
  FLYBALL_ASSIGN(auto device, open_device(options));
  ExperimentSpec spec = asked;
  std::vector<std::string> left_out;
  FLYBALL_ASSIGN(const auto containers, open_containers(spec, options, left_out));
  ExperimentResult result = begin_experiment(spec, options, options.board);
  result.left_out = left_out;
  const RunRequest request = request_of(spec, options, result.fingerprint);
  result.fingerprint = with_conditions(request.fingerprint, request.conditions);
  RunBoard board(std::move(device), options.root);
  FLYBALL_CHECK(board.check(spec));
  FLYBALL_CHECK(take_in_earlier(spec, options));
  FLYBALL_ASSIGN(ExperimentRecord record,
                 ExperimentRecord::open(options.store, request, options.fresh));
  if (const std::string again = record.measured_again(spec); !again.empty() && options.note)
    options.note(again);
  const Status ran = Runner(result, options, request, record, board, containers.get()).run_all();
  result.seconds = watch.seconds();
  FLYBALL_CHECK(record.finish(ran, ran.ok() ? experiment_json(result).dump() : ""));
  if (!ran.ok()) return explained(ran.error(), options.store);
  return result;
}

Result<ExperimentResult> load_experiment(const ExperimentSpec& spec,
                                         const ExperimentOptions& options) {
  FLYBALL_CHECK(take_in_earlier(spec, options));
  BoardInfo board = options.board;
  auto result = load_at(spec, options, board);
  if (result || !board.may_compute_on_gpu) return result;
  board.compute = board.compute == "cpu" ? "cuda:0" : "cpu";
  auto other = load_at(spec, options, board);
  return other ? std::move(other) : std::move(result);
}

Status check_experiment(const ExperimentSpec& spec, const ExperimentOptions& options) {
  FLYBALL_ASSIGN(auto device, open_device(options));
  return RunBoard(std::move(device), options.root).check(spec);
}

std::string missing_power(const ExperimentOptions& options) {
  return power_gap(open_power_sensors(options.root, options.board.gpu));
}

bool shows_gpu(const ExperimentOptions& options) {
  const auto gpus = list_nvidia_gpus(options.root);
  return (gpus && !gpus->empty()) || !open_board_gpu(options.root).sensors.empty();
}

Result<std::vector<RunFigures>> held_runs(const ExperimentSpec& spec,
                                          const ExperimentOptions& options) {
  const std::string fingerprint = experiment_fingerprint(spec, options, options.board);
  FLYBALL_ASSIGN(const ExperimentRecord record,
                 ExperimentRecord::look(options.store, request_of(spec, options, fingerprint)));
  const bool power = reads_power(options);
  std::vector<RunFigures> held;
  for (int repeat = 0; repeat < spec.repeats; ++repeat)
    for (const RunSettings& run : spec.runs())
      if (const StoredFigures* one = known_run(record, run, repeat, power))
        held.push_back(one->figures);
  return held;
}

std::string run_label(const ExperimentSpec& spec, const RunSettings& run) {
  std::vector<std::string> names;
  for (const Varied& varied : spec.vary) names.push_back(varied.name);
  const Json own = settings_json(run);
  for (const RunSettings& one : spec.listed) {
    const Json other = settings_json(one);
    for (const std::string& name : setting_names())
      if (other.at(name) != own.at(name)) add_distinct(names, name);
  }
  return settings_label(names, run);
}

}  // namespace flyball
