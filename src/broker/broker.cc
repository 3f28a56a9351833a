#include "broker/broker.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "base/figure.h"
#include "base/os/interrupt.h"
#include "problem/problem.h"

namespace flyball {
namespace {

constexpr size_t most_jobs = 64;           // names that are known at once
constexpr int64_t look_ns = 100'000'000;   // how often it looks for the stop, and for the silent
constexpr size_t most_told = 200;          // lines; a client could say anything for ever …
constexpr size_t most_refusals_told = 20;  // … so few of those that anybody can bring about
constexpr double usual_gap_share = 0.1;    // of a turn: a longer gap is not waited for
constexpr double least_gap_ns = 1e6;       // but one of a millisecond always is

std::string role_text(const TurnRole& role) {
  return role.service
             ? fmt::format("a service within {:g} ms", static_cast<double>(role.latency_ns) * 1e-6)
             : fmt::format("a training with share {:g}", role.share);
}

// What the scheduler had of somebody who is gone is taken over.
template <class Rules, class Results>
size_t placed(Execution& execution, Rules rules, std::vector<size_t>& free, Results& results) {
  size_t index = results.size();
  if (free.empty()) {
    execution.add(std::move(rules));
  } else {
    index = free.back();
    free.pop_back();
    execution.replace(index, std::move(rules));
  }
  results[index].energy_j = not_measured;
  return index;
}

}  // namespace

Broker::Broker(TurnSockets sockets, BrokerOptions options)
    : sockets_(std::move(sockets)),
      options_(std::move(options)),
      execution_(*this, ExecutionOptions{.measured = true}) {
  execution_.result().energy_j = not_measured;
}

int Broker::adopt(OwnedSocket socket) {
  const std::lock_guard lock(mutex_);
  const int id = sockets_.adopt(std::move(socket));
  clients_[id] = {.since_ns = monotonic_ns()};
  return id;
}

void Broker::tell_of_client(const std::string& line) {
  if (!options_.tell || ++told_ > most_told) return;
  options_.tell(
      told_ < most_told ? line : line + " (what clients bring about from now on is only counted)");
}

void Broker::run() {
  const std::unique_lock lock(mutex_);
  const int64_t now = monotonic_ns();
  free_ns_ = now;
  execution_.begin(options_.plan, now, nullptr);
  execution_.run(options_.seconds > 0 ? now + nanoseconds(options_.seconds)
                                      : std::numeric_limits<int64_t>::max());
  execution_.end(monotonic_ns());
  tell_replans();
  load_.look();
}

int64_t Broker::now_ns() const {
  return monotonic_ns();
}

bool Broker::ends() const {
  return monotonic_ns() >= execution_.until_ns() || is_interrupted(options_.stop);
}

// Whatever comes meanwhile is taken. Returns when it woke.
int64_t Broker::pump(int64_t until_ns) {
  mutex_.unlock();
  const bool found = sockets_.wait(until_ns);
  const int64_t woke_ns = monotonic_ns();
  mutex_.lock();
  if (found) sockets_.take([this](const TurnEvent& event) { take(event); });
  expel_silent(monotonic_ns());
  return woke_ns;
}

bool Broker::look() {
  if (ends()) execution_.scheduler().drain();
  execution_.hold_mode(options_.held, mutex_);
  tell_replans();
  end_pause();
  wait_for_the_one_behind();
  return true;
}

void Broker::wait() {
  behind_.reset();
  note_kept_out();
  const int64_t look_at_ns = monotonic_ns() + look_ns;
  free_ns_ = pump(std::min(
      {execution_.until_ns(), look_at_ns, paused_until_ns_ > 0 ? paused_until_ns_ : look_at_ns}));
}

// Nothing runs though a training asks: a budget may be too short for it. The service may have gone
// when the result is told.
void Broker::note_kept_out() {
  const Scheduler& scheduler = execution_.scheduler();
  for (size_t j = 0; j < jobs_.size(); ++j) {
    const TurnClientResult& client = result_.clients[j];
    if (client.role.service || jobs_[j].waiting.empty()) continue;
    const DurationModel& turn = scheduler.training_time(client.index);
    const int service = turn.known() ? scheduler.too_short_for(client.index) : -1;
    if (service < 0) continue;
    jobs_[j].kept_out_by = static_cast<size_t>(service);
    const ServiceRules& rules = scheduler.service(*jobs_[j].kept_out_by);
    jobs_[j].kept_out = fmt::format(
        "a turn of {} ({} ms) and one of {} take longer than the latency budget of "
        "{} ms: it had none while {} was connected",
        client.role.name, number(turn.upper_ns(1) * 1e-6), rules.name,
        as_typed(static_cast<double>(rules.latency_ns) * 1e-6), rules.name);
  }
}

// The training whose turn has just ended, where it has had less than its share and usually asks
// again soon.
void Broker::wait_for_the_one_behind() {
  if (!behind_ || paused_until_ns_ > 0) return behind_.reset();
  const size_t training = behind_->who;
  behind_.reset();
  const Scheduler& scheduler = execution_.scheduler();
  const auto job = std::ranges::find_if(result_.clients, [&](const TurnClientResult& one) {
    return !one.role.service && one.index == training;
  });
  const double gap_ns = jobs_[static_cast<size_t>(job - result_.clients.begin())].gap_ns;
  const double turn_ns = scheduler.training_time(training).typical_ns(1);
  if (!(gap_ns > 0) || !(2 * gap_ns <= std::max(least_gap_ns, usual_gap_share * turn_ns))) return;
  const int64_t until_ns = monotonic_ns() + static_cast<int64_t>(2 * gap_ns);
  const auto requests_wait = [&] {
    for (size_t s = 0; s < scheduler.services(); ++s)
      if (scheduler.waiting(s) > 0) return true;
    return false;
  };
  while (!scheduler.wants(training) && scheduler.behind(training) && !requests_wait() &&
         monotonic_ns() < until_ns)
    free_ns_ = pump(until_ns);
}

void Broker::take(const TurnEvent& event) {
  if (event.kind == TurnEvent::Kind::came) {
    clients_[event.client] = {.since_ns = monotonic_ns()};
    load_.add(event.pid);
    return;
  }
  const auto found = clients_.find(event.client);
  if (found == clients_.end()) return;
  if (event.kind == TurnEvent::Kind::gone) return leave(event.client);
  take_words(event.client, found->second, event.text);
}

void Broker::take_words(int id, Client& client, std::string_view text) {
  const auto message = parse_turn_message(text);
  if (!message) return expel(id, refusal_of(message.error()), message.error().message);
  using Kind = TurnMessage::Kind;
  if (message->kind == Kind::hello && client.state == State::greeting)
    return greet(id, client, message->role);
  if (message->kind == Kind::ask && client.state == State::idle) return ask(id, client);
  if (message->kind == Kind::done && client.state == State::running)
    return done(client, message->synchronize_ns);
  if (message->kind == Kind::done && client.state == State::overran) return done_late(client);
  expel(id, TurnRefusal::words,
        "a client greets once, then asks, is granted its turn and says that it is done");
}

// A name is one client, whichever process has it; once all of them have gone it may come in another
// role, which is another client. A training and a service that are expected may have one name.
Result<size_t> Broker::job_of(const TurnRole& role) {
  std::optional<size_t> known;
  for (size_t j = 0; j < jobs_.size(); ++j) {
    const TurnRole& other = result_.clients[j].role;
    if (other == role) known = j;
    const bool taken = jobs_[j].expected ? other.service == role.service : jobs_[j].connected > 0;
    if (other.name == role.name && !(other == role) && taken)
      return Error{Code::conflict,
                   fmt::format("{} is {} as {}", role.name,
                               jobs_[j].expected ? "expected" : "connected", role_text(other)),
                   "another name for another role"};
  }
  if (known) return *known;
  std::optional<size_t> job = free_place();
  if (!job)
    return Error{Code::unavailable, fmt::format("more than {} names at once", most_jobs),
                 "processes that do the same need one name"};
  take_place(*job, role);
  return *job;
}

// A new one, while there are any; then that of the name that has been gone for the longest, whose
// figures go to a sum.
std::optional<size_t> Broker::free_place() {
  if (jobs_.size() < most_jobs) {
    jobs_.emplace_back();
    result_.clients.emplace_back();
    return jobs_.size() - 1;
  }
  std::optional<size_t> longest;
  for (size_t j = 0; j < jobs_.size(); ++j)
    if (jobs_[j].connected == 0 && !jobs_[j].expected &&
        (!longest || jobs_[j].left_ns < jobs_[*longest].left_ns))
      longest = j;
  if (!longest) return std::nullopt;
  const TurnClientResult& left = result_.clients[*longest];
  result_.left.add(left, left.role.service ? execution_.result().services[left.index].late : 0);
  (left.role.service ? free_services_ : free_trainings_).push_back(left.index);
  return longest;
}

void Broker::take_place(size_t job, const TurnRole& role, double rate_hz) {
  TurnClientResult client{.role = role};
  if (role.service) {
    client.index = placed(execution_,
                          ServiceRules{.name = role.name,
                                       .latency_ns = role.latency_ns,
                                       .queue = turn_queue,
                                       .rate_hz = rate_hz,
                                       .gathers = 1},
                          free_services_, execution_.result().services);
  } else {
    client.index =
        placed(execution_, TrainingRules{.name = role.name, .share = role.share, .untimed = true},
               free_trainings_, execution_.result().trainings);
    execution_.scheduler().set_wants(client.index, false);
  }
  result_.clients[job] = std::move(client);
  jobs_[job] = {};
}

void Broker::expect(const TurnRole& role, double rate_hz) {
  const std::lock_guard lock(mutex_);
  jobs_.emplace_back();
  result_.clients.emplace_back();
  take_place(jobs_.size() - 1, role, rate_hz);
  jobs_.back().expected = true;
  if (role.service) execution_.scheduler().set_attended(result_.clients.back().index, false);
}

void Broker::greet(int id, Client& client, const TurnRole& role) {
  const auto job = job_of(role);
  if (!job)
    return expel(id, job.error().code == Code::conflict ? TurnRefusal::name : TurnRefusal::many,
                 job.error().message);
  client.job = *job;
  client.state = State::idle;
  ++result_.clients[*job].connections;
  ++comings_;
  if (++jobs_[*job].connected == 1 && role.service)
    execution_.scheduler().set_attended(result_.clients[*job].index, true);
  if (!sockets_.send(id, turn_welcome)) leave(id);
}

void Broker::ask(int id, Client& client) {
  const int64_t now = monotonic_ns();
  TurnClientResult& of = figures(client);
  Job& job = jobs_[client.job];
  if (client.done_ns > 0) {  // one long pause, as between epochs, says little of the others
    const auto gap_ns = static_cast<double>(now - client.done_ns);
    const double most_ns = job.gap_ns > 0 ? 4 * job.gap_ns + 1e5 : gap_ns;
    job.gap_ns += (std::min(gap_ns, most_ns) - job.gap_ns) / (job.gap_ns > 0 ? 8 : 1);
  }
  client.state = State::waiting;
  client.since_ns = now;
  if (of.role.service) {
    if (options_.asked && job.expected) options_.asked(of.index, now);
    execution_.arrive(of.index, static_cast<uint64_t>(id), 1, now);
    return;
  }
  job.waiting.push_back(id);
  if (paused_until_ns_ == 0) execution_.scheduler().set_wants(of.index, true);
}

// Its turn, or its place in the queue, is free at once.
void Broker::leave(int id) {
  const auto found = clients_.find(id);
  const Client client = found->second;
  clients_.erase(found);
  sockets_.close(id);
  if (client.state == State::greeting) return;
  TurnClientResult& of = figures(client);
  Job& job = jobs_[client.job];
  std::erase(job.waiting, id);
  Scheduler& scheduler = execution_.scheduler();
  if (!of.role.service && job.waiting.empty()) scheduler.set_wants(of.index, false);
  ++comings_;
  if (--job.connected == 0) {
    job.left_ns = monotonic_ns();
    if (of.role.service) scheduler.set_attended(of.index, false);
  }
  if (client.state != State::running) return;
  ++of.deaths;
  tell_of_client(fmt::format("{} has ended within its turn, which is free", of.role.name));
  end_turn(Ending::failed);
}

void Broker::expel(int id, TurnRefusal refusal, const std::string& why) {
  if (++result_.expelled <= most_refusals_told)
    tell_of_client(
        fmt::format("a client is refused: {}{}", why,
                    result_.expelled < most_refusals_told ? "" : " (others are only counted)"));
  (void)sockets_.send(id, turn_refused(refusal, why));
  leave(id);
}

void Broker::expel_silent(int64_t now) {
  if (now - looked_for_silent_ns_ < look_ns) return;
  looked_for_silent_ns_ = now;
  std::vector<int> silent;
  for (const auto& [id, client] : clients_)
    if (client.state == State::greeting && now - client.since_ns > nanoseconds(options_.greeting_s))
      silent.push_back(id);
  for (const int id : silent) expel(id, TurnRefusal::words, "it has not said who it is");
}

ServingResult Broker::serving() const {
  const std::lock_guard lock(mutex_);
  ServingResult serving = execution_.result();
  if (execution_.began_ns() > 0 && !(serving.seconds > 0))
    serving.seconds = static_cast<double>(monotonic_ns() - execution_.began_ns()) * 1e-9;
  return serving;
}

BrokerResult Broker::result() const {
  const std::lock_guard lock(mutex_);
  BrokerResult result = result_;
  result.serving = execution_.result();
  result.other_cores = load_.other_cores();
  for (const Job& job : jobs_)
    if (!job.kept_out.empty()) result.notes.push_back(job.kept_out);
  return result;
}

}  // namespace flyball
