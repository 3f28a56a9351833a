#include "schedule/scheduler.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "schedule/batch_plan.h"

namespace flyball {
namespace {

constexpr int64_t longest_patience_ns = 60'000'000'000;  // of refusing everybody
constexpr size_t gaps_of_a_rate = 32;                    // the last arrivals tell the present rate
constexpr int arrivals_weighed = 16;                     // then batches are weighed anew
constexpr double expected_share = 0.5;  // of those who are expected, in the batch of a first one

// Arrivals to be reckoned with where so many come on average: two standard deviations more.
double reckoned_with(double mean) {
  return std::ceil(mean + 2 * std::sqrt(mean));
}

}  // namespace

const char* overload_name(Overload overload) {
  return overload == Overload::refuse ? "refuse" : "late";
}

Result<Overload> parse_overload(const std::string& name) {
  for (const Overload policy : {Overload::refuse, Overload::late})
    if (name == overload_name(policy)) return policy;
  return Error{Code::invalid_argument, "'" + name + "' is no policy for overload",
               "refuse or late"};
}

/// Walks through the batches that what waits at a service will be served in.
struct Scheduler::Cursor {
  const Service* service;
  int64_t ahead;  ///< arrivals expected beside those that wait, for the last batch
  bool next_one;  ///< a request that arrives now is still to come
  int64_t next_deadline_ns;
  std::vector<WaitingBatch> batches{};  ///< of a queue that is not plain
  size_t at = 0;                        ///< in them; else in the queue

  Cursor(const Service& of, int64_t arrivals_ahead, int64_t deadline_of_next_ns)
      : service(&of), ahead(arrivals_ahead), next_one(true), next_deadline_ns(deadline_of_next_ns) {
    if (!of.queue.plain()) batches = of.queue.batches(of.rules.largest_batch);
  }
  size_t last() const { return batches.empty() ? service->queue.size() : batches.size(); }
  bool ended() const { return at >= last() && !next_one; }
  double deadline_ns() const {
    if (at >= last()) return static_cast<double>(next_deadline_ns);
    return static_cast<double>(batches.empty() ? service->queue.requests()[at].deadline_ns
                                               : batches[at].deadline_ns);
  }
  /// Samples of the next batch.
  int64_t take() {
    const int64_t most = service->rules.largest_batch;
    int64_t samples = 0;
    if (!batches.empty()) {
      if (at < last()) samples = batches[at++].samples;
      if (samples > 0 && !service->queue.one_shape()) return samples;  // who comes is of another
    } else {
      samples = std::min<int64_t>(most, static_cast<int64_t>(last() - at));
      at += static_cast<size_t>(samples);
    }
    if (at < last() || samples >= most) return samples;
    if (next_one) ++samples;
    next_one = false;
    return std::min(most, samples + ahead);
  }
};

Scheduler::Scheduler(std::vector<ServiceRules> services, std::vector<TrainingRules> trainings,
                     DurationOptions durations, Preference preference)
    : durations_(durations), preference_(preference) {
  for (ServiceRules& rules : services) add(std::move(rules));
  for (TrainingRules& rules : trainings) add(std::move(rules));
}

void Scheduler::add(ServiceRules rules) {
  services_.push_back({std::move(rules), DurationModel(durations_)});
}

void Scheduler::add(TrainingRules rules) {
  trainings_.push_back({std::move(rules), DurationModel(durations_), 0});
}

void Scheduler::replace(size_t service, ServiceRules rules) {
  services_[service] = {std::move(rules), DurationModel(durations_)};
}

void Scheduler::replace(size_t training, TrainingRules rules) {
  trainings_[training] = {std::move(rules), DurationModel(durations_), 0};
}

double Scheduler::answer_ns(const Service& service, int64_t samples) const {
  return service.duration.known() ? service.duration.upper_ns(samples) : 0;
}

double Scheduler::rate_hz(const Service& service, int64_t now_ns) const {
  if (service.arrivals.size() < gaps_of_a_rate / 4) return service.rules.rate_hz;
  const int64_t oldest = service.arrivals.size() < gaps_of_a_rate
                             ? service.arrivals.front()
                             : service.arrivals[service.next_arrival];
  const auto since_ns = static_cast<double>(std::max<int64_t>(1, now_ns - oldest));
  return static_cast<double>(service.arrivals.size() - 1) / since_ns * 1e9;
}

double Scheduler::arrivals_within(const Service& service, int64_t now_ns, double run_ns) const {
  return reckoned_with(rate_hz(service, now_ns) * run_ns * 1e-9);
}

// As rates and durations are now.
void Scheduler::weigh_batches(int64_t now_ns) {
  weighed_for_ = arrivals_weighed;
  double training_ns = 0;
  for (const Training& training : trainings_)
    training_ns += training.duration.known() ? training.duration.typical_ns(1) : 0;
  training_ns /= static_cast<double>(trainings_.size());
  std::vector<BatchedService> services;
  for (const Service& service : services_)
    services.push_back({.rate_hz = rate_hz(service, now_ns) * service.samples,
                        .budget_ns = static_cast<double>(service.rules.within_ns()),
                        .largest_batch = service.rules.largest_batch,
                        .batch_ns = [&service](int64_t batch) {
                          return service.duration.known() ? service.duration.typical_ns(batch) : 0;
                        }});
  const auto gathers = worth_gathering(services, training_ns, preference_);
  for (size_t s = 0; s < services_.size(); ++s)
    services_[s].gathers = services_[s].rules.gathers > 0 ? services_[s].rules.gathers : gathers[s];
}

bool Scheduler::gathered(const Service& service) const {
  return !service.queue.empty() && service.queue.samples_like_front() >= service.gathers;
}

// Batches follow each other by deadline once the run has ended; each is as large as it will be.
// Whom a full queue would turn away meanwhile would be answered otherwise.
bool Scheduler::fits(int64_t now_ns, double run_ns) const {
  if (!std::isfinite(run_ns)) return false;
  std::vector<Cursor> cursors;
  cursors.reserve(services_.size());
  for (const Service& service : services_) {
    const double coming = arrivals_within(service, now_ns, run_ns);
    if (static_cast<double>(service.queue.size()) + coming >
        static_cast<double>(service.rules.queue.bound))
      return false;
    const auto most = static_cast<double>(service.rules.largest_batch);
    if (!service.attended && service.queue.empty()) continue;
    cursors.emplace_back(service, static_cast<int64_t>(std::min(coming, most)),
                         now_ns + service.rules.within_ns());
  }
  double ends_ns = static_cast<double>(now_ns) + run_ns;
  while (true) {
    Cursor* first = nullptr;
    for (Cursor& cursor : cursors)
      if (!cursor.ended() && (!first || cursor.deadline_ns() < first->deadline_ns()))
        first = &cursor;
    if (!first) return true;
    const double deadline_ns = first->deadline_ns();
    ends_ns += answer_ns(*first->service, first->take());
    if (!(ends_ns <= deadline_ns + grain_ns)) return false;
  }
}

int Scheduler::too_short_for(size_t training) const {
  const double run_ns = trainings_[training].duration.upper_ns(1);
  double answers_ns = 0;
  for (const Service& service : services_)
    if (service.attended) answers_ns += answer_ns(service, 1);
  for (size_t s = 0; s < services_.size(); ++s)
    if (services_[s].attended &&
        !(run_ns + answers_ns <= static_cast<double>(services_[s].rules.within_ns()) + grain_ns))
      return static_cast<int>(s);
  return -1;
}

void Scheduler::occupy(int64_t now_ns, double ns) {
  occupied_until_ns_ = static_cast<double>(now_ns) + ns;
  announced_ns_ = 0;
}

double Scheduler::free_ns(int64_t now_ns) const {
  return std::max({static_cast<double>(now_ns), busy_ ? busy_until_ns_ : 0, occupied_until_ns_});
}

// What another service's requests of no later deadline take.
double Scheduler::before_ns(const Service& service, int64_t deadline_ns) const {
  const RequestQueue& queue = service.queue;
  const int64_t most = service.rules.largest_batch;
  if (queue.plain()) {
    const int64_t ahead =
        std::ranges::upper_bound(queue.requests(), deadline_ns, {}, &Waiting::deadline_ns) -
        queue.requests().begin();
    const int64_t whole = ahead / most;
    return static_cast<double>(whole) * service.duration.typical_ns(most) +
           (ahead % most > 0 ? answer_ns(service, ahead % most) : 0);
  }
  double sum_ns = 0, last_ns = 0;
  for (const WaitingBatch& batch : queue.batches(most)) {
    if (batch.deadline_ns > deadline_ns) continue;
    sum_ns += service.duration.typical_ns(batch.samples);
    last_ns = answer_ns(service, batch.samples) - service.duration.typical_ns(batch.samples);
  }
  return sum_ns + last_ns;
}

// What waits in other shapes, and is served no later than a batch of this deadline.
double Scheduler::other_shapes_ns(const Service& own, uint64_t shape, int64_t deadline_ns) const {
  if (own.queue.empty() || (own.queue.one_shape() && own.queue.front().shape == shape)) return 0;
  double sum_ns = 0;
  for (const WaitingBatch& batch : own.queue.batches(own.rules.largest_batch))
    if (batch.shape != shape && batch.deadline_ns <= deadline_ns)
      sum_ns += own.duration.typical_ns(batch.samples);
  return sum_ns;
}

// By how much a request that arrives now misses its deadline. It joins the last batch that waits,
// where the first of that one is in time all the same. Else it is the first of another, which is
// cut where it would be late; so it is judged by a batch that is worth it, with half of those who
// are expected until it begins. By a smaller one each batch would be cut for its first, at a load
// that larger ones can answer.
double Scheduler::late_ns(size_t asked, int64_t samples, uint64_t shape, int64_t now_ns) const {
  const Service& own = services_[asked];
  const int64_t due_ns = now_ns + own.rules.within_ns(), most = own.rules.largest_batch;
  const auto deadline_ns = static_cast<double>(due_ns);
  double begins_ns = free_ns(now_ns) + announced_ns_;
  for (size_t s = 0; s < services_.size(); ++s)
    if (s != asked && services_[s].duration.known()) begins_ns += before_ns(services_[s], due_ns);
  if (!own.duration.known()) return begins_ns - deadline_ns;
  const BatchPlan plan = plan_batches(own.queue, shape, most, own.duration, begins_ns);
  if (plan.last > 0 && plan.last + samples <= most) {
    const double ends_ns = plan.last_begins.then(own.duration, plan.last + samples).upper_ns() +
                           other_shapes_ns(own, shape, plan.last_deadline_ns);
    if (!plan.in_time || ends_ns <= static_cast<double>(plan.last_deadline_ns) + grain_ns)
      return ends_ns - deadline_ns;
  }
  const double others_ns = other_shapes_ns(own, shape, due_ns);
  const double waits_s = (plan.ends.typical_ns + others_ns - static_cast<double>(now_ns)) * 1e-9;
  const double with_expected =
      static_cast<double>(samples) + expected_share * rate_hz(own, now_ns) * own.samples * waits_s;
  const int64_t batch = with_expected < static_cast<double>(most)
                            ? static_cast<int64_t>(with_expected)
                            : std::max(samples, most);
  return plan.ends.then(own.duration, batch).upper_ns() + others_ns - deadline_ns;
}

// A service that refuses everybody for what its own answer takes runs nothing, and so never learns
// that it is faster by now, or was measured at a bad moment. So after a while one request is taken
// all the same, and what that one takes is believed; the while doubles each time, as one that is
// too slow indeed would be late whenever it is tried.
bool Scheduler::doubts_refusals(Service& service, int64_t samples, int64_t now_ns) {
  const auto within_ns = static_cast<double>(service.rules.within_ns());
  if (!service.queue.empty() || !(answer_ns(service, samples) > within_ns + grain_ns)) return false;
  if (service.refusing_since_ns < 0) service.refusing_since_ns = now_ns;
  const int64_t refused_ns = now_ns - service.refusing_since_ns;
  if (refused_ns < std::max(service.patience_ns, service.rules.within_ns())) return false;
  service.refusing_since_ns = -1;
  service.patience_ns = std::min(2 * service.patience_ns, longest_patience_ns);
  service.tried = true;
  return true;
}

Admission Scheduler::arrive(size_t index, uint64_t id, int64_t samples, int64_t now_ns,
                            uint64_t shape) {
  Service& service = services_[index];
  --weighed_for_;
  service.samples += (static_cast<double>(samples) - service.samples) / arrivals_weighed;
  if (service.arrivals.size() < gaps_of_a_rate) {
    service.arrivals.push_back(now_ns);
  } else {
    service.arrivals[service.next_arrival] = now_ns;
    service.next_arrival = (service.next_arrival + 1) % gaps_of_a_rate;
  }
  if (draining_) return {RefusalReason::draining, service.rules.latency_ns};
  const bool refuses = service.rules.queue.overload == Overload::refuse;
  const double late_ns = refuses ? this->late_ns(index, samples, shape, now_ns) : 0;
  const auto retry_ns = [](double after_ns) {
    return static_cast<int64_t>(std::clamp(after_ns, 1e6, 3.6e12));
  };
  if (service.queue.size() >= service.rules.queue.bound) {
    const double place_ns = free_ns(now_ns) - static_cast<double>(now_ns);
    return {RefusalReason::queue_full, retry_ns(std::max(late_ns, place_ns))};
  }
  const bool in_time = late_ns <= grain_ns;
  if (!in_time && !doubts_refusals(service, samples, now_ns)) {
    overloaded_ns_ = now_ns;
    return {RefusalReason::overload, retry_ns(late_ns)};
  }
  service.refusing_since_ns = -1;
  if (in_time) service.patience_ns = shortest_patience_ns;
  service.queue.push({id, now_ns, now_ns + service.rules.within_ns(), samples, shape});
  return {};
}

size_t Scheduler::earliest() const {
  size_t found = services_.size();
  for (size_t s = 0; s < services_.size(); ++s) {
    if (services_[s].queue.empty()) continue;
    if (found == services_.size() ||
        services_[s].queue.front().deadline_ns < services_[found].queue.front().deadline_ns)
      found = s;
  }
  return found;
}

bool Scheduler::start_training(int64_t now_ns, Decision& decision) {
  if (draining_ || trainings_.empty()) return false;
  if (weighed_for_ <= 0) weigh_batches(now_ns);
  if (std::ranges::any_of(services_, [this](const Service& s) { return gathered(s); }))
    return false;
  size_t chosen = trainings_.size();
  for (size_t t = 0; t < trainings_.size(); ++t) {
    const Training& training = trainings_[t];
    if (!training.wants) continue;
    if (chosen < trainings_.size() && !(training.used_ns < trainings_[chosen].used_ns)) continue;
    if (fits(now_ns, training.run_ns())) chosen = t;
  }
  if (chosen == trainings_.size()) return false;
  virtual_ns_ = std::max(virtual_ns_, trainings_[chosen].used_ns);
  decision = {Act::train, chosen, 0};
  busy_until_ns_ = static_cast<double>(now_ns) + trainings_[chosen].run_ns();
  return true;
}

// All that wait, up to the largest batch; fewer where the first would typically be late in that,
// and all can be in time.
int64_t Scheduler::next_batch(const Service& service, int64_t now_ns) const {
  const Waiting& first = service.queue.front();
  const int64_t most = service.rules.largest_batch;
  const int64_t all = std::min(service.queue.samples_like_front(), most);
  const auto left_ns = static_cast<double>(first.deadline_ns - now_ns) + grain_ns;
  const auto in_time = [&](int64_t samples) {
    return service.duration.typical_ns(samples) <= left_ns;
  };
  if (!service.duration.known() || in_time(all) || !in_time(first.samples)) return all;
  const BatchPlan plan =
      plan_batches(service.queue, first.shape, most, service.duration, static_cast<double>(now_ns));
  return plan.in_time ? plan.first : all;
}

Decision Scheduler::start_inference(int64_t now_ns) {
  const size_t who = earliest();
  if (who == services_.size()) return {draining_ ? Act::stop : Act::wait, 0, 0};
  Service& service = services_[who];
  const int64_t most = next_batch(service, now_ns);
  running_ = {Act::infer, who, service.queue.take(most, batch_)};
  busy_until_ns_ = static_cast<double>(now_ns) + answer_ns(service, running_.samples);
  return running_;
}

Decision Scheduler::decide(int64_t now_ns) {
  if (busy_) throw std::logic_error("one workload at a time: what was decided on has not ended");
  batch_.clear();
  if (idle_since_ns_ >= 0 && !draining_)
    for (Training& training : trainings_)
      if (training.wants)
        training.duration.spare(static_cast<double>(now_ns - idle_since_ns_) /
                                training.duration.typical_ns(1));
  Decision decision;
  if (!start_training(now_ns, decision)) decision = start_inference(now_ns);
  running_ = decision;
  busy_ = decision.act == Act::infer || decision.act == Act::train;
  began_ns_ = now_ns;
  idle_since_ns_ = decision.act == Act::wait ? now_ns : -1;
  return decision;
}

void Scheduler::set_largest_batch(size_t service, int64_t samples) {
  services_[service].rules.largest_batch = samples;
  weighed_for_ = 0;
}

void Scheduler::replace_durations(size_t service, DurationModel duration) {
  services_[service].duration = std::move(duration);
  weighed_for_ = 0;
}

void Scheduler::replace_training_duration(size_t training, DurationModel duration) {
  trainings_[training].duration = std::move(duration);
  weighed_for_ = 0;
}

bool switch_cannot_wait(const Scheduler& scheduler, int64_t now_ns, int64_t since_ns,
                        double switch_ns, bool only_in_gap) {
  if (only_in_gap) return false;
  constexpr int64_t patience_ns = 30'000'000'000;
  if (now_ns - since_ns >= patience_ns || scheduler.overloaded_since(since_ns)) return true;
  for (size_t s = 0; s < scheduler.services(); ++s)
    if (!(switch_ns < static_cast<double>(scheduler.service(s).within_ns()))) return true;
  return !scheduler.fits(static_cast<int64_t>(scheduler.free_ns(now_ns)), 0);
}

bool switch_waits(const Scheduler& scheduler, int64_t now_ns, int64_t since_ns, double switch_ns,
                  bool only_in_gap) {
  return !switch_cannot_wait(scheduler, now_ns, since_ns, switch_ns, only_in_gap) &&
         !scheduler.fits(now_ns, switch_ns);
}

}  // namespace flyball
