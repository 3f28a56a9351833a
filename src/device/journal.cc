#include "device/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/files.h"
#include "base/guard.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// A start that puts back holds the lock for some milliseconds.
constexpr double patience_s = 0.5;

// sysfs files take their value in one write and must not be replaced by rename.
Status write_in_place(const fs::path& file, const std::string& value) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return file_error("set", file, errno);
  // A regular file (a recorded tree) would keep the tail of a longer old value.
  (void)!::ftruncate(fd, 0);
  errno = EIO;  // of a write that takes only a part
  const ssize_t written = ::write(fd, value.data(), value.size());
  const int reason = errno;
  ::close(fd);
  if (written != static_cast<ssize_t>(value.size()))
    return file_error(fmt::format("write '{}' to", value), file, reason);
  return {};
}

Result<std::string> read_setting(const fs::path& file) {
  return read_file(file, 1 << 16);
}

Status write_and_read_back(const fs::path& file, const std::string& value) {
  FLYBALL_CHECK(write_in_place(file, value));
  FLYBALL_ASSIGN(const std::string taken, read_setting(file));
  if (trim(taken) == trim(value)) return {};
  return Error{
      Code::unavailable,
      fmt::format("{} was set to {} but reads {}", file.string(), trim(value), trim(taken)),
      "the board refused it: is the value in its list, and does nothing else govern it?"};
}

// True when there was something to write.
Result<bool> put_back(const fs::path& root, const SavedSetting& setting) {
  FLYBALL_ASSIGN(const fs::path file, setting_file(root, setting.file));
  FLYBALL_ASSIGN(const std::string present, read_setting(file));
  if (present == setting.value) return false;
  FLYBALL_CHECK(write_and_read_back(file, setting.value));
  return true;
}

// What processes that were killed left of journals that they were writing.
void remove_parts(const fs::path& path) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), ignored))
    if (entry.path().filename().string().starts_with(path.filename().string() + ".part"))
      fs::remove(entry.path(), ignored);
}

Error not_put_back(const std::vector<Error>& errors, const fs::path& journal) {
  std::string reasons;
  for (const Error& error : errors) reasons += (reasons.empty() ? "" : "; ") + error.message;
  return {errors.front().code,
          fmt::format("settings of the board could not be put back: {}", reasons),
          fmt::format("{} keeps them, and the next start of flyball tries again; to give them up, "
                      "remove that file",
                      journal.string())};
}

// The journals that this process has open.
struct OpenJournals {
  std::mutex mutex;
  std::map<fs::path, std::weak_ptr<SettingsJournal>> by_path;
};

OpenJournals& open_journals() {
  static OpenJournals journals;
  return journals;
}

}  // namespace

fs::path state_folder() {
  if (const char* named = std::getenv("FLYBALL_STATE"); named && *named) return named;
  if (::geteuid() == 0) return "/run/flyball";
  // After `su` it may be another user's.
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime && ::access(runtime, W_OK) == 0) return fs::path(runtime) / "flyball";
  std::error_code problem;
  const fs::path temporary = fs::temp_directory_path(problem);
  return (problem ? fs::path("/tmp") : temporary) / fmt::format("flyball-{}", ::geteuid());
}

fs::path board_journal() {
  return state_folder() / "board.journal";
}

SettingsJournal::SettingsJournal(fs::path path, LockFile lock)
    : path_(std::move(path)), lock_(std::move(lock)), owner_(::getpid()) {}

Result<std::shared_ptr<SettingsJournal>> SettingsJournal::take(const fs::path& path,
                                                               double patience) {
  FLYBALL_CHECK(check_state_folder(path.parent_path()));
  auto lock = LockFile::take(path.string() + ".lock", "the board", patience);
  if (!lock) {
    Error error = lock.error();
    if (error.code == Code::conflict)
      error.hint = "wait until it ends: what is set belongs to the whole board";
    return error;
  }
  std::shared_ptr<SettingsJournal> journal(new SettingsJournal(path, *std::move(lock)));
  FLYBALL_CHECK(journal->recover());
  return journal;
}

Result<std::shared_ptr<SettingsJournal>> SettingsJournal::open(const fs::path& path,
                                                               const fs::path& root) {
  std::error_code problem;
  const fs::path real_root = fs::canonical(root, problem);
  if (problem) return file_error("read", root, problem.value());
  OpenJournals& journals = open_journals();
  const std::lock_guard lock(journals.mutex);
  std::weak_ptr<SettingsJournal>& known = journals.by_path[path];
  if (const auto ours = known.lock(); ours && ours->owner_ == ::getpid()) {
    if (ours->content_.root == real_root) return ours;
    return Error{
        Code::conflict,
        fmt::format("this process sets the board of {} already", ours->content_.root.string()),
        "one board at a time"};
  }
  FLYBALL_ASSIGN(auto journal, take(path, patience_s));
  journal->content_.root = real_root;
  Guard::start();
  Guard::watch_journal(path);
  known = journal;
  return journal;
}

SettingsJournal::~SettingsJournal() {
  if (owner_ == ::getpid())
    (void)restore();  // what fails stays on disk, and the next start says so
}

// What does not hold together is no content of ours: nothing of it is applied or removed.
Status SettingsJournal::recover() {
  remove_parts(path_);
  FLYBALL_ASSIGN(auto left, read_journal(path_));
  if (!left) return save();
  content_ = *std::move(left);
  recovered_ = content_.settings.size();
  const Status status = restore();
  content_.settings.clear();
  return status;
}

Status SettingsJournal::save() const {
  return write_journal(path_, content_);
}

Status SettingsJournal::remember(std::span<const fs::path> files) {
  const size_t before = content_.settings.size();
  const auto add = [&](const fs::path& file) -> Status {
    FLYBALL_ASSIGN(const std::string name, setting_name(content_.root, file));
    if (std::ranges::find(content_.settings, name, &SavedSetting::file) != content_.settings.end())
      return {};
    FLYBALL_ASSIGN(const std::string present, read_setting(file));
    content_.settings.push_back({name, present});
    return {};
  };
  Status status;
  for (const fs::path& file : files)
    if (status = add(file); !status.ok()) break;
  if (status.ok() && content_.settings.size() > before) status = save();
  if (!status.ok()) content_.settings.resize(before);
  return status;
}

Status SettingsJournal::set(const fs::path& file, const std::string& value) {
  FLYBALL_ASSIGN(const std::string present, read_setting(file));
  if (trim(present) == value) return {};
  FLYBALL_CHECK(remember({&file, 1}));
  return write_and_read_back(file, value);
}

Status SettingsJournal::keep() {
  content_.settings.clear();
  return save();
}

// Last change first, and again until a round has nothing to write: a minimum cannot go above a
// maximum that is put back only later, and one setting may move another.
Status SettingsJournal::restore() {
  if (content_.settings.empty()) return {};
  std::vector<SavedSetting> failed;
  std::vector<Error> errors;
  bool wrote = true;
  for (int round = 0; round < 3 && (wrote || !errors.empty()); ++round) {
    failed.clear();
    errors.clear();
    wrote = false;
    for (auto setting = content_.settings.rbegin(); setting != content_.settings.rend();
         ++setting) {
      const auto written = put_back(content_.root, *setting);
      if (written) wrote = wrote || *written;
      if (written) continue;
      errors.push_back(written.error());
      failed.insert(failed.begin(), *setting);
    }
  }
  content_.settings = std::move(failed);
  FLYBALL_CHECK(save());
  return errors.empty() ? Status() : not_put_back(errors, path_);
}

Result<size_t> recover_settings(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored)) &&
      !fs::exists(path.parent_path() / "host.json", ignored))
    return size_t{0};
  OpenJournals& journals = open_journals();
  const std::lock_guard lock(journals.mutex);
  const auto known = journals.by_path.find(path);
  if (known != journals.by_path.end())
    if (const auto ours = known->second.lock(); ours && ours->owner_ == ::getpid())
      return size_t{0};
  const auto journal = SettingsJournal::take(path, 0);
  if (journal) return (*journal)->recovered();
  if (journal.error().code == Code::conflict) return size_t{0};
  return journal.error();
}

}  // namespace flyball
