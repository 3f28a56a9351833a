#include "tune/board_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/distinct.h"
#include "base/json.h"
#include "device/host/fixed_settings.h"
#include "space/board_fingerprint.h"
#include "space/trial_facts.h"
#include "twin/twin.h"

namespace flyball {
namespace {

SwitchCost read_switch_cost(const Json& json) {
  SwitchCost cost;
  json.at("device").get_to(cost.device);
  json.at("fingerprint").get_to(cost.fingerprint);
  json.at("rounds").get_to(cost.rounds);
  json.at("seed").get_to(cost.seed);
  json.at("measured_utc").get_to(cost.measured_utc);
  for (const Json& one : json.at("switches")) {
    ModeSwitch change;
    if (!one.at("axis").is_null()) one["axis"].get_to(change.name);
    one.at("from").get_to(change.from.values);
    one.at("to").get_to(change.to.values);
    one.at("ms").get_to(change.ms);
    one.at("unseen").get_to(change.unseen);
    cost.switches.push_back(std::move(change));
  }
  return cost;
}

}  // namespace

IdlePower read_idle(const Json& json) {
  IdlePower idle;
  json.at("device").get_to(idle.device);
  json.at("fingerprint").get_to(idle.fingerprint);
  json.at("mode").get_to(idle.mode.values);
  json.at("caps").get_to(idle.caps.values);
  if (!json.at("pinned").is_null()) idle.pinned = json["pinned"].get<bool>();
  json.at("total").get_to(idle.total);
  json.at("power_w").get_to(idle.power_w);
  json.at("q1_w").get_to(idle.q1_w);
  json.at("q3_w").get_to(idle.q3_w);
  json.at("settle_s").get_to(idle.settle_s);
  json.at("seconds").get_to(idle.seconds);
  json.at("settled").get_to(idle.settled);
  json.at("updates").get_to(idle.updates);
  if (!json.at("other_cores").is_null()) idle.other_cores = json["other_cores"].get<double>();
  json.at("disturbed").get_to(idle.disturbed);
  json.at("measured_utc").get_to(idle.measured_utc);
  return idle;
}

Json idle_json(const IdlePower& idle) {
  return {{"device", idle.device},
          {"fingerprint", idle.fingerprint},
          {"mode", idle.mode.values.empty() ? Json::object() : Json(idle.mode.values)},
          {"pinned", or_null(idle.pinned)},
          {"caps", idle.caps.values.empty() ? Json::object() : Json(idle.caps.values)},
          {"total", idle.total},
          {"power_w", idle.power_w},
          {"q1_w", idle.q1_w},
          {"q3_w", idle.q3_w},
          {"settle_s", idle.settle_s},
          {"seconds", idle.seconds},
          {"settled", idle.settled},
          {"updates", idle.updates},
          {"other_cores", or_null(idle.other_cores)},
          {"disturbed", idle.disturbed},
          {"measured_utc", idle.measured_utc},
          {"provenance", provenance_name(idle.provenance)}};
}

Json switch_cost_json(const SwitchCost& cost) {
  Json switches = Json::array();
  for (const ModeSwitch& change : cost.switches) {
    const Quartiles spread = change.spread();
    switches.push_back({{"axis", change.name.empty() ? Json() : Json(change.name)},
                        {"from", change.from.values},
                        {"to", change.to.values},
                        {"median_ms", spread.median},
                        {"q1_ms", spread.q1},
                        {"q3_ms", spread.q3},
                        {"unseen", change.unseen},
                        {"ms", change.ms}});
  }
  return {{"device", cost.device},
          {"fingerprint", cost.fingerprint},
          {"switch_ms", cost.switch_ms()},
          {"rounds", cost.rounds},
          {"seed", cost.seed},
          {"measured_utc", cost.measured_utc},
          {"provenance", provenance_name(Provenance::measured)},
          {"switches", switches}};
}

Result<int64_t> keep_idle(Store& store, const IdlePower& idle, const std::string& command) {
  return store.keep_fact({BoardFactKind::idle_power, idle.device, idle.fingerprint,
                          idle_json(idle).dump(), idle.measured_utc, command});
}

Result<int64_t> keep_switch_cost(Store& store, const SwitchCost& cost, const std::string& command) {
  return store.keep_fact({BoardFactKind::switch_cost, cost.device, cost.fingerprint,
                          switch_cost_json(cost).dump(), cost.measured_utc, command});
}

Result<BoardCosts> board_costs(Store& store) {
  FLYBALL_ASSIGN(const std::vector<BoardFact> facts, store.facts({}));
  BoardCosts costs;
  for (const BoardFact& fact : facts) {
    if (fact.kind == BoardFactKind::roofs) continue;
    try {
      const Json json = Json::parse(fact.json);
      if (fact.kind == BoardFactKind::idle_power)
        costs.idle.push_back({read_idle(json), fact.id, fact.board()});
      else
        costs.switches.push_back({read_switch_cost(json), fact.id, fact.board()});
    } catch (const Json::exception& problem) {
      return damaged_fact(fact, problem.what());
    }
  }
  return costs;
}

const StoredIdle* BoardCosts::idle_of(const std::string& fingerprint, const std::string& total,
                                      const PowerMode& mode, const std::string& board) const {
  for (const StoredIdle& stored : idle) {
    const IdlePower& own = stored.idle;
    if (stored.board == board && own.total == total && !mode.values.empty() &&
        own.mode.values == mode.values && same_board(fingerprint, own.fingerprint))
      return &stored;
  }
  return nullptr;
}

const StoredIdle* BoardCosts::idle_as_it_is(const std::string& fingerprint,
                                            const std::string& total, const PowerMode& caps,
                                            std::optional<bool> pinned) const {
  for (const StoredIdle& stored : idle) {
    const IdlePower& own = stored.idle;
    if (stored.board.empty() && own.total == total && own.caps.values == caps.values &&
        own.pinned == pinned && same_board(fingerprint, own.fingerprint))
      return &stored;
  }
  return nullptr;
}

const StoredIdle* BoardCosts::idle_of_kind(const std::string& device, const std::string& total,
                                           const PowerMode& mode) const {
  for (const StoredIdle& stored : idle)
    if (stored.idle.device == device && stored.idle.total == total && !mode.values.empty() &&
        stored.idle.mode.values == mode.values)
      return &stored;
  return nullptr;
}

bool StoredSwitchCost::of_this_board(const std::string& fingerprint) const {
  return board.empty() && same_board(fingerprint, cost.fingerprint);
}

const StoredSwitchCost* BoardCosts::switch_cost_of(const std::string& device,
                                                   const std::string& fingerprint) const {
  const StoredSwitchCost* of_kind = nullptr;
  for (const StoredSwitchCost& stored : switches) {
    if (stored.of_this_board(fingerprint)) return &stored;
    if (!of_kind && stored.cost.device == device) of_kind = &stored;
  }
  return of_kind;
}

Status add_trial_modes(Store& store, int64_t run, std::vector<PowerMode>& modes) {
  FLYBALL_ASSIGN(const auto trials, store.run_measurements(run));
  for (const StoredMeasurement& trial : trials) add_distinct(modes, trial.measurement.trial.mode);
  if (!modes.empty()) return {};
  return Error{Code::not_found, fmt::format("run {} has no trials", run),
               "`flyball runs list` shows what there is"};
}

Result<std::vector<IdlePower>> simulated_idle(const Board& board,
                                              const std::vector<PowerMode>& modes) {
  const TwinBoard& twin = *board.twin();
  const DeviceInfo& device = board.info().device;
  if (const std::string gap = twin_power_gap(twin); !gap.empty())
    return Error{Code::unavailable, gap, "`flyball devices` lists the boards that have"};
  FLYBALL_ASSIGN(const auto knobs, board.knobs());
  std::vector<IdlePower> simulated;
  for (const PowerMode& mode : modes) {
    FLYBALL_CHECK(knobs->apply(mode));
    FLYBALL_ASSIGN(const TwinPower power, idle_power(twin, mode));
    IdlePower idle{.device = device.name, .fingerprint = device.fingerprint, .mode = mode};
    idle.caps.values = knobs->observed();
    idle.total = twin_power_total(twin);
    idle.power_w = idle.q1_w = idle.q3_w = twin_total_w(twin, power);
    idle.measured_utc = wall_clock_utc();
    idle.provenance = Provenance::simulated;
    simulated.push_back(std::move(idle));
  }
  return simulated;
}

Result<std::optional<StoredIdle>> idle_of_present_mode(Store& store, const Board& board,
                                                       const std::filesystem::path& root,
                                                       const std::string& total) {
  FLYBALL_ASSIGN(const BoardCosts costs, board_costs(store));
  FLYBALL_ASSIGN(const auto device, board.knobs());
  const StoredIdle* idle = costs.idle_as_it_is(board.info().device.fingerprint, total,
                                               device->caps(), read_fixed(root).dvfs_pinned);
  return idle ? std::optional(*idle) : std::nullopt;
}

std::string idle_doubts(const IdlePower& idle) {
  std::string text = idle.settled ? "" : ", before power had settled";
  if (!idle.disturbed.empty()) text += ", beside " + idle.disturbed;
  if (idle.other_cores.value_or(0) >= noticeable_load)
    text += fmt::format(", while others kept {:.2g} cores busy", *idle.other_cores);
  return text;
}

IdleShare idle_share(const StoredIdle& stored, double power_w) {
  const bool simulated = stored.idle.provenance == Provenance::simulated;
  return {stored.idle.power_w, power_w, simulated ? "" : stored.idle.measured_utc, stored.run,
          idle_doubts(stored.idle)};
}

}  // namespace flyball
