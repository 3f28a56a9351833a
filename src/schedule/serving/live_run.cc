#include "schedule/serving/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "base/figure.h"
#include "base/os/file_version.h"
#include "base/os/told_errors.h"
#include "base/parallel.h"
#include "base/random.h"
#include "data/dataset_conditions.h"
#include "schedule/live/arrival_thread.h"
#include "schedule/serving/planned_run.h"

namespace flyball {
namespace {

constexpr double shown_requests = 1500;  // that each point of the page's front is simulated with

// Which mode the board is in, in words; "" where it does not tell.
std::string present_mode(const Device& knobs) {
  const Settings seen = knobs.observed();
  return seen.empty() ? "" : describe(seen);
}

// Trained weights take the place of those served, where the same network is both.
Status promote(const std::map<std::string, std::filesystem::path>& checkpoints,
               const std::vector<InferenceRunner*>& runners) {
  for (InferenceRunner* runner : runners)
    if (const auto kept = checkpoints.find(runner->info().name); kept != checkpoints.end())
      FLYBALL_CHECK(runner->take_weights(kept->second));
  return {};
}

// The batches and threads of the plan, where the rates are known that it was made for.
JobPlace place_of(const std::string& compute, const std::optional<ServingPlan>& plan,
                  bool mode_is_set) {
  JobPlace place{compute};
  if (!plan || !mode_is_set) return place;
  const Settings mode = plan->mode().values;
  if (const auto cores = mode.find(axis::cpu_cores); cores != mode.end())
    place.threads = std::min(static_cast<int>(cores->second), static_cast<int>(usable_cores()));
  return place;
}

Status check_live_measure(const ServeRequest& request, const ProfileSource& profiles,
                          const std::optional<ServingPlan>& plan, bool sets_mode,
                          double switch_ms) {
  if (request.measure == 0) return {};
  if (plan && sets_mode) return check_measure(request, profiles, *plan, switch_ms);
  if (!can_plan_serving(request.train.size(), request.infer.size()))
    return Error{Code::invalid_argument, fmt::format("--measure: {}", planned_roles),
                 "leave one out, or leave --measure out"};
  return Error{Code::unavailable,
               plan ? "--measure: no mode can be set here"
                    : "--measure: there is nothing to plan with, so nothing tells which modes "
                      "promise more",
               plan ? "`flyball doctor` says why; leave it out"
                    : "profile some modes first (`flyball plan`), or name tables with --measured"};
}

// One run of networks on this board. What is declared later ends earlier: the door before what it
// leads to, the knobs, which put back what was set, after all of it.
class LiveRun {
 public:
  LiveRun(ServeRequest request, LiveSetup setup);
  Result<ServedRun> serve();

 private:
  LiveServingOptions serving_options();
  Status plan();
  Status set_mode();
  Status make_jobs();
  Status open_door();
  Status add_trainings(const JobPlace& place);
  Status add_services(const JobPlace& place);
  Status warm_up();
  void note_short_budgets();
  void note_late_arrivals(const std::vector<std::unique_ptr<ArrivalThread>>& threads);
  PlannedRun planned_run();
  Status run();
  Status take_result(const Status& ran);
  Device* knobs() const { return setup_.knobs.get(); }
  bool sets_mode() const { return plan_ && knobs() && plan_->problem.candidates->mode_count() > 1; }
  /// The plan, where the rates are known that it was made for.
  const ServingPlan* followed() const {
    return plan_ && request_.rates_known() ? &*plan_ : nullptr;
  }

  ServeRequest request_;
  LiveSetup setup_;
  ServedRun served_;
  LiveFacts facts_;
  std::string first_mode_;
  std::optional<ServingPlan> plan_;
  double switch_ms_ = 0;
  std::vector<InferenceRunner*> runners_;
  std::map<std::string, std::filesystem::path> checkpoints_;  ///< by network that is trained
  std::atomic<ServingPlanner*> watching_{nullptr};
  std::unique_ptr<HeldMode> held_;  ///< null: no mode can be set
  LiveServing serving_;
  std::unique_ptr<LivePower> power_;
  std::unique_ptr<ServingPlanner> planner_;  // reads it
  std::unique_ptr<RequestDoor> door_;        // after what it leads to: it ends first
};

LiveRun::LiveRun(ServeRequest request, LiveSetup setup)
    : request_(std::move(request)),
      setup_(std::move(setup)),
      held_(knobs() ? std::make_unique<HeldMode>(
                          *knobs(), [this](const std::string& mode) { facts_.set_mode(mode); },
                          setup_.hold_look_s)
                    : nullptr),
      serving_(serving_options()) {
  facts_.device = served_.device = setup_.board.info().device.title;
  facts_.prefer = request_.plan.prefer.text();
  if (knobs()) facts_.set_mode(present_mode(*knobs()));
}

LiveServingOptions LiveRun::serving_options() {
  return {.preference = request_.plan.prefer,
          .checkpoint_s = request_.checkpoint_s,
          .most_spans = request_.most_spans,
          .stop = request_.plan.cancelled,
          .held = held_.get(),
          .arrived =
              [this](size_t service, int64_t now_ns) {
                if (ServingPlanner* planner = watching_) planner->arrived(service, now_ns);
              },
          .ran =
              [this](const Decision& what, int64_t begin_ns, int64_t end_ns) {
                if (ServingPlanner* planner = watching_) planner->ran(what, begin_ns, end_ns);
              },
          .saved = [this] { return request_.promote ? promote(checkpoints_, runners_) : Status(); },
          .begins = [this] { power_->start(); },
          .answered = [this] { power_->stop(); }};
}

Status LiveRun::plan() {
  FLYBALL_CHECK(check_power_budget(request_.plan.power_budget_w, setup_.board));
  const ServedBoard board{setup_.computing, setup_.board.power()->total()};
  FLYBALL_ASSIGN(plan_, plan_live(request_, setup_.profiles, board, knobs(), served_.notes));
  return {};
}

// The plan's mode and trainings.
Status LiveRun::set_mode() {
  switch_ms_ = request_.plan.switch_ms;
  if (sets_mode() && followed()) {
    FLYBALL_ASSIGN(const double took_ms, set_planned_mode(*plan_, *held_));
    if (!(switch_ms_ > 0)) switch_ms_ = took_ms;
  }
  FLYBALL_CHECK(check_live_measure(request_, setup_.profiles, plan_, sets_mode(), switch_ms_));
  if (!followed()) return {};
  served_.plan = plan_->json();
  serving_.plan_trainings(
      std::vector<double>(request_.train.size(), plan_->choice.trainings_per_s));
  return {};
}

Status LiveRun::add_trainings(const JobPlace& place) {
  for (size_t t = 0; t < request_.train.size(); ++t) {
    const std::string& workload = request_.train[t];
    FLYBALL_ASSIGN(StartedTraining started, setup_.jobs.training(workload, place, request_));
    if (started.resumed)
      served_.notes.push_back(fmt::format("{} goes on at epoch {}, minibatch {}", workload,
                                          started.resumed_epoch, started.resumed_minibatches));
    facts_.kept.push_back(!started.checkpoint.empty());
    if (!started.checkpoint.empty()) checkpoints_[workload] = started.checkpoint;
    const double share = t < request_.shares.size() ? request_.shares[t] : 1;
    serving_.add(TrainingRules{.name = workload, .share = share}, std::move(started.runner));
  }
  return {};
}

Status LiveRun::add_services(const JobPlace& place) {
  std::vector<int64_t> planned;  // empty: chosen by warm-up
  if (followed()) planned = plan_->live().plan(plan_->choice.choice).largest_batch;
  planned.resize(request_.infer.size());
  for (size_t s = 0; s < request_.infer.size(); ++s) {
    const std::string& workload = request_.infer[s];
    FLYBALL_ASSIGN(auto runner, setup_.jobs.service(workload, place, request_));
    runners_.push_back(runner.get());
    const double latency_ms = of_service(request_.plan.latencies_ms, s, unlimited);
    facts_.margins_ms.push_back(request_.plan.margin.of_ms(latency_ms));
    serving_.add(
        ServiceRules{.name = workload,
                     .latency_ns = static_cast<int64_t>(latency_ms * 1e6),
                     .largest_batch = request_.batch > 0 ? request_.batch : planned[s],
                     .queue = request_.queue,
                     .rate_hz = request_.arrivals.empty() ? 0 : request_.arrivals[s].rate_hz,
                     .margin_ns = static_cast<int64_t>(facts_.margins_ms.back() * 1e6)},
        std::move(runner));
  }
  return {};
}

// Trainings last: a network that is made anew seeds the random state, which one that goes on takes
// from its checkpoint.
Status LiveRun::make_jobs() {
  const JobPlace place = place_of(setup_.computing.compute, plan_, sets_mode() && followed());
  FLYBALL_CHECK(add_services(place));
  return add_trainings(place);
}

// Once nothing of what the user named can turn out to be wrong.
Status LiveRun::open_door() {
  if (!setup_.open_door) return {};
  if (const ServingPlan* plan = followed(); plan && !request_.train.empty())
    facts_.planned_front = preference_front(plan->live(), plan->choice.choice, request_.arrivals,
                                            {.percentile = request_.percentile,
                                             .requests = shown_requests,
                                             .seed = request_.plan.seed});
  FLYBALL_ASSIGN(door_, setup_.open_door(facts_));
  door_->attach(serving_);
  return {};
}

Status LiveRun::warm_up() {
  power_ = std::make_unique<LivePower>(
      setup_.board.power(), [this] { return serving_.snapshot(); },
      [this](int64_t begin_ns, int64_t end_ns, double watts) {
        serving_.told_power(begin_ns, end_ns, watts);
      });
  FLYBALL_CHECK(serving_.warm_up());
  note_short_budgets();
  first_mode_ = facts_.mode();
  facts_.power = power_.get();
  if (!plan_) return {};
  planner_ = start_planner(request_, *plan_, planned_run());
  watching_ = planner_.get();
  return {};
}

// In a mode that is still to be chosen requests may take another time.
void LiveRun::note_short_budgets() {
  if (sets_mode() && !followed()) return;
  for (size_t s = 0; s < request_.infer.size(); ++s) {
    const double budget_ms = of_service(request_.plan.latencies_ms, s, unlimited);
    const double alone_ms = serving_.alone_ms(s), margin_ms = facts_.margins_ms[s];
    if (std::isinf(alone_ms)) continue;  // warm-up was interrupted: nothing is known
    if (!(alone_ms > budget_ms - margin_ms)) continue;
    served_.notes.push_back(fmt::format(
        "{}: no request can be relied on to be answered within {:g} ms: one alone takes up to {} "
        "ms{} (--latency, --margin)",
        request_.infer[s], budget_ms, upper_figure(alone_ms, 2),
        margin_ms > 0 ? fmt::format(", and {:g} ms are kept for its way", margin_ms) : ""));
  }
}

void LiveRun::note_late_arrivals(const std::vector<std::unique_ptr<ArrivalThread>>& threads) {
  const ServingResult result = serving_.snapshot();
  for (size_t s = 0; s < threads.size(); ++s)
    if (const std::string note = threads[s] ? threads[s]->late_note(result.services[s]) : "";
        !note.empty())
      served_.notes.push_back(note);
}

PlannedRun LiveRun::planned_run() {
  PlannedRun run{.held = sets_mode() ? held_.get() : nullptr,
                 .switch_ms = switch_ms_,
                 .began_ns = serving_.began_ns()};
  run.planned.durations = [this] { return serving_.durations(); };
  run.planned.power_w = [this] { return power_->now_w(); };
  run.planned.change = [this](PlanChange change) { serving_.change(std::move(change)); };
  run.planned.stands = [this] {
    ServingResult result = serving_.snapshot();
    power_->tell(result);
    return result;
  };
  return run;
}

Status LiveRun::run() {
  std::vector<std::unique_ptr<ArrivalThread>> threads(runners_.size());  // null: by HTTP
  for (size_t s = 0; s < runners_.size(); ++s)
    if (request_.arrivals[s].kind != ArrivalKind::http)
      threads[s] = std::make_unique<ArrivalThread>(
          serving_, s, *runners_[s],
          make_arrivals(request_.arrivals[s], mix_seed(request_.plan.seed, s)));
  const Status ran = serving_.run(request_.seconds);
  for (const auto& thread : threads)
    if (thread) thread->end();
  note_late_arrivals(threads);
  if (door_) door_->drain();
  door_.reset();  // its threads may still submit: the result is taken once they have ended
  watching_ = nullptr;
  if (planner_) planner_->stop();
  return ran;
}

// What came of it, and the board as it was before.
Status LiveRun::take_result(const Status& ran) {
  served_.result = serving_.snapshot();
  if (planner_) planner_->tell(served_.result);
  served_.result.mode = first_mode_;
  served_.power_gap = power_->end(served_.result, served_.notes);
  served_.timeline = serving_.timeline();
  served_.spans = serving_.take_spans();
  served_.began_ns = serving_.began_ns();
  if (knobs()) {
    const Status restored = knobs()->restore();
    if (!ran.ok()) return told_together(ran, restored);
    if (!restored.ok()) served_.notes.push_back(restored.error().message);
  }
  return ran;
}

Result<ServedRun> LiveRun::serve() {
  FLYBALL_CHECK(plan());
  FLYBALL_CHECK(set_mode());
  FLYBALL_CHECK(make_jobs());
  FLYBALL_CHECK(open_door());
  FLYBALL_CHECK(warm_up());
  FLYBALL_CHECK(take_result(run()));
  return std::move(served_);
}

// Equal for trainings that may go on with each other.
std::string training_key(const NetworkTraining& asked, const std::filesystem::path& data) {
  ContentHash hash;
  for (const auto& [name, value] : dataset_conditions(*asked.data.dataset, data))
    hash.mix(name + "=" + value + "\n");
  hash.mix(fmt::format("{} {}", asked.batch_size, asked.seed));
  return fmt::format("{:016x}", hash.value());
}

}  // namespace

LiveJobs network_jobs(
    std::function<Result<std::filesystem::path>(const std::string& workload)> folder) {
  LiveJobs jobs;
  jobs.service = [folder](const std::string& workload, const JobPlace& place,
                          const ServeRequest& request) -> Result<std::unique_ptr<InferenceRunner>> {
    NetworkService asked{.workload = workload, .data = {}};
    FLYBALL_ASSIGN(const auto data, folder(workload));
    FLYBALL_ASSIGN(asked.data, open_run_data(workload, data, {}, {}, false));
    asked.device = place.compute;
    asked.threads = place.threads;
    if (request.batch > 0) asked.largest_batch = request.batch;
    asked.seed = request.plan.seed;
    asked.weights = request.weights;
    return make_network_service(asked);
  };
  jobs.training = [folder](const std::string& workload, const JobPlace& place,
                           const ServeRequest& request) -> Result<StartedTraining> {
    NetworkTraining asked{.workload = workload, .data = {}};
    FLYBALL_ASSIGN(const auto data, folder(workload));
    FLYBALL_ASSIGN(asked.data, open_run_data(workload, data, {}, {}, true));
    asked.device = place.compute;
    asked.threads = place.threads;
    asked.batch_size = request.train_batch.value_or(usual_batch_size);
    asked.workers = request.workers.value_or(usual_workers);
    asked.seed = request.plan.seed;
    asked.checkpoint = request.checkpoint_of(workload, training_key(asked, data));
    return make_network_training(asked);
  };
  return jobs;
}

Result<ServedRun> serve_live(ServeRequest request, LiveSetup setup) {
  return LiveRun(std::move(request), std::move(setup)).serve();
}

}  // namespace flyball
