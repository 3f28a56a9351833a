// `flyball helper run`: the helper from its start to its end.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "device/helper/dispatcher.h"
#include "device/helper/server.h"

namespace flyball {

struct HelperService {
  HelperDispatcher::Open open;       ///< the board that it sets
  std::filesystem::path root = "/";  ///< of that board's files
  std::filesystem::path socket;      ///< where it listens when systemd hands no socket over
  std::string group = "flyball";     ///< who may connect to a socket of its own
  HelperLimits limits{};
  /// Sets a preset or the caps on a Device of `open`.
  std::function<Status(Device&, const HelperRequest&)> set_caps{};
  HelperDispatcher::Log log;
};

/// What its dispatcher does with modes that stay, in state_folder().
HelperModes modes_of_service(const HelperService& service);

/// Puts back what an earlier one left, and serves until `stop`. Errors: not root; another one runs
/// (`conflict`); no such group; a socket that every user may connect to.
Status run_helper(const HelperService& service, const std::atomic<bool>& stop);

}  // namespace flyball
