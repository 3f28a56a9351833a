#include "schedule/live/live_serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/clock.h"
#include "base/os/told_errors.h"
#include "base/statistics.h"
#include "problem/problem.h"

namespace flyball {
namespace {

constexpr int64_t largest_chosen_batch = 64;
constexpr size_t warm_up_runs = 8;  // of each size; the first is slow and does not count
constexpr double look_s = 0.1;      // how often a thread that waits looks for the stop

InferAnswer refusal(const Admission& admission, const std::string& name, double budget_s) {
  InferAnswer answer{Error{Code::unavailable,
                           fmt::format("{}: {}", name, refusal_name(admission.refused)),
                           "try again later"}};
  if (admission.refused == RefusalReason::overload)
    answer.outputs = Error{Code::unavailable,
                           fmt::format("{} cannot answer within {:g} ms now", name, budget_s * 1e3),
                           "try again later, or ask for fewer requests at once"};
  answer.refused = admission.refused;
  answer.retry_after_s = static_cast<double>(admission.retry_after_ns) * 1e-9;
  return answer;
}

// What a network throws is an error like one that it returns: it ends these requests, not the
// program.
template <class Run>
auto run_guarded(Run run) -> decltype(run()) {
  try {
    return run();
  } catch (const std::exception& thrown) {
    return Error{Code::internal, thrown.what(), ""};
  }
}

using Answers = Result<std::vector<std::vector<StoredTensor>>>;

// Answers of all requests, or why there are none, in one line.
Answers run_network(InferenceRunner& runner, const std::vector<InferRequest>& requests) {
  Answers answers = run_guarded([&] { return runner.run(requests); });
  if (answers.ok() && answers->size() == requests.size()) return answers;
  const std::string why = answers.ok() ? fmt::format("it gave {} answers to {} requests",
                                                     answers->size(), requests.size())
                                       : answers.error().message;
  return Error{answers.ok() ? Code::internal : answers.error().code,
               fmt::format("{} could not run: {}", runner.info().name,
                           why.substr(0, why.find_first_of("\r\n"))),
               ""};
}

}  // namespace

void LiveServing::add(ServiceRules rules, std::unique_ptr<InferenceRunner> runner) {
  infos_.push_back(runner->info());
  infos_.back().latency_s = static_cast<double>(rules.latency_ns) * 1e-9;
  result_.services.push_back({.name = rules.name,
                              .budget_ms = static_cast<double>(rules.latency_ns) * 1e-6,
                              .energy_j = not_measured});
  service_rules_.push_back(std::move(rules));
  runners_.push_back(std::move(runner));
}

void LiveServing::add(TrainingRules rules, std::unique_ptr<TrainingRunner> runner) {
  training_rules_.push_back(std::move(rules));
  trainings_.push_back(std::move(runner));
}

Status LiveServing::warm_up_service(size_t s) {
  const int64_t most = service_rules_[s].largest_batch > 0
                           ? service_rules_[s].largest_batch
                           : std::min(largest_chosen_batch, infos_[s].largest_batch);
  const Stopwatch watch;
  for (int64_t batch = 1;; batch = std::min(most, 2 * batch)) {
    const std::vector<InferRequest> one = {runners_[s]->example(batch)};
    std::vector<double> took_ns;
    for (size_t i = 0; i <= warm_up_runs && (i < 3 || watch.seconds() < options_.warm_up_s); ++i) {
      if (options_.stop && *options_.stop) return {};
      const Stopwatch run;
      const auto answers = runners_[s]->run(one);
      if (!answers.ok()) return answers.error().within(infos_[s].name);
      if (i > 0) took_ns.push_back(run.seconds() * 1e9);
    }
    scheduler_->inference_time(s).expect(batch, median(took_ns));
    if (batch == most || watch.seconds() > options_.warm_up_s) return {};
    if (service_rules_[s].largest_batch == 0 &&
        3 * median(took_ns) > static_cast<double>(service_rules_[s].latency_ns))
      return {};
  }
}

Status LiveServing::warm_up_training(size_t t) {
  std::vector<double> took_ns;
  const Stopwatch watch;
  for (size_t i = 0; i <= warm_up_runs && (i < 3 || watch.seconds() < options_.warm_up_s); ++i) {
    if (options_.stop && *options_.stop) return {};
    const Stopwatch run;
    const Status stepped = trainings_[t]->step();
    if (!stepped.ok()) return stepped.error().within(training_rules_[t].name);
    if (i > 0) took_ns.push_back(run.seconds() * 1e9);
  }
  scheduler_->training_time(t).expect(1, median(took_ns));
  return {};
}

int64_t LiveServing::chosen_batch(size_t s) const {
  DurationModel& times = scheduler_->inference_time(s);
  double longest_ns = 0;
  for (size_t t = 0; t < trainings_.size(); ++t)
    longest_ns = std::max(longest_ns, scheduler_->training_time(t).upper_ns(1));
  const auto budget_ns = static_cast<double>(service_rules_[s].latency_ns);
  if (times.upper_ns(1) + longest_ns > budget_ns) longest_ns = 0;  // training cannot run anyway
  int64_t chosen = 1;
  for (int64_t batch = 2; batch <= std::min(largest_chosen_batch, infos_[s].largest_batch);
       batch *= 2) {
    const double batch_ns = times.upper_ns(batch);
    if (batch_ns + longest_ns <= budget_ns && 3 * batch_ns <= budget_ns) chosen = batch;
  }
  return chosen;
}

Status LiveServing::warm_up() {
  {
    const std::lock_guard lock(mutex_);
    std::vector<ServiceRules> rules = service_rules_;
    for (ServiceRules& one : rules) one.largest_batch = std::max<int64_t>(1, one.largest_batch);
    scheduler_ = std::make_unique<Scheduler>(std::move(rules), training_rules_, options_.durations);
    for (const ServiceInfo& info : infos_) shapes_.emplace_back(info.inputs);
    for (const TrainingRules& one : training_rules_)
      result_.trainings.push_back({.name = one.name, .energy_j = not_measured});
    result_.energy_j = not_measured;
    std::vector<std::string> services, trainings;
    for (const ServiceRules& one : service_rules_) services.push_back(one.name);
    for (const TrainingRules& one : training_rules_) trainings.push_back(one.name);
    timeline_ = LiveTimeline(std::move(services), std::move(trainings));
  }
  for (size_t t = 0; t < trainings_.size(); ++t) FLYBALL_CHECK(warm_up_training(t));
  for (size_t s = 0; s < runners_.size(); ++s) FLYBALL_CHECK(warm_up_service(s));
  if (options_.begins) options_.begins();
  const std::lock_guard lock(mutex_);
  for (size_t s = 0; s < runners_.size(); ++s) {
    if (service_rules_[s].largest_batch == 0) scheduler_->set_largest_batch(s, chosen_batch(s));
    result_.services[s].planned_batch = scheduler_->service(s).largest_batch;
    infos_[s].largest_batch = scheduler_->service(s).largest_batch;
  }
  unsaved_ = !trainings_.empty();
  began_ns_ = saved_ns_ = plan_since_ns_ = monotonic_ns();
  timeline_.begin(began_ns_);
  for (size_t s = 0; s < runners_.size(); ++s)  // who came too early counts where it begins
    for (size_t i = 0; i < result_.services[s].refused; ++i)
      timeline_.arrived(s, began_ns_, true, 0);
  ready_ = true;
  return {};
}

void LiveServing::count_arrival(size_t s, int64_t now_ns, bool refused) {
  ServiceResult& service = result_.services[s];
  const size_t waiting = scheduler_ ? scheduler_->waiting(s) : 0;
  ++service.arrived;
  if (refused) ++service.refused;
  service.largest_queue = std::max(service.largest_queue, waiting);
  if (began_ns_ > 0)
    timeline_.arrived(s, ended_ns_ > 0 ? std::min(now_ns, ended_ns_ - 1) : now_ns, refused,
                      waiting);
}

InferAnswer LiveServing::turn_away(size_t s) {
  InferAnswer answer = Serving::turn_away(s);
  const std::lock_guard lock(mutex_);
  if (scheduler_ && scheduler_->draining()) answer.refused = RefusalReason::draining;
  count_arrival(s, monotonic_ns(), true);
  return answer;
}

void LiveServing::submit(size_t s, InferRequest request) {
  if (options_.arrived && ready_) options_.arrived(s, monotonic_ns());
  std::unique_lock lock(mutex_);
  Admission admission;
  if (!ready_ && (!scheduler_ || !scheduler_->draining())) {
    admission = {RefusalReason::not_ready, 1'000'000'000};
    count_arrival(s, monotonic_ns(), true);
  } else {
    const int64_t now_ns = monotonic_ns();
    scheduler_->announce(coming_pause_ns(now_ns));
    admission = scheduler_->arrive(s, ++next_id_, request.samples, now_ns, shapes_[s].of(request));
    count_arrival(s, now_ns, admission.refused != RefusalReason::none);
  }
  if (admission.refused == RefusalReason::none) {
    shapes_[s].keep(request);
    accepted_.emplace(next_id_, std::move(request));
    lock.unlock();
    arrived_.notify_one();
    return;
  }
  lock.unlock();
  request.done(refusal(admission, infos_[s].name, infos_[s].latency_s));
}

void LiveServing::drain() {
  {
    const std::lock_guard lock(mutex_);
    ready_ = false;
    if (scheduler_) scheduler_->drain();
  }
  arrived_.notify_all();
}

void LiveServing::change(LiveChange change) {
  const std::lock_guard lock(mutex_);
  if (!change_ || change_->only_in_gap) change_since_ns_ = monotonic_ns();
  change_ = std::move(change);
}

void LiveServing::told_power(int64_t begin_ns, int64_t end_ns, double watts) {
  const std::lock_guard lock(mutex_);
  timeline_.power(begin_ns, ended_ns_ > 0 ? std::min(end_ns, ended_ns_) : end_ns, watts);
}

LiveDurations LiveServing::durations() const {
  const std::lock_guard lock(mutex_);
  LiveDurations now;
  for (size_t s = 0; s < runners_.size(); ++s)
    now.services.push_back(
        scheduler_->inference_time(s).typical_ns(scheduler_->service(s).largest_batch));
  for (size_t t = 0; t < trainings_.size(); ++t)
    now.trainings.push_back(scheduler_->training_time(t).typical_ns(1));
  return now;
}

// What the plan until now has trained by its own figures.
void LiveServing::count_planned(int64_t now_ns) {
  const double seconds = static_cast<double>(now_ns - plan_since_ns_) * 1e-9;
  for (size_t t = 0; t < trainings_per_s_.size(); ++t)
    result_.trainings[t].planned =
        result_.trainings[t].planned.value_or(0) + trainings_per_s_[t] * seconds;
  plan_since_ns_ = now_ns;
}

// Does the plan that waits set another mode?
bool LiveServing::change_switches() const {
  return change_ && change_->set_mode && !(change_->mode_is_set && change_->mode_is_set());
}

// What will have the accelerator when what runs has ended, before anybody is served.
double LiveServing::coming_pause_ns(int64_t now_ns) const {
  const double switch_ns = change_switches() ? change_->switch_s * 1e9 : 0;
  const bool switches = switch_ns > 0 && switch_cannot_wait(*scheduler_, now_ns, change_since_ns_,
                                                            switch_ns, change_->only_in_gap);
  return checkpoint_follows_ns_ + (switches ? switch_ns : 0);
}

void LiveServing::follow_change(std::unique_lock<std::mutex>& lock) {
  if (!change_ || scheduler_->draining()) return;
  const int64_t begin_ns = monotonic_ns();
  const bool switches = change_switches();
  if (switches && switch_waits(*scheduler_, begin_ns, change_since_ns_, change_->switch_s * 1e9,
                               change_->only_in_gap))
    return;
  LiveChange change = std::move(*change_);
  change_.reset();
  change.why.at_s = static_cast<double>(begin_ns - began_ns_) * 1e-9;
  count_planned(begin_ns);
  if (switches) {
    scheduler_->occupy(begin_ns, change.switch_s * 1e9);
    lock.unlock();  // requests come in meanwhile
    const Status set = change.set_mode();
    const int64_t end_ns = monotonic_ns();
    note("mode", change.why.mode, begin_ns, end_ns);
    lock.lock();
    scheduler_->release();
    timeline_.switched(begin_ns, end_ns);
    result_.switching_s += static_cast<double>(end_ns - begin_ns) * 1e-9;
    if (!set.ok()) {
      change.why.why += ", but the mode cannot be set: " + set.error().message;
      result_.planned_anew(std::move(change.why));
      if (change.followed) change.followed();
      return;
    }
    ++result_.switches;
    change.why.switched = true;
    for (size_t s = 0; s < change.services.size(); ++s)
      scheduler_->replace_durations(s, std::move(change.services[s]));
    for (size_t t = 0; t < change.trainings.size(); ++t)
      scheduler_->replace_training_duration(t, std::move(change.trainings[t]));
  }
  for (size_t s = 0; s < change.largest_batch.size(); ++s) {
    scheduler_->set_largest_batch(s, change.largest_batch[s]);
    result_.services[s].planned_batch = change.largest_batch[s];
  }
  trainings_per_s_ = std::move(change.trainings_per_s);
  result_.planned_anew(std::move(change.why));
  if (change.followed) change.followed();
}

void LiveServing::note(const std::string& track, std::string name, int64_t begin_ns,
                       int64_t end_ns) {
  if (spans_.size() < options_.most_spans)
    spans_.push_back({track, std::move(name), begin_ns, end_ns});
}

// What to do now; waits for an arrival where there is nothing.
Decision LiveServing::next(std::unique_lock<std::mutex>& lock, int64_t until_ns) {
  while (true) {
    int64_t now_ns = monotonic_ns();
    if (now_ns >= until_ns || (options_.stop && *options_.stop)) {
      ready_ = false;
      scheduler_->drain();
    }
    follow_change(lock);
    now_ns = monotonic_ns();
    const Decision decision = scheduler_->decide(now_ns);
    const double took_s = static_cast<double>(monotonic_ns() - now_ns) * 1e-9;
    ++result_.decisions;
    deciding_s_ += took_s;
    longest_decision_s_ = std::max(longest_decision_s_, took_s);
    checkpoint_follows_ns_ =
        decision.act == Act::train && checkpoint_due(scheduler_->free_ns(now_ns)) ? saving_ns() : 0;
    if (decision.act != Act::wait) return decision;
    const double left_s = static_cast<double>(until_ns - now_ns) * 1e-9;
    arrived_.wait_for(lock, std::chrono::duration<double>(std::min(look_s, left_s)));
  }
}

void LiveServing::answer(const Decision& decision, std::vector<InferRequest> requests,
                         const std::vector<Waiting>& waited) {
  const size_t s = decision.who;
  const int64_t begin_ns = monotonic_ns();
  auto answers = run_network(*runners_[s], requests);
  const int64_t end_ns = monotonic_ns();
  {
    const std::lock_guard lock(mutex_);
    scheduler_->ended(end_ns, !answers.ok());
    ServiceResult& service = result_.services[s];
    int64_t longest_ns = 0;
    for (const Waiting& one : waited) {
      const int64_t latency_ns = end_ns - one.arrived_ns;
      longest_ns = std::max(longest_ns, latency_ns);
      if (answers.ok())
        timeline_.answered(s, end_ns, latency_ns, service.answer(latency_ns));
      else
        ++service.failed;
    }
    if (!answers.ok()) timeline_.failed(s, end_ns, waited.size());
    timeline_.served(s, begin_ns, end_ns, decision.samples, longest_ns);
    ++service.batches;
    service.samples += static_cast<size_t>(decision.samples);
    service.largest_batch = std::max(service.largest_batch, decision.samples);
    service.busy_s += static_cast<double>(end_ns - begin_ns) * 1e-9;
  }
  if (options_.ran) options_.ran(decision, begin_ns, end_ns);
  note(infos_[s].name, fmt::format("batch of {}", decision.samples), begin_ns, end_ns);
  for (size_t i = 0; i < requests.size(); ++i) {
    InferAnswer answer{answers.ok() ? Result<std::vector<StoredTensor>>(std::move((*answers)[i]))
                                    : answers.error()};
    answer.latency_s = static_cast<double>(end_ns - waited[i].arrived_ns) * 1e-9;
    answer.batch = decision.samples;
    requests[i].done(std::move(answer));
  }
}

Status LiveServing::train(size_t t) {
  const int64_t begin_ns = monotonic_ns();
  const Status stepped = run_guarded([&] { return trainings_[t]->step(); });
  const int64_t end_ns = monotonic_ns();
  const std::lock_guard lock(mutex_);
  scheduler_->ended(end_ns, !stepped.ok());
  if (!stepped.ok()) return stepped.error().within(training_rules_[t].name);
  TrainingResult& training = result_.trainings[t];
  ++training.minibatches;
  training.busy_s += static_cast<double>(end_ns - begin_ns) * 1e-9;
  unsaved_ = true;
  timeline_.trained(t, begin_ns, end_ns);
  if (options_.ran) options_.ran({Act::train, t, 0}, begin_ns, end_ns);
  note(training_rules_[t].name, fmt::format("minibatch {}", training.minibatches), begin_ns,
       end_ns);
  return {};
}

// From half the interval on in a gap that is long enough, as a training minibatch would be; at the
// latest after the interval, and when all has ended.
Status LiveServing::save_when_due(bool at_end) {
  if (!unsaved_) return {};
  const int64_t now_ns = monotonic_ns();
  if (!at_end && static_cast<double>(now_ns - saved_ns_) * 1e-9 < options_.checkpoint_s / 2)
    return {};
  {
    const std::lock_guard lock(mutex_);
    checkpoint_follows_ns_ = 0;
    if (!at_end && !checkpoint_due(static_cast<double>(now_ns)) &&
        !scheduler_->fits(now_ns, saving_ns()))
      return {};
    scheduler_->occupy(now_ns, saving_ns());
  }
  const Status saved = save_all(at_end);
  saved_ns_ = monotonic_ns();
  const std::lock_guard lock(mutex_);
  scheduler_->release();
  if (!saved.ok()) return saved;
  saving_.observe(1, static_cast<double>(saved_ns_ - now_ns));
  note("checkpoint", "saved", now_ns, saved_ns_);
  if (!at_end) timeline_.saved(now_ns, saved_ns_);
  unsaved_ = false;
  return {};
}

bool LiveServing::checkpoint_due(double at_ns) const {
  return at_ns - static_cast<double>(saved_ns_) >= options_.checkpoint_s * 1e9;
}

double LiveServing::saving_ns() const {
  return saving_.known() ? saving_.upper_ns(1) : 0;
}

// One that cannot be kept leaves the others theirs.
Status LiveServing::save_all(bool at_end) {
  Status all;
  for (size_t t = 0; t < trainings_.size(); ++t) {
    const Status saved = run_guarded([&] { return trainings_[t]->save(); });
    if (!saved.ok())
      all = told_together(all, saved.error().within("checkpoint of " + training_rules_[t].name));
  }
  return all.ok() && options_.saved && !at_end ? run_guarded(options_.saved) : all;
}

Status LiveServing::run(double seconds) {
  const int64_t until_ns = seconds > 0 ? began_ns_ + static_cast<int64_t>(seconds * 1e9)
                                       : std::numeric_limits<int64_t>::max();
  Status failed;
  while (true) {
    std::unique_lock lock(mutex_);
    const Decision decision = next(lock, until_ns);
    if (decision.act == Act::stop) break;
    if (decision.act == Act::train) {
      lock.unlock();
      Status trained = train(decision.who);
      if (trained.ok()) trained = save_when_due(false);
      if (trained.ok()) continue;
      failed = trained;
      drain();
      continue;
    }
    const std::vector<Waiting> waited(scheduler_->batch().begin(), scheduler_->batch().end());
    std::vector<InferRequest> requests;
    for (const Waiting& one : waited) {
      requests.push_back(std::move(accepted_.extract(one.id).mapped()));
      shapes_[decision.who].give_back(requests.back());
    }
    lock.unlock();
    answer(decision, std::move(requests), waited);
  }
  ready_ = false;
  end_result();
  if (options_.answered) options_.answered();
  return told_together(failed, save_when_due(true));
}

void LiveServing::end_result() {
  const std::lock_guard lock(mutex_);
  ended_ns_ = monotonic_ns();
  result_.seconds = static_cast<double>(ended_ns_ - began_ns_) * 1e-9;
  count_planned(ended_ns_);
  timeline_.end(ended_ns_);
  for (size_t t = 0; t < trainings_.size(); ++t)
    if (const int s = scheduler_->too_short_for(t); s >= 0 && result_.trainings[t].minibatches == 0)
      result_.training_blocked = fmt::format(
          "{} did not train: a minibatch of it ({:.3g} ms) and an answer of {} take longer than "
          "its "
          "latency budget of {:g} ms",
          training_rules_[t].name, scheduler_->training_time(t).upper_ns(1) * 1e-6,
          infos_[static_cast<size_t>(s)].name, result_.services[static_cast<size_t>(s)].budget_ms);
}

LiveResult LiveServing::snapshot() const {
  const std::lock_guard lock(mutex_);
  LiveResult result = result_;
  if (began_ns_ > 0 && !(result.seconds > 0))
    result.seconds = static_cast<double>(monotonic_ns() - began_ns_) * 1e-9;
  if (scheduler_)
    for (size_t s = 0; s < result.services.size(); ++s)
      result.services[s].waiting = scheduler_->waiting(s);
  return result;
}

}  // namespace flyball
