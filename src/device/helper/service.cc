#include "device/helper/service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/lock_file.h"
#include "device/journal.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// The socket that it serves, and whether it made it.
struct Listening {
  OwnedSocket socket;
  fs::path made;

  Listening(OwnedSocket taken, fs::path path) : socket(std::move(taken)), made(std::move(path)) {}
  Listening(Listening&& other) noexcept
      : socket(std::move(other.socket)), made(std::exchange(other.made, {})) {}
  Listening& operator=(Listening&&) = delete;
  ~Listening() {
    if (!made.empty()) ::unlink(made.c_str());
  }
};

Result<Listening> open_socket(const HelperService& service) {
  FLYBALL_ASSIGN(auto handed_over, inherited_socket());
  if (handed_over) return Listening(*std::move(handed_over), {});
  FLYBALL_ASSIGN(const gid_t group, group_number(service.group));
  FLYBALL_ASSIGN(OwnedSocket made, listen_at(service.socket, group));
  return Listening(std::move(made), service.socket);
}

void put_back(const HelperDesk::Log& log) {
  const auto settings = recover_settings(board_journal());
  if (!settings) log(settings.error().message);
  if (settings && *settings > 0)
    log(fmt::format("put back {} settings that an earlier flyball had left", *settings));
}

}  // namespace

Status run_helper(const HelperService& service, const std::atomic<bool>& stop) {
  if (::geteuid() != 0)
    return Error{Code::permission, "the helper sets what only root may set", "run it as root"};
  FLYBALL_CHECK(check_state_folder(state_folder()));
  FLYBALL_ASSIGN(const LockFile lock,
                 LockFile::take(state_folder() / "helper.lock", "the place of the helper"));
  put_back(service.log);
  FLYBALL_ASSIGN(const Listening listening, open_socket(service));
  FLYBALL_CHECK(check_closed_to_others(listening.socket));
  HelperDesk desk(service.open, service.root, service.log);
  service.log(fmt::format("version {} serves", FLYBALL_VERSION));
  return serve_helper(listening.socket, desk, service.limits, stop, service.log);
}

}  // namespace flyball
