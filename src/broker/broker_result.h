// What came of granting turns.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "broker/turn_message.h"
#include "schedule/latency_histogram.h"
#include "schedule/serving_result.h"

namespace flyball {

/// All processes of one name and role: its connections may be several, at once or one after the
/// other.
struct TurnClientResult {
  TurnRole role{};
  size_t index = 0;          ///< of the service or training in ServingResult
  size_t connections = 0;    ///< so far
  size_t turns = 0;          ///< that ended by the client's word
  LatencyHistogram wait{};   ///< from asking to the grant
  LatencyHistogram turn{};   ///< from the grant to its end
  double synchronize_s = 0;  ///< of its turns, that it waited for its device at their ends
  size_t overruns = 0;       ///< turns that were taken away, being too long
  double overrun_s = 0;      ///< that it ran on without a turn, as far as it said so later
  size_t deaths = 0;         ///< its socket ended within a turn
};

/// Clients whose places others have, all together: there are more names than are kept.
struct TurnClientsLeft {
  size_t names = 0, connections = 0, turns = 0, late = 0, overruns = 0, deaths = 0;

  void add(const TurnClientResult& client, size_t late_turns);
};

struct BrokerResult {
  ServingResult serving{};
  std::vector<TurnClientResult> clients{};
  TurnClientsLeft left{};
  LatencyHistogram grants{};  ///< from when it could be granted to the grant's sending
  size_t expelled = 0;        ///< clients whose words could not be read, or came out of turn
  std::optional<double> other_cores{};  ///< kept busy by what is no client; nothing: not known
  std::string mode{};                   ///< that it began in; "": it was left as it was
  Json plan{};  ///< the choice among profiles; null: there is none, or a rate is not known
  double budget_w = std::numeric_limits<double>::infinity();  ///< of power; infinite: none
  std::string power_gap{};                                    ///< why power is not known; "": it is
  std::vector<std::string> notes{};

  double busy_s(const TurnClientResult& client) const;
  /// Of those in `left`, with what is still in the places that they had.
  double left_busy_s() const;
  double left_energy_j() const;
};

/// A new plan in a line.
std::string replan_text(const Replan& replan);
/// docs/json.md, `broker`.
Json to_json(const BrokerResult& result);
std::string format_broker(const BrokerResult& result);

}  // namespace flyball
