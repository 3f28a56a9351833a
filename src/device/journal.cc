#include "device/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

// sysfs files take their value in one write and must not be replaced by rename.
Status write_in_place(const std::filesystem::path& file, const std::string& value) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return file_error("set", file, errno);
  // A regular file (a recorded tree) would keep the tail of a longer old value.
  (void)!::ftruncate(fd, 0);
  const ssize_t written = ::write(fd, value.data(), value.size());
  const int reason = errno;
  ::close(fd);
  if (written != static_cast<ssize_t>(value.size()))
    return file_error(fmt::format("write '{}' to", value), file, reason);
  return {};
}

Result<std::string> read_setting(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const std::string text, read_file(file, 1 << 16));
  return std::string(trim(text));
}

}  // namespace

std::filesystem::path state_folder() {
  if (const char* named = std::getenv("FLYBALL_STATE")) return named;
  if (::geteuid() == 0) return "/run/flyball";
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"))
    return std::filesystem::path(runtime) / "flyball";
  return std::filesystem::temp_directory_path() / fmt::format("flyball-{}", ::geteuid());
}

Result<std::unique_ptr<SettingsJournal>> SettingsJournal::open(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  const std::filesystem::path lock_path = path.string() + ".lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return file_error("open", lock_path, errno);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return Error{
        Code::conflict,
        fmt::format("another flyball is setting this board ({} is locked)", lock_path.string()),
        "wait until it ends; a power mode belongs to the whole board"};
  }
  std::unique_ptr<SettingsJournal> journal(new SettingsJournal(path, lock));
  FLYBALL_CHECK(journal->load());
  journal->recovered_ = journal->before_.size();
  if (journal->recovered_ > 0) FLYBALL_CHECK(journal->restore());
  return journal;
}

SettingsJournal::~SettingsJournal() {
  (void)restore();
  ::close(lock_);
}

Status SettingsJournal::load() {
  if (!std::filesystem::exists(path_)) return {};
  FLYBALL_ASSIGN(const std::string text, read_file(path_, 1 << 20));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const Error broken{Code::corrupt, fmt::format("{} is not a journal of settings", path_.string()),
                     "look at it, put the settings back by hand, and remove it"};
  if (!json.is_array()) return broken;
  for (const auto& entry : json) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_string())
      return broken;
    before_.emplace_back(entry[0], entry[1]);
  }
  return {};
}

Status SettingsJournal::save() const {
  if (before_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    return {};
  }
  return write_file(path_, nlohmann::json(before_).dump(1) + "\n");
}

Status SettingsJournal::set(const std::filesystem::path& file, const std::string& value) {
  FLYBALL_ASSIGN(const std::string present, read_setting(file));
  if (present == value) return {};
  const bool known =
      std::ranges::any_of(before_, [&](const auto& entry) { return entry.first == file.string(); });
  if (!known) {
    before_.emplace_back(file.string(), present);
    FLYBALL_CHECK(save());
  }
  FLYBALL_CHECK(write_in_place(file, value));
  FLYBALL_ASSIGN(const std::string taken, read_setting(file));
  if (taken == value) return {};
  return Error{Code::unavailable,
               fmt::format("{} was set to {} but reads {}", file.string(), value, taken),
               "the board refused it: is the value in its list, and does nothing else govern it?"};
}

Status SettingsJournal::keep() {
  before_.clear();
  return save();
}

Status SettingsJournal::restore() {
  if (before_.empty()) return {};
  Status first;
  std::vector<std::pair<std::string, std::string>> failed;
  // Twice: a minimum cannot go above a maximum that is put back only later.
  for (int round = 0; round < 2 && !before_.empty(); ++round) {
    failed.clear();
    first = {};
    for (auto entry = before_.rbegin(); entry != before_.rend(); ++entry) {
      const Status status = write_in_place(entry->first, entry->second);
      if (status.ok()) continue;
      if (first.ok()) first = status;
      failed.insert(failed.begin(), *entry);
    }
    before_ = failed;
  }
  const Status saved = save();
  return first.ok() ? saved : first;
}

}  // namespace flyball
