#include "device/helper/install.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/os/accounts.h"
#include "base/os/as_root.h"
#include "base/os/guard.h"
#include "base/text.h"
#include "device/helper/link.h"
#include "device/helper/listen.h"
#include "device/helper/units.h"
#include "telemetry/process/spawn.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* socket_name = "flyball-helper.socket";
constexpr const char* service_name = "flyball-helper.service";

Status check_root(const HelperPlaces& places, const std::string& what, const char* words) {
  if (places.staged() || ::geteuid() == 0) return {};
  return Error{Code::permission, what + " needs root", as_root(words)};
}

bool systemd_runs(const HelperPlaces& places) {
  std::error_code unknown;
  return fs::is_directory(places.root / "run/systemd/system", unknown);
}

Status put(const fs::path& file, const std::string& text, mode_t mode, HelperSteps& steps) {
  FLYBALL_CHECK(write_file(file, text));
  if (::chmod(file.c_str(), mode) != 0) return file_error("set the permissions of", file, errno);
  steps.done.push_back("wrote " + file.string());
  return {};
}

Status remove(const fs::path& file, HelperSteps& steps) {
  if (::unlink(file.c_str()) == 0)
    steps.done.push_back("removed " + file.string());
  else if (errno != ENOENT)
    return file_error("remove", file, errno);
  return {};
}

Status step(const SystemCommand& run, const std::vector<std::string>& argv, HelperSteps& steps) {
  FLYBALL_CHECK(run(argv));
  steps.done.push_back(join(argv, " "));
  return {};
}

}  // namespace

Status run_system_command(const std::vector<std::string>& argv) {
  Guard::start();
  FLYBALL_ASSIGN(
      const pid_t child,
      spawn_group(argv, {.environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"},
                         .streams = {.out = STDERR_FILENO}}));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Guard::forget(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error{Code::unavailable, fmt::format("`{}` failed", join(argv, " ")),
               "what it said stands above; the same command of flyball goes on from there"};
}

Result<HelperSteps> install_helper(const HelperPlaces& places, const fs::path& program,
                                   const SystemCommand& run) {
  FLYBALL_CHECK(check_root(places, "installing the helper", "helper install"));
  HelperSteps steps;
  FLYBALL_ASSIGN(const std::string image, read_file(program, size_t{1} << 30));
  FLYBALL_CHECK(put(places.program(), image, 0755, steps));
  const HelperPlaces final_places{};  // as they are once what was staged is in place
  FLYBALL_CHECK(put(places.service_unit(), helper_service_unit(final_places.program().string()),
                    0644, steps));
  FLYBALL_CHECK(put(places.socket_unit(), std::string(helper_socket_unit()), 0644, steps));
  FLYBALL_CHECK(put(places.measuring_unit(), std::string(measuring_folder_unit()), 0644, steps));
  const std::string join_group = fmt::format(
      "sudo usermod -aG {} $USER, then log in again: who may set the board", helper_group);
  if (places.staged()) {
    steps.next = {fmt::format("groupadd --system {}", helper_group),
                  "systemd-tmpfiles --create flyball.conf",
                  fmt::format("systemctl enable --now {}", socket_name), join_group};
    return steps;
  }
  if (!group_number(helper_group, {.root = places.root}))
    FLYBALL_CHECK(step(run, {"groupadd", "--system", helper_group}, steps));
  if (systemd_runs(places)) {
    FLYBALL_CHECK(step(run, {"systemd-tmpfiles", "--create", "flyball.conf"}, steps));
    FLYBALL_CHECK(step(run, {"systemctl", "daemon-reload"}, steps));
    FLYBALL_CHECK(step(run, {"systemctl", "enable", "--now", socket_name}, steps));
    // One of an earlier version; the next client starts this one.
    FLYBALL_CHECK(step(run, {"systemctl", "stop", service_name}, steps));
  } else {
    steps.next.push_back("systemd does not run here; start the helper with: " +
                         as_root("helper run"));
  }
  steps.next.push_back(join_group);
  return steps;
}

Result<HelperSteps> uninstall_helper(const HelperPlaces& places, const SystemCommand& run) {
  FLYBALL_CHECK(check_root(places, "taking the helper away", "helper uninstall"));
  HelperSteps steps;
  std::error_code unknown;
  const bool started = !places.staged() && systemd_runs(places);
  if (started && fs::exists(places.socket_unit(), unknown))
    FLYBALL_CHECK(step(run, {"systemctl", "disable", "--now", socket_name, service_name}, steps));
  for (const fs::path& file :
       {places.socket_unit(), places.service_unit(), places.measuring_unit(), places.program()})
    FLYBALL_CHECK(remove(file, steps));
  if (steps.done.empty())
    return Error{Code::not_found, "the helper is not installed here",
                 "`flyball helper status` says what is there"};
  if (started) FLYBALL_CHECK(step(run, {"systemctl", "daemon-reload"}, steps));
  if (!places.staged() && group_number(helper_group, {.root = places.root}))
    steps.next.push_back(
        fmt::format("the group {0} and its members stay: sudo groupdel {0}", helper_group));
  return steps;
}

}  // namespace flyball
