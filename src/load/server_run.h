// A server of the user's that Flyball starts and ends.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "load/target.h"
#include "profile/trials/program_run.h"

namespace flyball {

struct ServerStart {
  std::vector<std::string> argv;         ///< with its port and axes filled in
  std::vector<std::string> environment;  ///< "NAME=value", on top of ours
  std::string url;                       ///< likewise filled in
  std::string protocol;                  ///< "": told from the URL, or asked of the server
  std::string ready;        ///< path that answers 2xx once it is ready; "": the usual one
  double patience_s = 600;  ///< until it is ready
  const std::atomic<bool>* interrupted = nullptr;
};

/// Runs in a process group of its own; the end of this object, or of this process, ends the group.
class ServerRun {
 public:
  /// Starts it and waits until it is ready. Errors: it cannot be started; it ended, with the last
  /// line it printed; it is not ready in time; which protocol it speaks is not known.
  static Result<std::unique_ptr<ServerRun>> start(const ServerStart& start);

  const LoadTarget& target() const { return target_; }
  /// Error: it has ended, and what it last printed.
  Status alive();

 private:
  ServerRun(std::unique_ptr<ProgramRun> run, LoadTarget target)
      : run_(std::move(run)), target_(std::move(target)) {}
  Status wait_until_ready(const ServerStart& start);
  Status find_protocol(const ServerStart& start);
  Status wait(const ServerStart& start, const std::function<bool()>& holds);

  std::unique_ptr<ProgramRun> run_;
  LoadTarget target_;
};

}  // namespace flyball
