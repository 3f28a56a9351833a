// How soon requests are answered beside a training, within their budgets.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace flyball {

/// What is worth more where serving sooner costs training.
struct Preference {
  enum class Kind : uint8_t {
    latency,   ///< the soonest answers expected to keep 99 % of the training there could be
    training,  ///< all training that the latency budgets allow: a batch starts at the latest safe
               ///< time
    exchange   ///< 1 % of training is worth `ms_of_percent` of median latency
  };
  Kind kind = Kind::latency;
  double ms_of_percent = 0;

  std::string text() const;  ///< "latency", "training", "5ms"
};
/// What is kept of a latency budget for the way to the client and back, which a server does not
/// see: the larger of the two, and half of the budget at most.
struct ClientMargin {
  double share = 0;
  double least_ms = 0;

  double of_ms(double latency_ms) const;
};
/// Of requests that come over a network, unless told.
inline constexpr ClientMargin usual_margin{.share = 0.05, .least_ms = 2};

/// One that was given leaves half of each latency budget. Error: it does not.
Status check_margin(const ClientMargin& margin, std::span<const double> latencies_ms);

/// "latency", "training", or a duration such as "5ms". Error: neither.
Result<Preference> parse_preference(const std::string& text);

}  // namespace flyball
