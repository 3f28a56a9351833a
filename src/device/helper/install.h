// `flyball helper install` and `uninstall`: a copy of the program that only root can change, the
// group, the units, and systemd told of them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

struct HelperPlaces {
  /// Everything is written below it, and nothing is started; "" is this machine.
  std::filesystem::path stage{};
  std::filesystem::path root = "/";  ///< whose /etc/group and /run/systemd are looked at

  std::filesystem::path program() const { return at("usr/local/libexec/flyball-helper"); }
  std::filesystem::path service_unit() const {
    return at("etc/systemd/system/flyball-helper.service");
  }
  std::filesystem::path socket_unit() const {
    return at("etc/systemd/system/flyball-helper.socket");
  }
  std::filesystem::path measuring_unit() const { return at("etc/tmpfiles.d/flyball.conf"); }
  bool staged() const { return !stage.empty(); }

 private:
  std::filesystem::path at(const std::string& file) const {
    return (staged() ? stage : root) / file;
  }
};

/// What was done, and what is left to the user, in words.
struct HelperSteps {
  std::vector<std::string> done, next;
};

/// Runs a program of the system to its end. Error: it fails.
using SystemCommand = std::function<Status(const std::vector<std::string>&)>;
Status run_system_command(const std::vector<std::string>& argv);

/// Installs `program` as the helper, or replaces what is there; may be done again. Errors: not root
/// (`permission`); a file that cannot be written; a command that fails.
Result<HelperSteps> install_helper(const HelperPlaces& places, const std::filesystem::path& program,
                                   const SystemCommand& run = run_system_command);
/// Takes it away; the group stays.
Result<HelperSteps> uninstall_helper(const HelperPlaces& places,
                                     const SystemCommand& run = run_system_command);

}  // namespace flyball
