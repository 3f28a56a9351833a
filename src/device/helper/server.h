// The helper as a service: its clients, and what it puts up with from them.
#pragma once

#include <atomic>

#include "device/helper/dispatcher.h"
#include "device/helper/listen.h"

namespace flyball {

/// What a client may not exceed; one that does is told so and loses its connection.
struct HelperLimits {
  size_t clients = 8;          ///< at once
  size_t clients_of_user = 4;  ///< of them, of one user that is not root
  double silent_s = 30;        ///< without a message: `flyball` sends one every 10 s
  double half_message_s = 5;   ///< from the first byte of a message to its end
  double idle_s = 0;           ///< ends the service after so long without a client; 0: never
};

/// Serves until `stop` is set by a signal, and puts back what is held then. Signals are taken only
/// while it waits, so that none is missed. Error: the socket cannot be waited for.
Status serve_helper(const OwnedSocket& listening, HelperDispatcher& dispatcher,
                    const HelperLimits& limits, const std::atomic<bool>& stop,
                    const HelperDispatcher::Log& log);

}  // namespace flyball
