// One turn from its grant to its end.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/figure.h"
#include "broker/broker.h"

namespace flyball {
namespace {

constexpr double first_turn_longer = 10;  // kernels are compiled, memory is taken, caches are cold
constexpr int64_t load_every_ns = 1'000'000'000;
constexpr int64_t after_end_ns =
    1'000'000'000;  // that a turn may take longer than the broker's time
constexpr int64_t slice_ns = 100'000'000;

}  // namespace

DurationModel& Broker::durations_of(size_t job) {
  const TurnClientResult& of = result_.clients[job];
  Scheduler& scheduler = execution_.scheduler();
  return of.role.service ? scheduler.inference_time(of.index) : scheduler.training_time(of.index);
}

int64_t Broker::longest_turn_ns(const Client& client) const {
  const TurnClientResult& of = result_.clients[client.job];
  const Scheduler& scheduler = execution_.scheduler();
  const DurationModel& known =
      of.role.service ? scheduler.inference_time(of.index) : scheduler.training_time(of.index);
  const double floor_ns = 1e9 * options_.longest_turn_s * (client.fresh ? first_turn_longer : 1);
  if (!known.known()) return nanoseconds(floor_ns * 1e-9);
  return static_cast<int64_t>(std::max(floor_ns, options_.overrun_factor * known.upper_ns(1)));
}

bool Broker::grant(const Decision& what) {
  int id = 0;
  if (what.act == Act::infer) {
    id = static_cast<int>(execution_.scheduler().batch().front().id);
  } else {
    const auto of = std::ranges::find_if(result_.clients, [&](const TurnClientResult& one) {
      return !one.role.service && one.index == what.who;
    });
    Job& job = jobs_[static_cast<size_t>(of - result_.clients.begin())];
    id = job.waiting.front();
    job.waiting.pop_front();
    Scheduler& scheduler = execution_.scheduler();
    scheduler.set_wants(what.who, !job.waiting.empty() && paused_until_ns_ == 0);
    if (job.kept_out_by && scheduler.attended(*job.kept_out_by)) job.kept_out.clear();  // it fits
  }
  const auto found = clients_.find(id);
  if (found == clients_.end()) return false;  // it has gone while it waited
  Client& client = found->second;
  const int64_t asked_ns = client.since_ns;
  const bool sent = sockets_.send(id, turn_granted);
  const int64_t now = monotonic_ns();
  result_.grants.add(now - std::max(asked_ns, free_ns_));
  figures(client).wait.add(now - asked_ns);
  client.state = State::running;
  client.since_ns = now;
  turn_ = Turn{id, what, now, now + longest_turn_ns(client)};
  if (!sent) leave(id);
  return true;
}

void Broker::run(const Decision& what) {
  if (!grant(what)) {
    const int64_t now = monotonic_ns();
    execution_.ended(what, now, now, Ending::failed);
    return;
  }
  if (monotonic_ns() - looked_ns_ > load_every_ns) {  // while the accelerator works
    load_.look();
    looked_ns_ = monotonic_ns();
  }
  while (turn_) {
    const int64_t now = monotonic_ns();
    if (ends())
      turn_->limit_ns = std::min(turn_->limit_ns, std::max(turn_->began_ns, now) + after_end_ns);
    if (now >= turn_->limit_ns) return take_turn_away();
    pump(std::min(turn_->limit_ns, now + slice_ns));
  }
}

void Broker::end_turn(Ending ending) {
  const Turn turn = *turn_;
  turn_.reset();
  free_ns_ = monotonic_ns();
  if (turn.what.act == Act::train) pause_trainings(free_ns_ - turn.began_ns);
  execution_.ended(turn.what, turn.began_ns, free_ns_, ending);
}

void Broker::done(Client& client, int64_t synchronize_ns) {
  const int64_t now = monotonic_ns();
  const int64_t took_ns = now - turn_->began_ns;
  TurnClientResult& of = figures(client);
  Job& job = jobs_[client.job];
  const DurationModel& known = durations_of(client.job);
  const bool unusual =
      client.fresh &&
      (of.turns == 0 || (known.known() && static_cast<double>(took_ns) > known.upper_ns(1)));
  ++of.turns;
  of.turn.add(took_ns);
  of.synchronize_s += static_cast<double>(synchronize_ns) * 1e-9;
  job.overruns_in_a_row = 0;
  client = {
      .state = State::idle, .job = client.job, .since_ns = now, .done_ns = now, .fresh = false};
  if (!of.role.service) behind_ = turn_->what;
  end_turn(unusual ? Ending::unusual : Ending::whole);
}

void Broker::take_turn_away() {
  Client& client = clients_.at(turn_->client);
  client.state = State::overran;
  if (ends()) return end_turn(Ending::failed);  // it is the broker that ends
  TurnClientResult& of = figures(client);
  ++of.overruns;
  ++jobs_[client.job].overruns_in_a_row;
  tell_of_client(fmt::format(
      "{} has had its turn for {} s and loses it: others have the accelerator", of.role.name,
      number(static_cast<double>(monotonic_ns() - turn_->began_ns) * 1e-9)));
  client.since_ns = turn_->began_ns;
  end_turn(Ending::failed);
}

// One turn that is too long is a process that hung; several are how long its turns are now.
void Broker::done_late(Client& client) {
  const int64_t now = monotonic_ns();
  const auto took_ns = static_cast<double>(now - client.since_ns);
  const Job& job = jobs_[client.job];
  figures(client).overrun_s += took_ns * 1e-9;
  if (job.overruns_in_a_row > 1) durations_of(client.job).observe(1, took_ns);
  client = {.state = State::idle, .job = client.job, .since_ns = now, .done_ns = 0, .fresh = false};
}

}  // namespace flyball
