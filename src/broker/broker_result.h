// What came of granting turns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
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

struct BrokerResult {
  ServingResult serving{};
  std::vector<TurnClientResult> clients{};
  LatencyHistogram grants{};  ///< from when it could be granted to the grant's sending
  size_t expelled = 0;        ///< clients whose words could not be read, or came out of turn
  std::optional<double> other_cores{};  ///< kept busy by what is no client; nothing: not known
  std::string power_gap{};              ///< why power is not known; "": it is
  std::vector<std::string> notes{};

  double busy_s(const TurnClientResult& client) const;
};

/// docs/json.md, `broker`.
Json to_json(const BrokerResult& result);
std::string format_broker(const BrokerResult& result);

}  // namespace flyball
