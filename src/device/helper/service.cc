#include "device/helper/service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/files.h"
#include "base/os/accounts.h"
#include "base/os/file_version.h"
#include "base/os/lock_file.h"
#include "base/text.h"
#include "device/journal.h"
#include "device/session_file.h"

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

// Without systemd's, the file in which containers see who measures.
void share_sessions(gid_t group, const HelperDispatcher::Log& log) {
  const Status made = SessionFile::make(SessionFile::usual_path(), group);
  if (!made.ok()) log("containers will not see who measures: " + made.error().message);
}

Result<Listening> open_socket(const HelperService& service) {
  FLYBALL_ASSIGN(auto handed_over, inherited_socket());
  if (handed_over) return Listening(*std::move(handed_over), {});
  FLYBALL_ASSIGN(const gid_t group, group_number(service.group));
  FLYBALL_ASSIGN(OwnedSocket made, listen_at(service.socket, group));
  share_sessions(group, service.log);
  return Listening(std::move(made), service.socket);
}

// Who kept the mode of board.kept, and of which version of that file: root's own `flyball mode`
// writes it, too.
fs::path keeper_file() {
  return state_folder() / "board.kept.by";
}

std::string kept_version() {
  return file_version(kept_journal(board_journal()));
}

void note_kept(const std::string& who) {
  (void)write_file(keeper_file(), kept_version() + "\n" + who + "\n");
}

std::string who_kept() {
  const std::string version = kept_version();
  if (version.empty()) return "";
  const auto text = read_file(keeper_file(), 4096);
  if (!text || !text_fault(*text).empty() || !text->starts_with(version + "\n"))
    return "root, or an earlier helper";
  return std::string(trim(text->substr(version.size())));
}

Result<size_t> restore_kept(const fs::path& root) {
  FLYBALL_ASSIGN(const auto journal, SettingsJournal::open(board_journal(), root));
  return journal->restore_kept();
}

void put_back_settings(const HelperDispatcher::Log& log) {
  const auto settings = recover_settings(board_journal());
  if (!settings) log(settings.error().message);
  if (settings && *settings > 0)
    log(fmt::format("put back {} settings that an earlier flyball had left", *settings));
}

}  // namespace

HelperModes modes_of_service(const HelperService& service) {
  return {.set_caps = service.set_caps,
          .restore_kept = [root = service.root] { return restore_kept(root); },
          .note_kept = note_kept,
          .kept = who_kept};
}

Status run_helper(const HelperService& service, const std::atomic<bool>& stop) {
  if (::geteuid() != 0)
    return Error{Code::permission, "the helper sets what only root may set", "run it as root"};
  FLYBALL_CHECK(check_state_folder(state_folder()));
  FLYBALL_ASSIGN(const LockFile lock,
                 LockFile::take(state_folder() / "helper.lock", "the place of the helper"));
  put_back_settings(service.log);
  FLYBALL_ASSIGN(const Listening listening, open_socket(service));
  FLYBALL_CHECK(check_closed_to_others(listening.socket));
  HelperDispatcher dispatcher(service.open, service.root, service.log, modes_of_service(service));
  service.log(fmt::format("version {} serves", FLYBALL_VERSION));
  return serve_helper(listening.socket, dispatcher, service.limits, stop, service.log);
}

}  // namespace flyball
