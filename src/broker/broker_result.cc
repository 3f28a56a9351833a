#include "broker/broker_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/units.h"
#include "problem/problem.h"

namespace flyball {
namespace {

double ms_or_none(const LatencyHistogram& times, double quantile) {
  return times.count() == 0 ? not_measured : times.quantile_ms(quantile);
}

Json times_json(const LatencyHistogram& times) {
  return {{"p50", or_null(ms_or_none(times, 0.5))},
          {"p95", or_null(ms_or_none(times, 0.95))},
          {"p99", or_null(ms_or_none(times, 0.99))},
          {"max", or_null(times.count() == 0 ? not_measured : times.max_ms())}};
}

double energy_j(const BrokerResult& result, const TurnClientResult& client) {
  const ServingResult& serving = result.serving;
  return client.role.service ? serving.services[client.index].energy_j
                             : serving.trainings[client.index].energy_j;
}

Json client_json(const BrokerResult& result, const TurnClientResult& client) {
  const bool service = client.role.service;
  Json json{{"name", client.role.name},
            {"role", service ? "service" : "training"},
            {"budget_ms",
             or_null(service ? static_cast<double>(client.role.latency_ns) * 1e-6 : not_measured)},
            {"share", or_null(service ? not_measured : client.role.share)},
            {"connections", client.connections},
            {"turns", client.turns},
            {"busy_s", or_null(result.busy_s(client))},
            {"time_pct", or_null(100 * result.busy_s(client) / result.serving.seconds)},
            {"wait_ms", times_json(client.wait)},
            {"turn_ms", times_json(client.turn)},
            {"synchronize_s", or_null(client.synchronize_s)},
            {"overruns", client.overruns},
            {"overrun_s", or_null(client.overrun_s)},
            {"deaths", client.deaths},
            {"energy_j", or_null(energy_j(result, client))},
            {"latency_ms", Json()},
            {"late", Json()}};
  if (service) {
    const ServiceResult& served = result.serving.services[client.index];
    json["latency_ms"] = times_json(served.latency);
    json["late"] = served.late;
  }
  return json;
}

Json replan_json(const Replan& replan) {
  return {{"at_s", or_null(replan.at_s)},
          {"why", replan.why},
          {"mode", text_or_null(replan.mode)},
          {"switched", replan.switched},
          {"training_pct", or_null(100 * replan.training)}};
}

std::string replans_text(const ServingResult& serving) {
  std::string text;
  if (serving.replan_count > serving.replans.size())
    text += fmt::format("{} new plans; these {} are the last, and changes of mode before:\n",
                        serving.replan_count, serving.replans.size());
  for (const Replan& replan : serving.replans) text += replan_text(replan) + "\n";
  return text;
}

Json left_json(const BrokerResult& result) {
  const TurnClientsLeft& left = result.left;
  return {{"names", left.names},
          {"connections", left.connections},
          {"turns", left.turns},
          {"busy_s", or_null(result.left_busy_s())},
          {"late", left.late},
          {"overruns", left.overruns},
          {"deaths", left.deaths},
          {"energy_j", or_null(std::isfinite(result.serving.energy_j) ? result.left_energy_j()
                                                                      : not_measured)}};
}

std::string times_text(const char* what, const LatencyHistogram& times, double limit_ms) {
  if (times.count() == 0) return "";
  return fmt::format("  {:<10} p50 {}  p95 {}  p99 {}  max {}\n", what,
                     number(times.quantile_ms(0.5)), number(times.quantile_ms(0.95)),
                     number(times.quantile_ms(0.99)), upper_figure(times.max_ms(), 3, limit_ms));
}

std::string client_text(const BrokerResult& result, const TurnClientResult& client) {
  const TurnRole& role = client.role;
  const double budget_ms = static_cast<double>(role.latency_ns) * 1e-6;
  std::string text = role.service
                         ? fmt::format("{}, a service within {} ms", role.name, as_typed(budget_ms))
                         : fmt::format("{}, a training with share {:g}", role.name, role.share);
  text +=
      fmt::format(": {} turns, {} s, {} % of the time", client.turns, number(result.busy_s(client)),
                  number(100 * result.busy_s(client) / result.serving.seconds));
  if (role.service) text += fmt::format(", {} late", result.serving.services[client.index].late);
  if (client.overruns > 0) text += fmt::format(", {} turns taken away", client.overruns);
  if (client.deaths > 0) text += fmt::format(", ended within {} turns", client.deaths);
  text += "\n";
  if (role.service)
    text += times_text("latency ms", result.serving.services[client.index].latency, budget_ms);
  text +=
      times_text("wait ms", client.wait, unlimited) + times_text("turn ms", client.turn, unlimited);
  if (client.synchronize_s > 0 && client.turns > 0)
    text += fmt::format("  waiting for its device at the end of a turn: {} ms on average\n",
                        number(1e3 * client.synchronize_s / static_cast<double>(client.turns)));
  if (const double joules = energy_j(result, client); std::isfinite(joules))
    text += fmt::format("  energy {}\n", format_joules(joules));
  return text;
}

// Of the places that no client has: who had one has left, and the next name came in another role.
template <class Jobs>
double of_nobody(const Jobs& jobs, bool services, const std::vector<TurnClientResult>& clients,
                 double Jobs::value_type::*figure) {
  double sum = 0;
  for (size_t i = 0; i < jobs.size(); ++i)
    if (std::ranges::none_of(clients, [&](const TurnClientResult& client) {
          return client.role.service == services && client.index == i;
        }))
      sum += jobs[i].*figure;
  return sum;
}

}  // namespace

std::string replan_text(const Replan& replan) {
  std::string text = fmt::format("at {}: {}", format_seconds({replan.at_s}), replan.why);
  if (replan.switched) text += fmt::format(": mode {}", replan.mode);
  if (replan.training < 1)
    text += fmt::format("; trainings have {:.3g} % of the time at most", 100 * replan.training);
  return text;
}

void TurnClientsLeft::add(const TurnClientResult& client, size_t late_turns) {
  ++names;
  connections += client.connections;
  turns += client.turns;
  late += late_turns;
  overruns += client.overruns;
  deaths += client.deaths;
}

double BrokerResult::busy_s(const TurnClientResult& client) const {
  return client.role.service ? serving.services[client.index].busy_s
                             : serving.trainings[client.index].busy_s;
}

double BrokerResult::left_busy_s() const {
  return serving.left_busy_s + of_nobody(serving.services, true, clients, &ServiceResult::busy_s) +
         of_nobody(serving.trainings, false, clients, &TrainingResult::busy_s);
}

double BrokerResult::left_energy_j() const {
  return serving.left_energy_j +
         of_nobody(serving.services, true, clients, &ServiceResult::energy_j) +
         of_nobody(serving.trainings, false, clients, &TrainingResult::energy_j);
}

Json to_json(const BrokerResult& result) {
  const ServingResult& serving = result.serving;
  Json clients = Json::array();
  for (const TurnClientResult& client : result.clients)
    clients.push_back(client_json(result, client));
  Json replans = Json::array();
  for (const Replan& replan : serving.replans) replans.push_back(replan_json(replan));
  const auto decisions = static_cast<double>(serving.decisions);
  return {{"mode", text_or_null(result.mode)},
          {"budget_w", or_null(result.budget_w)},
          {"plan", result.plan},
          {"seconds", or_null(serving.seconds)},
          {"clients", clients},
          {"left", left_json(result)},
          {"idle_s", or_null(std::max(0.0, serving.seconds - serving.busy_s()))},
          {"expelled", result.expelled},
          {"power_w", or_null(serving.power_w())},
          {"energy_j", or_null(serving.energy_j)},
          {"power_gap", text_or_null(result.power_gap)},
          {"other_cores", or_null(result.other_cores.value_or(not_measured))},
          {"grants",
           {{"count", result.grants.count()},
            {"p50_us", or_null(1e3 * ms_or_none(result.grants, 0.5))},
            {"p99_us", or_null(1e3 * ms_or_none(result.grants, 0.99))}}},
          {"decisions",
           {{"count", serving.decisions},
            {"mean_us",
             or_null(serving.decisions == 0 ? not_measured : 1e6 * serving.deciding_s / decisions)},
            {"longest_us", or_null(1e6 * serving.longest_decision_s)}}},
          {"switches", serving.switches},
          {"switching_s", or_null(serving.switching_s)},
          {"replans", replans},
          {"replan_count", serving.replan_count},
          {"notes", result.notes}};
}

std::string format_broker(const BrokerResult& result) {
  const ServingResult& serving = result.serving;
  size_t turns = result.left.turns;
  for (const TurnClientResult& client : result.clients) turns += client.turns;
  std::string text =
      fmt::format("{} turns of {} clients in {}, {} % of the time\n", turns,
                  result.clients.size() + result.left.names, format_seconds({serving.seconds}),
                  number(100 * serving.busy_s() / serving.seconds));
  for (const TurnClientResult& client : result.clients) text += client_text(result, client);
  if (result.left.names > 0)
    text += fmt::format("{} names that left before and are not kept: {} turns, {} s\n",
                        result.left.names, result.left.turns, number(result.left_busy_s()));
  if (result.expelled > 0) text += fmt::format("{} clients were refused\n", result.expelled);
  if (result.grants.count() > 0)
    text += fmt::format("own cost: a grant takes {} µs in the median, {} µs at p99\n",
                        number(1e3 * result.grants.quantile_ms(0.5)),
                        number(1e3 * result.grants.quantile_ms(0.99)));
  if (result.other_cores)
    text += fmt::format("others: {} cores kept busy by what is no client\n",
                        number(*result.other_cores, 2));
  if (std::isfinite(serving.energy_j))
    text += fmt::format("power {} W, energy {}\n", number(serving.power_w()),
                        format_joules(serving.energy_j));
  else
    text += fmt::format("no power: {}\n", result.power_gap);
  if (!result.mode.empty()) text += fmt::format("began in mode {}\n", result.mode);
  text += replans_text(serving);
  for (const std::string& note : result.notes) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace flyball
