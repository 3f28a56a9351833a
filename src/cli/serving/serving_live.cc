#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/interrupt.h"
#include "base/os/places.h"
#include "base/os/told_errors.h"
#include "base/parallel.h"
#include "base/random.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/report_left.h"
#include "cli/serving/serving.h"
#include "cli/serving/serving_endpoint.h"
#include "cli/serving/serving_profiles.h"
#include "profile/trials/mode_watch.h"
#include "schedule/live/arrival_thread.h"
#include "schedule/live/network_jobs.h"
#include "schedule/planning/live_planner.h"
#include "server/identity.h"
#include "space/named_source.h"
#include "workload/checkpoint.h"
#include "workload/workload.h"

namespace flyball::cli {
namespace {

// Where networks run, and with how many threads.
struct LivePlace {
  std::string compute;
  int threads = 0;                       ///< 0: all there are
  std::vector<int64_t> largest_batch{};  ///< planned, of each service; empty: chosen by warm-up
};
constexpr size_t most_spans = 1'000'000;  // of --trace
constexpr double settled_s = 3;           // after a switch: whole laps of LivePower are of the mode

Result<RunData> data_of(const std::string& workload, const ServeOptions& options, bool training) {
  FLYBALL_ASSIGN(const auto folder,
                 dataset_folder(workload, options.plan.data, options.plan.quiet));
  return open_run_data(workload, folder, {}, {}, training);
}

std::filesystem::path checkpoint_of(const std::string& workload, const ServeOptions& options) {
  if (options.no_checkpoint) return {};
  const std::filesystem::path folder = options.checkpoint.empty()
                                           ? data_folder() / "serve"
                                           : std::filesystem::path(options.checkpoint);
  return folder / (workload + ".ckpt");
}

Result<std::unique_ptr<InferenceRunner>> runner_of(const std::string& workload,
                                                   const ServeOptions& options,
                                                   const LivePlace& place) {
  if (workload == identity_name) return make_identity_runner();
  NetworkService asked;
  asked.workload = workload;
  FLYBALL_ASSIGN(asked.data, data_of(asked.workload, options, false));
  asked.device = place.compute;
  asked.threads = place.threads;
  if (options.batch > 0) asked.largest_batch = options.batch;
  asked.seed = options.plan.request.seed;
  asked.weights = options.weights;
  return make_network_service(asked);
}

Status add_services(const ServeOptions& options, const LivePlace& place, LiveServing& serving,
                    std::vector<InferenceRunner*>& runners) {
  const auto& latencies = options.plan.request.latencies_ms;
  FLYBALL_ASSIGN(const Overload overload, options.overload_policy());
  for (size_t s = 0; s < options.plan.infer.size(); ++s) {
    const std::string& workload = options.plan.infer[s];
    FLYBALL_ASSIGN(auto runner, runner_of(workload, options, place));
    const double latency_ms = of_service(latencies, s, unlimited);
    runners.push_back(runner.get());
    const int64_t planned = s < place.largest_batch.size() ? place.largest_batch[s] : 0;
    serving.add(ServiceRules{.name = workload,
                             .latency_ns = static_cast<int64_t>(latency_ms * 1e6),
                             .largest_batch = options.batch > 0 ? options.batch : planned,
                             .queue_bound = options.queue_bound,
                             .overload = overload,
                             .rate_hz = options.arrivals.empty() ? 0 : options.arrivals[s].rate_hz},
                std::move(runner));
  }
  return {};
}

Status add_trainings(const ServeOptions& options, const LivePlace& place, LiveServing& serving,
                     std::vector<std::string>& notes) {
  for (size_t t = 0; t < options.plan.train.size(); ++t) {
    NetworkTraining asked;
    asked.workload = options.plan.train[t];
    FLYBALL_ASSIGN(asked.data, data_of(asked.workload, options, true));
    asked.device = place.compute;
    asked.threads = place.threads;
    asked.batch_size = options.train_batch.value_or(usual_train_batch);
    asked.workers = options.workers.value_or(usual_workers);
    asked.seed = options.plan.request.seed;
    asked.checkpoint = checkpoint_of(asked.workload, options);
    auto started = make_network_training(asked);
    if (!started.ok()) {
      Error error = started.error();
      if (error.hint.empty())
        error.hint = "--checkpoint names another folder, --no-checkpoint none";
      return error;
    }
    if (started->resumed)
      notes.push_back(fmt::format("{} goes on at epoch {}, minibatch {}", asked.workload,
                                  started->resumed_epoch, started->resumed_minibatches));
    const double share = t < options.shares.size() ? options.shares[t] : 1;
    serving.add(TrainingRules{.name = asked.workload, .share = share}, std::move(started->runner));
  }
  return {};
}

Status write_trace(const ServeOptions& options, const LiveServing& serving) {
  if (options.trace.empty()) return {};
  return write_file(options.trace, chrome_trace({}, serving.spans(), serving.began_ns()));
}

// Which mode the board is in, in words; "" where it does not tell.
std::string present_mode(const Device& knobs) {
  const Settings seen = knobs.observed();
  return seen.empty() ? "" : describe(seen);
}

// Sets the plan's mode, where its rate is known, and says how long that took, in ms.
Result<double> set_planned_mode(const ServingPlan& plan, Device& knobs, LiveFacts& facts) {
  const Stopwatch watch;
  const PowerMode mode = plan.mode();
  FLYBALL_CHECK(knobs.apply(mode));
  settle(knobs, mode, 0);
  facts.set_mode(describe(mode.values));
  return watch.milliseconds();
}

// Trained weights take the place of those served, where the same network is both.
Status promote(const ServeOptions& options, const std::vector<InferenceRunner*>& runners) {
  for (InferenceRunner* runner : runners)
    if (std::ranges::find(options.plan.train, runner->info().name) != options.plan.train.end())
      FLYBALL_CHECK(runner->take_weights(checkpoint_of(runner->info().name, options)));
  return {};
}

LivePlace place_of(const BoardInfo& board, const std::optional<ServingPlan>& plan, bool mode_is_set,
                   bool rate_known) {
  LivePlace place{board.compute, 0, {}};
  if (!plan || !rate_known) return place;
  place.largest_batch = plan->live().plan(plan->choice.choice).largest_batch;
  const Settings mode = plan->mode().values;
  if (const auto cores = mode.find(axis::cpu_cores); mode_is_set && cores != mode.end())
    place.threads = std::min(static_cast<int>(cores->second), static_cast<int>(usable_cores()));
  return place;
}

// Watches from here on; `knobs` null: modes stay as they are.
std::unique_ptr<LivePlanner> make_planner(const ServeOptions& options, const ServingPlan& plan,
                                          Device* knobs, double switch_ms, LiveServing& serving,
                                          const LivePower& power, LiveFacts& facts) {
  Problem problem = plan.problem;
  problem.switch_ms = switch_ms;
  LivePlanned planned;
  planned.durations = [&serving] { return serving.durations(); };
  planned.power_w = [&power] { return power.now_w(); };
  planned.change = [&serving](PlanChange change) { serving.change(std::move(change)); };
  planned.stands = [&serving, &power] {
    LiveResult result = serving.snapshot();
    power.tell(result);
    return result;
  };
  if (knobs)
    planned.set_mode = [knobs, &facts, all = problem.candidates](size_t mode) -> Status {
      const PowerMode wanted = all->modes().trial(mode, "", Phase::infer).mode;
      FLYBALL_CHECK(knobs->apply(wanted));
      facts.set_mode(describe(wanted.values));
      return {};
    };
  LivePlannerOptions watch;
  watch.replan.percentile = options.plan.percentile;
  watch.replan.seed = options.plan.request.seed;
  watch.mode_is_set = knobs && options.rates_known();
  watch.measure = options.measure;
  watch.visit.settle_s = settled_s;
  watch.began_ns = serving.began_ns();
  auto planner =
      std::make_unique<LivePlanner>(std::move(problem), plan.readings, plan.choice.choice,
                                    options.planned_rates_hz(), std::move(planned), watch);
  planner->start();
  return planner;
}

// What is mistyped is told before anybody is told where it listens.
Status check_names(const ServeOptions& options) {
  for (const auto& names : {options.plan.train, options.plan.infer})
    for (const std::string& name : names)
      if (name != identity_name && read_source(name).kind != NamedSource::Kind::script)
        if (const auto known = find_workload(name); !known) return known.error();
  if (options.weights.empty()) return {};
  const auto weights = read_checkpoint(options.weights);
  return weights ? Status() : Status(weights.error());
}

Status check_power_budget(const ServeOptions& options, const Board& board) {
  if (options.plan.request.power_budget_w == unlimited || board.power()->gap().empty()) return {};
  return Error{Code::unavailable, "a power budget cannot be kept: no power is read here",
               "`flyball doctor` says why; serve without --power-budget"};
}

Status check_live_measure(const ServeOptions& options, const std::optional<ServingPlan>& plan,
                          bool sets_mode, double switch_ms) {
  if (options.measure == 0) return {};
  if (plan && sets_mode) return check_measure(options, *plan, switch_ms);
  return Error{Code::unavailable,
               plan ? "--measure: no mode can be set here"
                    : "--measure: there is nothing to plan with, so nothing tells which modes "
                      "promise more",
               plan ? "`flyball doctor` says why; leave it out"
                    : "profile some modes first (`flyball plan`), or name tables with --profiles"};
}

Status check_promotion(const ServeOptions& options) {
  if (!options.promote) return {};
  if (options.no_checkpoint)
    return Error{Code::invalid_argument, "--promote serves what checkpoints hold",
                 "leave --no-checkpoint out"};
  for (const std::string& name : options.plan.infer)
    if (std::ranges::find(options.plan.train, name) != options.plan.train.end()) return {};
  return Error{Code::invalid_argument, "--promote: no network is both served and trained",
               "name the same network with --infer and --train"};
}

// One run of networks on this board. What is declared later ends earlier: the endpoint before what
// it serves, the knobs, which put back what was set, after all of it.
class LiveRun {
 public:
  explicit LiveRun(ServeOptions& options);
  Result<Served> serve();

 private:
  LiveServingOptions serving_options();
  Status open();
  Status set_mode();
  Status make_jobs();
  Status warm_up();
  Status run();
  Status take_result(const Status& ran);
  bool sets_mode() const { return plan_ && device_ && plan_->problem.candidates->mode_count() > 1; }

  ServeOptions& options_;
  Served served_;
  LiveFacts facts_;
  std::string first_mode_;
  std::shared_ptr<MeasuringSession> measuring_;
  std::unique_ptr<Board> board_;
  std::unique_ptr<Device> device_;  ///< null: nothing can be set
  BoardInfo here_;                  ///< where the network computes
  std::optional<ServingPlan> plan_;
  double switch_ms_ = 0;
  std::vector<InferenceRunner*> runners_;
  std::atomic<LivePlanner*> watching_{nullptr};
  LiveServing serving_;
  std::unique_ptr<LivePower> power_;
  std::unique_ptr<LivePlanner> planner_;       // reads it
  std::unique_ptr<ServingEndpoint> endpoint_;  // after what it serves: it ends first
};

LiveRun::LiveRun(ServeOptions& options) : options_(options), serving_(serving_options()) {}

LiveServingOptions LiveRun::serving_options() {
  return {.checkpoint_s = options_.checkpoint_s,
          .most_spans = options_.trace.empty() ? 0 : most_spans,
          .stop = &interrupt_flag(),
          .arrived =
              [this](size_t service, int64_t now_ns) {
                if (LivePlanner* planner = watching_) planner->arrived(service, now_ns);
              },
          .ran =
              [this](const Decision& what, int64_t begin_ns, int64_t end_ns) {
                if (LivePlanner* planner = watching_) planner->ran(what, begin_ns, end_ns);
              },
          .saved = [this] { return options_.promote ? promote(options_, runners_) : Status(); },
          .begins = [this] { power_->start(); },
          .answered = [this] { power_->stop(); }};
}

// The board, what is planned for it, and where it listens.
Status LiveRun::open() {
  FLYBALL_ASSIGN(board_, open_named_board(options_.plan.device, options_.plan.root));
  FLYBALL_ASSIGN(measuring_, begin_measuring(options_.plan.measuring_options));
  facts_.device = served_.device = board_->info().device.title;
  if (auto knobs = board_->knobs(report_left); knobs.ok()) device_ = *std::move(knobs);
  if (device_) facts_.set_mode(present_mode(*device_));
  FLYBALL_CHECK(check_power_budget(options_, *board_));
  here_ = computing_board(board_->info());
  FLYBALL_ASSIGN(
      plan_, plan_live(options_, {here_, board_->power()->total()}, device_.get(), served_.notes));
  if (options_.listens()) {
    FLYBALL_ASSIGN(endpoint_, ServingEndpoint::open(options_, facts_));
  }
  return {};
}

// The plan's mode and trainings, where the rates are known that it was made for.
Status LiveRun::set_mode() {
  switch_ms_ = options_.plan.request.switch_ms;
  if (sets_mode() && options_.rates_known()) {
    FLYBALL_ASSIGN(const double took_ms, set_planned_mode(*plan_, *device_, facts_));
    if (!(switch_ms_ > 0)) switch_ms_ = took_ms;
  }
  FLYBALL_CHECK(check_live_measure(options_, plan_, sets_mode(), switch_ms_));
  if (!plan_ || !options_.rates_known()) return {};
  served_.plan = plan_->json();
  serving_.plan_trainings(
      std::vector<double>(options_.plan.train.size(), plan_->choice.trainings_per_s));
  return {};
}

Status LiveRun::make_jobs() {
  const LivePlace place = place_of(here_, plan_, sets_mode(), options_.rates_known());
  FLYBALL_CHECK(add_trainings(options_, place, serving_, served_.notes));
  FLYBALL_CHECK(add_services(options_, place, serving_, runners_));
  if (endpoint_) endpoint_->attach(serving_);
  return {};
}

Status LiveRun::warm_up() {
  power_ = std::make_unique<LivePower>(
      board_->power(), [this] { return serving_.snapshot(); },
      [this](int64_t begin_ns, int64_t end_ns, double watts) {
        serving_.told_power(begin_ns, end_ns, watts);
      });
  FLYBALL_CHECK(serving_.warm_up());
  first_mode_ = facts_.mode();
  facts_.power = power_.get();
  if (!plan_) return {};
  planner_ = make_planner(options_, *plan_, sets_mode() ? device_.get() : nullptr, switch_ms_,
                          serving_, *power_, facts_);
  watching_ = planner_.get();
  return {};
}

Status LiveRun::run() {
  std::vector<std::unique_ptr<ArrivalThread>> threads;
  for (size_t s = 0; s < runners_.size(); ++s)
    if (options_.arrivals[s].kind != ArrivalKind::http)
      threads.push_back(std::make_unique<ArrivalThread>(
          serving_, s, *runners_[s],
          make_arrivals(options_.arrivals[s], mix_seed(options_.plan.request.seed, s))));
  const Status ran = serving_.run(options_.seconds);
  threads.clear();
  if (endpoint_) endpoint_->drain();
  watching_ = nullptr;
  if (planner_) planner_->stop();
  return ran;
}

// What came of it, and the board as it was before.
Status LiveRun::take_result(const Status& ran) {
  served_.result = serving_.snapshot();
  if (planner_) planner_->tell(served_.result);
  served_.result.mode = first_mode_;
  served_.power_gap = power_->end(served_.result);
  served_.timeline = serving_.timeline();
  if (device_) {
    const Status restored = device_->restore();
    if (!ran.ok()) return told_together(ran, restored);
    if (!restored.ok()) served_.notes.push_back(restored.error().message);
  }
  return ran;
}

Result<Served> LiveRun::serve() {
  FLYBALL_CHECK(open());
  FLYBALL_CHECK(set_mode());
  FLYBALL_CHECK(make_jobs());
  FLYBALL_CHECK(warm_up());
  FLYBALL_CHECK(take_result(run()));
  FLYBALL_CHECK(write_trace(options_, serving_));
  return std::move(served_);
}

}  // namespace

Result<Served> serve_live(ServeOptions& options) {
  if (!options.trace.empty()) FLYBALL_CHECK(check_writable(options.trace));
  FLYBALL_CHECK(check_promotion(options));
  FLYBALL_CHECK(check_names(options));
  LiveRun run(options);
  return run.serve();
}

}  // namespace flyball::cli
