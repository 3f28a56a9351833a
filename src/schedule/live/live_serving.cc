#include "schedule/live/live_serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/clock.h"
#include "base/os/interrupt.h"
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

// Of each request: is there an answer, and can its client be told it?
std::vector<Status> what_can_be_told(const std::vector<InferRequest>& requests,
                                     const Answers& answers) {
  if (!answers.ok()) return std::vector<Status>(requests.size(), answers.error());
  std::vector<Status> told;
  for (size_t i = 0; i < requests.size(); ++i)
    told.push_back(requests[i].can_tell ? requests[i].can_tell((*answers)[i]) : Status());
  return told;
}

}  // namespace

LiveServing::LiveServing(LiveServingOptions options)
    : options_(std::move(options)),
      execution_(*this, {options_.durations, options_.preference, true}) {
  execution_.result().energy_j = not_measured;
}

void LiveServing::add(ServiceRules rules, std::unique_ptr<InferenceRunner> runner) {
  infos_.push_back(runner->info());
  infos_.back().latency_s = static_cast<double>(rules.latency_ns) * 1e-9;
  shapes_.emplace_back(infos_.back().inputs);
  asked_batch_.push_back(rules.largest_batch);
  rules.largest_batch = std::max<int64_t>(1, rules.largest_batch);
  execution_.add(std::move(rules));
  execution_.result().services.back().energy_j = not_measured;
  runners_.push_back(std::move(runner));
}

void LiveServing::add(TrainingRules rules, std::unique_ptr<TrainingRunner> runner) {
  execution_.add(std::move(rules));
  execution_.result().trainings.back().energy_j = not_measured;
  trainings_.push_back(std::move(runner));
}

Status LiveServing::warm_up_service(size_t s) {
  Scheduler& scheduler = execution_.scheduler();
  const int64_t most = asked_batch_[s] > 0
                           ? asked_batch_[s]
                           : std::min(largest_chosen_batch, infos_[s].largest_batch);
  const Stopwatch watch;
  for (int64_t batch = 1;; batch = std::min(most, 2 * batch)) {
    const std::vector<InferRequest> one = {runners_[s]->example(batch)};
    std::vector<double> took_ns;
    for (size_t i = 0; i <= warm_up_runs && (i < 3 || watch.seconds() < options_.warm_up_s); ++i) {
      if (is_interrupted(options_.stop)) return {};
      const Stopwatch run;
      const auto answers = runners_[s]->run(one);
      if (!answers.ok()) return answers.error().within(infos_[s].name);
      if (i > 0) took_ns.push_back(run.seconds() * 1e9);
    }
    scheduler.inference_time(s).expect(batch, median(took_ns));
    if (batch == most || watch.seconds() > options_.warm_up_s) return {};
    if (asked_batch_[s] == 0 &&
        3 * median(took_ns) > static_cast<double>(scheduler.service(s).latency_ns))
      return {};
  }
}

Status LiveServing::warm_up_training(size_t t) {
  std::vector<double> took_ns;
  const Stopwatch watch;
  for (size_t i = 0; i <= warm_up_runs && (i < 3 || watch.seconds() < options_.warm_up_s); ++i) {
    if (is_interrupted(options_.stop)) return {};
    const Stopwatch run;
    const Status stepped = trainings_[t]->step();
    if (!stepped.ok()) return stepped.error().within(execution_.scheduler().training(t).name);
    if (i > 0) took_ns.push_back(run.seconds() * 1e9);
  }
  execution_.scheduler().training_time(t).expect(1, median(took_ns));
  return {};
}

int64_t LiveServing::chosen_batch(size_t s) const {
  const Scheduler& scheduler = execution_.scheduler();
  const DurationModel& times = scheduler.inference_time(s);
  double longest_ns = 0;
  for (size_t t = 0; t < trainings_.size(); ++t)
    longest_ns = std::max(longest_ns, scheduler.training_time(t).upper_ns(1));
  const auto budget_ns = static_cast<double>(scheduler.service(s).within_ns());
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
  for (size_t t = 0; t < trainings_.size(); ++t) FLYBALL_CHECK(warm_up_training(t));
  for (size_t s = 0; s < runners_.size(); ++s) FLYBALL_CHECK(warm_up_service(s));
  if (options_.begins) options_.begins();
  const std::lock_guard lock(mutex_);
  Scheduler& scheduler = execution_.scheduler();
  for (size_t s = 0; s < runners_.size(); ++s) {
    if (asked_batch_[s] == 0) scheduler.set_largest_batch(s, chosen_batch(s));
    infos_[s].largest_batch = scheduler.service(s).largest_batch;
  }
  unsaved_ = !trainings_.empty();
  saved_ns_ = monotonic_ns();
  RunningPlan plan;
  plan.trainings_per_s = trainings_per_s_;
  execution_.begin(std::move(plan), saved_ns_, &timeline_);
  ready_ = true;
  return {};
}

InferAnswer LiveServing::turn_away(size_t s) {
  InferAnswer answer = Serving::turn_away(s);
  const std::lock_guard lock(mutex_);
  if (execution_.scheduler().draining()) answer.refused = RefusalReason::draining;
  execution_.refuse(s, monotonic_ns());
  return answer;
}

void LiveServing::submit(size_t s, InferRequest request) {
  if (options_.arrived && ready_) options_.arrived(s, monotonic_ns());
  std::unique_lock lock(mutex_);
  Admission admission;
  if (!ready_ && !execution_.scheduler().draining()) {
    admission = {RefusalReason::not_ready, 1'000'000'000};
    execution_.refuse(s, monotonic_ns());
  } else {
    admission =
        execution_.arrive(s, ++next_id_, request.samples, monotonic_ns(), shapes_[s].of(request));
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

void LiveServing::end_requests() {
  ready_ = false;
  execution_.scheduler().drain();
}

void LiveServing::drain() {
  {
    const std::lock_guard lock(mutex_);
    end_requests();
  }
  arrived_.notify_all();
}

void LiveServing::change(PlanChange change) {
  const std::lock_guard lock(mutex_);
  execution_.change(std::move(change), monotonic_ns());
}

void LiveServing::told_power(int64_t begin_ns, int64_t end_ns, double watts) {
  const std::lock_guard lock(mutex_);
  const int64_t ended_ns = execution_.ended_ns();
  timeline_.power(begin_ns, ended_ns > 0 ? std::min(end_ns, ended_ns) : end_ns, watts);
}

JobDurations LiveServing::durations() const {
  const std::lock_guard lock(mutex_);
  return execution_.durations();
}

double LiveServing::alone_ms(size_t service) const {
  const std::lock_guard lock(mutex_);
  return 1e-6 * execution_.scheduler().inference_time(service).upper_ns(1);
}

void LiveServing::note(const std::string& track, std::string name, int64_t begin_ns,
                       int64_t end_ns) {
  if (spans_.size() < options_.most_spans)
    spans_.push_back({track, std::move(name), begin_ns, end_ns});
}

int64_t LiveServing::now_ns() const {
  return monotonic_ns();
}

bool LiveServing::look() {
  if (monotonic_ns() >= execution_.until_ns() || is_interrupted(options_.stop)) end_requests();
  execution_.hold_mode(options_.held, *turn_);
  return true;
}

void LiveServing::wait() {
  const double left_s = static_cast<double>(execution_.until_ns() - monotonic_ns()) * 1e-9;
  arrived_.wait_for(*turn_, std::chrono::duration<double>(std::min(look_s, left_s)));
}

bool LiveServing::switches(const PlanChange& change) const {
  return change.set_mode && !(change.mode_is_set && change.mode_is_set());
}

Status LiveServing::set_mode(const PlanChange& change) {
  turn_->unlock();  // requests come in meanwhile
  const int64_t begin_ns = monotonic_ns();
  const Status set = [&] {
    const WholeWork whole;  // nobody looks at the stop meanwhile, and requests are owed answers
    return change.set_mode();
  }();
  note("mode", change.why.mode, begin_ns, monotonic_ns());
  turn_->lock();
  return set;
}

void LiveServing::run(const Decision& what) {
  if (what.act == Act::infer) return answer(what);
  failed_ = train(what);
  if (failed_.ok()) failed_ = save_when_due(false);
  if (!failed_.ok()) end_requests();
}

void LiveServing::answer(const Decision& what) {
  const size_t s = what.who;
  const std::span<const Waiting> waited = execution_.scheduler().batch();  // until it decides again
  std::vector<InferRequest> requests;
  for (const Waiting& one : waited) {
    requests.push_back(std::move(accepted_.extract(one.id).mapped()));
    shapes_[s].give_back(requests.back());
  }
  turn_->unlock();
  const int64_t begin_ns = monotonic_ns();
  auto answers = [&] {
    const WholeWork whole;  // likewise
    return run_network(*runners_[s], requests);
  }();
  const std::vector<Status> told = what_can_be_told(requests, answers);
  const int64_t end_ns = monotonic_ns();
  std::vector<bool> failed;
  for (const Status& status : told) failed.push_back(!status.ok());
  turn_->lock();
  execution_.ended(what, begin_ns, end_ns, answers.ok() ? Ending::whole : Ending::failed, failed);
  turn_->unlock();
  if (options_.ran) options_.ran(what, begin_ns, end_ns);
  note(infos_[s].name, fmt::format("batch of {}", what.samples), begin_ns, end_ns);
  for (size_t i = 0; i < requests.size(); ++i) {
    InferAnswer answer{told[i].ok() ? Result<std::vector<StoredTensor>>(std::move((*answers)[i]))
                                    : told[i].error()};
    answer.latency_s = static_cast<double>(end_ns - waited[i].arrived_ns) * 1e-9;
    answer.batch = what.samples;
    requests[i].done(std::move(answer));
  }
  requests.clear();
  turn_->lock();
}

Status LiveServing::train(const Decision& what) {
  const std::string& name = execution_.scheduler().training(what.who).name;
  if (checkpoint_due(execution_.scheduler().free_ns(0))) execution_.pause_follows(saving_ns());
  turn_->unlock();
  const int64_t begin_ns = monotonic_ns();
  const Status stepped = run_guarded([&] { return trainings_[what.who]->step(); });
  const int64_t end_ns = monotonic_ns();
  turn_->lock();
  execution_.ended(what, begin_ns, end_ns, stepped.ok() ? Ending::whole : Ending::failed);
  if (!stepped.ok()) return stepped.error().within(name);
  execution_.result().trainings[what.who].loss = trainings_[what.who]->loss();
  unsaved_ = true;
  if (options_.ran) options_.ran(what, begin_ns, end_ns);
  note(name, fmt::format("minibatch {}", execution_.result().trainings[what.who].minibatches),
       begin_ns, end_ns);
  return {};
}

// From half the interval on in a gap that is long enough, as a training minibatch would be; at the
// latest after the interval, and when all has ended.
Status LiveServing::save_when_due(bool at_end) {
  if (!unsaved_) return {};
  const int64_t now_ns = monotonic_ns();
  if (!at_end && static_cast<double>(now_ns - saved_ns_) * 1e-9 < options_.checkpoint_s / 2)
    return {};
  Scheduler& scheduler = execution_.scheduler();
  execution_.pause_follows(0);
  if (!at_end && !checkpoint_due(static_cast<double>(now_ns)) &&
      !scheduler.fits(now_ns, saving_ns()))
    return {};
  scheduler.occupy(now_ns, saving_ns());
  turn_->unlock();
  const Status saved = [&] {
    const WholeWork whole;
    return save_all(at_end);
  }();
  saved_ns_ = monotonic_ns();
  turn_->lock();
  scheduler.release();
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
      all = told_together(
          all, saved.error().within("checkpoint of " + execution_.scheduler().training(t).name));
  }
  return all.ok() && options_.saved && !at_end ? run_guarded(options_.saved) : all;
}

Status LiveServing::run(double seconds) {
  std::unique_lock lock(mutex_);
  turn_ = &lock;
  execution_.run(seconds > 0 ? began_ns() + static_cast<int64_t>(seconds * 1e9)
                             : std::numeric_limits<int64_t>::max());
  ready_ = false;
  execution_.end(monotonic_ns());
  lock.unlock();
  if (options_.answered) options_.answered();
  lock.lock();
  return told_together(failed_, save_when_due(true));
}

ServingResult LiveServing::snapshot() const {
  const std::lock_guard lock(mutex_);
  ServingResult result = execution_.result();
  if (began_ns() > 0 && !(result.seconds > 0))
    result.seconds = static_cast<double>(monotonic_ns() - began_ns()) * 1e-9;
  for (size_t s = 0; s < result.services.size(); ++s)
    result.services[s].waiting = execution_.scheduler().waiting(s);
  return result;
}

}  // namespace flyball
