#include "broker/broker_run.h"

#include <algorithm>
#include <cmath>

#include "base/os/told_errors.h"
#include "schedule/live/live_power.h"

namespace flyball {
namespace {

constexpr size_t planner_first = 5;  // windows beyond the budget that are the planner's to end

// What binds the broker alone, and none of its clients, is as it was for them: the highest.
Settings not_for_others(const Device* knobs) {
  Settings fixed;
  if (!knobs) return fixed;
  for (const AxisState& state : knobs->states())
    if (state.own && !state.axis.values.empty()) fixed[state.axis.name] = state.axis.values.back();
  return fixed;
}

// What is declared later ends earlier: who watches before the broker and its power.
class BrokerRun {
 public:
  BrokerRun(BrokerRequest request, BrokerSetup setup)
      : request_(std::move(request)), setup_(std::move(setup)) {
    request_.expected.queue = turn_queue;
    if (knobs()) held_ = std::make_unique<HeldMode>(*knobs(), nullptr, setup_.hold_look_s);
  }
  Result<BrokerResult> run();

 private:
  Status begin();
  Status plan();
  Status hold_mode();
  void expect_clients();
  void watch();
  BrokerResult result();
  Device* knobs() const { return setup_.knobs.get(); }
  const ServeRequest& expected() const { return request_.expected; }
  bool plans() const { return !expected().train.empty() || !expected().infer.empty(); }
  bool sets_mode() const { return plan_ && knobs() && plan_->problem.candidates->mode_count() > 1; }
  bool keeps_budget() const { return expected().plan.power_budget_w != unlimited; }

  BrokerRequest request_;
  BrokerSetup setup_;
  std::vector<std::string> notes_;
  std::optional<ServingPlan> plan_;
  double switch_ms_ = 0;
  std::string mode_;  ///< that it begins in, where it is held or chosen
  std::atomic<ServingPlanner*> planning_{nullptr};
  std::atomic<BrokerWatch*> watching_{nullptr};
  std::unique_ptr<HeldMode> held_;  ///< null: no mode can be set
  std::unique_ptr<Broker> broker_;
  std::unique_ptr<LivePower> power_;
  std::unique_ptr<ServingPlanner> planner_;
  std::unique_ptr<BrokerWatch> watch_;
};

Status BrokerRun::hold_mode() {
  if (request_.mode.values.empty()) return {};
  if (!knobs())
    return Error{Code::unavailable, "no mode can be set here", "`flyball doctor` says why"};
  FLYBALL_CHECK(check_mode(axes_for_others(*knobs()), request_.mode));
  FLYBALL_CHECK(held_->set(request_.mode));
  mode_ = describe(request_.mode.values);
  return {};
}

Status BrokerRun::plan() {
  if (!plans()) return {};
  ServedBoard board{setup_.computing, setup_.board.power()->total(), not_for_others(knobs())};
  auto planned = plan_live(request_.expected, setup_.profiles, board, knobs(), notes_);
  const bool unprofiled =
      !planned && planned.error().code == Code::not_found && setup_.profiles.files.empty();
  if (!planned && !unprofiled) return planned.error();
  if (unprofiled)
    notes_.push_back(in_one_line(planned.error()) +
                     (keeps_budget() ? ": modes are found by trying"
                                     : ": no mode is chosen (with --power-budget by trying)"));
  if (planned) plan_ = *std::move(planned);
  switch_ms_ = expected().plan.switch_ms;
  if (!sets_mode() || !expected().rates_known()) return {};
  FLYBALL_ASSIGN(const double took_ms, set_planned_mode(*plan_, *held_));
  if (!(switch_ms_ > 0)) switch_ms_ = took_ms;
  mode_ = describe(plan_->mode().values);
  return {};
}

Status BrokerRun::begin() {
  FLYBALL_CHECK(check_power_budget(expected().plan.power_budget_w, setup_.board));
  FLYBALL_CHECK(hold_mode());
  FLYBALL_CHECK(plan());
  BrokerOptions& options = setup_.options;
  options.asked = [this](size_t service, int64_t now_ns) {
    if (ServingPlanner* planner = planning_) planner->arrived(service, now_ns);
  };
  if (plan_ && expected().rates_known()) {
    options.plan = plan_->live().plan(plan_->choice.choice);
    options.plan.largest_batch.clear();  // a turn is one request
    options.plan.trainings_per_s.assign(expected().train.size(), plan_->choice.trainings_per_s);
  }
  options.plan.mode_text = mode_;
  options.held = held_.get();
  broker_ = std::make_unique<Broker>(std::move(setup_.sockets), options);
  expect_clients();
  return {};
}

// In the order of the plan's roles.
void BrokerRun::expect_clients() {
  for (const std::string& name : expected().train) broker_->expect({.name = turn_name(name)});
  const std::vector<double> rates_hz = expected().planned_rates_hz();
  for (size_t s = 0; s < expected().infer.size(); ++s) {
    const double latency_ms = of_service(expected().plan.latencies_ms, s, unlimited);
    broker_->expect({.name = turn_name(expected().infer[s]),
                     .service = true,
                     .latency_ns = std::llround(latency_ms * 1e6)},
                    rates_hz[s]);
  }
}

// Where there is a plan, its planner sets modes; what no mode can do is left to the watch.
void BrokerRun::watch() {
  if (plan_) {
    PlannedRun run{.held = sets_mode() ? held_.get() : nullptr, .switch_ms = switch_ms_};
    run.planned.durations = [this] { return broker_->durations(); };
    run.planned.power_w = [this] { return power_->now_w(); };
    run.planned.change = [this](PlanChange change) { broker_->change(std::move(change)); };
    planner_ = start_planner(expected(), *plan_, std::move(run));
    planning_ = planner_.get();
  }
  if (!keeps_budget()) return;
  TurnWatchOptions options = request_.watch;
  options.budget_w = expected().plan.power_budget_w;
  if (plan_) options.patience = planner_first;
  const bool climbs = !plan_ && request_.mode.values.empty() && knobs();
  const ModeLadder ladder =
      climbs ? mode_ladder(*knobs(), setup_.board.presets()) : ModeLadder{{{}}};
  if (!plan_ && !ladder.climbs())
    notes_.push_back(request_.mode.values.empty()
                         ? "no mode can be set here for other processes: the power budget is kept "
                           "by what trainings may have of the time"
                         : "the mode is held: the power budget is kept by what trainings may have "
                           "of the time");
  watch_ = std::make_unique<BrokerWatch>(*broker_, ladder.climbs() ? held_.get() : nullptr, ladder,
                                         options);
  watch_->start();
  watching_ = watch_.get();
}

BrokerResult BrokerRun::result() {
  BrokerResult result = broker_->result();
  result.power_gap = power_->end(result.serving, notes_);
  result.mode = mode_;
  if (plan_ && expected().rates_known()) result.plan = plan_->json();
  if (keeps_budget()) result.budget_w = expected().plan.power_budget_w;
  result.notes.insert(result.notes.begin(), notes_.begin(), notes_.end());
  return result;
}

Result<BrokerResult> BrokerRun::run() {
  const Status begun = begin();
  const auto put_back = [&] { return knobs() ? knobs()->restore() : Status(); };
  if (!begun.ok()) return told_together(begun, put_back()).error();
  power_ = std::make_unique<LivePower>(
      setup_.board.power(), [this] { return broker_->serving(); },
      [this](int64_t begin_ns, int64_t end_ns, double watts) {
        if (BrokerWatch* watch = watching_) watch->told_power(begin_ns, end_ns, watts);
      },
      request_.watch.lap_s);
  power_->start();
  watch();
  if (setup_.begins) setup_.begins(*broker_);
  broker_->run();
  planning_ = nullptr;
  if (planner_) planner_->stop();
  if (watch_) watch_->stop();
  BrokerResult done = result();
  if (const Status restored = put_back(); !restored.ok())
    done.notes.push_back(in_one_line(restored.error()));
  return done;
}

}  // namespace

std::string turn_name(const std::string& workload) {
  std::string name = workload.substr(0, turn_name_bytes);
  std::ranges::replace_if(
      name,
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '.' || c == '_' || c == '-');
      },
      '-');
  return name;
}

Result<BrokerResult> run_broker(BrokerRequest request, BrokerSetup setup) {
  return BrokerRun(std::move(request), std::move(setup)).run();
}

}  // namespace flyball
