#include "device/journal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/guard.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// A start that puts back holds the lock for some milliseconds.
constexpr double takeover_patience_s = 0.5;

// Drivers may take a moment: what is not yet as it was asked for is looked at again.
constexpr int64_t read_back_patience_ns = 300'000'000;

Result<std::string> read_setting(SettingFiles& files, const SettingAddress& setting) {
  if (const auto* gpu = std::get_if<NvidiaSetting>(&setting)) return gpu->read();
  return files.read(std::get<fs::path>(setting));
}

Status write_setting(SettingFiles& files, const SettingAddress& setting, const std::string& value) {
  if (const auto* gpu = std::get_if<NvidiaSetting>(&setting)) return gpu->write(value);
  return files.write(std::get<fs::path>(setting), value);
}

std::string text_of(const SettingAddress& setting) {
  if (const auto* gpu = std::get_if<NvidiaSetting>(&setting)) return gpu->journal_name();
  return std::get<fs::path>(setting).string();
}

Status write_and_read_back(SettingFiles& files, const SettingAddress& setting,
                           const std::string& value, const SettingRule& rule) {
  FLYBALL_CHECK(write_setting(files, setting, value));
  if (rule.fluid) return {};
  const int64_t deadline_ns = monotonic_ns() + read_back_patience_ns;
  for (int64_t pause_ns = 1'000'000;; pause_ns *= 2) {
    FLYBALL_ASSIGN(const std::string taken, read_setting(files, setting));
    if (rule.accepts(value, taken)) return {};
    if (monotonic_ns() >= deadline_ns)
      return Error{
          Code::unavailable,
          fmt::format("{} was set to {} but reads {}", text_of(setting), trim(value), trim(taken)),
          "the board refused it: is the value in its list, and does nothing else govern it?"};
    sleep_until_ns(monotonic_ns() + pause_ns);
  }
}

// A lock of a GPU reads the same, set or not.
bool reads_as_it_is(const SettingAddress& setting) {
  const auto* gpu = std::get_if<NvidiaSetting>(&setting);
  return !gpu || gpu->is_told();
}

// True when there was something to write.
Result<bool> put_back(SettingFiles& files, const fs::path& root, const SavedSetting& saved) {
  FLYBALL_ASSIGN(const SettingAddress setting, setting_address(root, saved.file));
  FLYBALL_ASSIGN(const std::string present, read_setting(files, setting));
  if (present == saved.value && reads_as_it_is(setting)) return false;
  FLYBALL_CHECK(write_and_read_back(files, setting, saved.value, {.fluid = saved.fluid}));
  return true;
}

bool is_core_switch(const SavedSetting& setting) {
  return setting.file.starts_with("sys/devices/system/cpu/cpu") &&
         setting.file.ends_with("/online");
}

// The clock of a cluster has no files while all its cores are off: where some are missing, every
// core that was switched comes on first. Its own entry puts it back afterwards.
void wake_cores(SettingFiles& files, const JournalContent& content) {
  const bool missing = std::ranges::any_of(content.settings, [&](const SavedSetting& setting) {
    return !setting_address(content.root, setting.file).ok();
  });
  if (!missing) return;
  for (const SavedSetting& setting : content.settings)
    if (is_core_switch(setting))
      if (const auto file = setting_address(content.root, setting.file))
        (void)write_setting(files, *file, "1");  // what fails is found when its clock is put back
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

Error kept_elsewhere(const JournalContent& kept, const fs::path& place) {
  return {Code::conflict,
          fmt::format("{} holds what was before a mode of {}", place.string(), kept.root.string()),
          fmt::format("put it back (flyball mode restore --root {}), or remove that file",
                      kept.root.string())};
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

fs::path kept_journal(const fs::path& journal) {
  fs::path kept = journal;
  return kept.replace_extension(".kept");
}

SettingsJournal::SettingsJournal(fs::path path, LockFile lock, SettingFiles& files)
    : path_(std::move(path)), lock_(std::move(lock)), files_(files), owner_(::getpid()) {}

Result<std::shared_ptr<SettingsJournal>> SettingsJournal::take(const fs::path& path,
                                                               double patience,
                                                               SettingFiles& files) {
  FLYBALL_CHECK(check_state_folder(path.parent_path()));
  auto lock = LockFile::take(path.string() + ".lock", "the board", patience);
  if (!lock) {
    Error error = lock.error();
    if (error.code == Code::conflict)
      error.hint = "wait until it ends: what is set belongs to the whole board";
    return error;
  }
  std::shared_ptr<SettingsJournal> journal(new SettingsJournal(path, *std::move(lock), files));
  FLYBALL_CHECK(journal->recover());
  return journal;
}

Result<std::shared_ptr<SettingsJournal>> SettingsJournal::open(const fs::path& path,
                                                               const fs::path& root,
                                                               SettingFiles& files) {
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
  FLYBALL_ASSIGN(auto journal, take(path, takeover_patience_s, files));
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

Status SettingsJournal::remember(std::span<const SettingAddress> settings,
                                 const SettingRule& rule) {
  const size_t before = content_.settings.size();
  const auto add = [&](const SettingAddress& setting) -> Status {
    FLYBALL_ASSIGN(const std::string name, setting_name(content_.root, setting));
    if (std::ranges::find(content_.settings, name, &SavedSetting::file) != content_.settings.end())
      return {};
    FLYBALL_ASSIGN(const std::string present, read_setting(files_, setting));
    content_.settings.push_back({name, present, rule.fluid});
    return {};
  };
  Status status;
  for (const SettingAddress& setting : settings)
    if (status = add(setting); !status.ok()) break;
  if (status.ok() && content_.settings.size() > before) status = save();
  if (!status.ok()) content_.settings.resize(before);
  return status;
}

Status SettingsJournal::set(const SettingAddress& setting, const std::string& value,
                            const SettingRule& rule) {
  FLYBALL_ASSIGN(const std::string present, read_setting(files_, setting));
  if (!rule.fluid && trim(present) == value) return {};
  FLYBALL_CHECK(remember({&setting, 1}, rule));
  return write_and_read_back(files_, setting, value, rule);
}

// What was kept before counts: a setting that was changed twice goes back to what it was first.
// Only then the journal goes, so that a death in between undoes the change.
Status SettingsJournal::keep() {
  if (content_.settings.empty()) return {};
  const fs::path place = kept_journal(path_);
  FLYBALL_ASSIGN(auto earlier, read_journal(place));
  if (earlier && earlier->root != content_.root) return kept_elsewhere(*earlier, place);
  JournalContent kept{.root = content_.root};
  if (earlier) kept = *std::move(earlier);
  for (const SavedSetting& setting : content_.settings)
    if (std::ranges::find(kept.settings, setting.file, &SavedSetting::file) == kept.settings.end())
      kept.settings.push_back(setting);
  FLYBALL_CHECK(write_journal(place, kept));
  content_.settings.clear();
  return save();
}

Result<size_t> SettingsJournal::restore_kept() {
  const fs::path place = kept_journal(path_);
  FLYBALL_ASSIGN(auto kept, read_journal(place));
  if (!kept) {  // also one that a boot has voided
    std::error_code ignored;
    fs::remove(place, ignored);
    return size_t{0};
  }
  if (kept->root != content_.root) return kept_elsewhere(*kept, place);
  const size_t settings = kept->settings.size();
  FLYBALL_CHECK(put_all_back(*kept, place));
  return settings;
}

// Last change first, and again until a round has nothing to write: a minimum cannot go above a
// maximum that is put back only later, and one setting may move another.
Status SettingsJournal::put_all_back(JournalContent& content, const fs::path& place) {
  if (content.settings.empty()) return {};
  wake_cores(files_, content);
  std::vector<SavedSetting> failed;
  std::vector<Error> errors;
  bool wrote = true;
  // What failed may follow what was written, or a driver was busy: at least one more try.
  for (int round = 0; round < 3 && (wrote || (round < 2 && !errors.empty())); ++round) {
    const std::vector<SavedSetting> before = std::exchange(failed, {});
    errors.clear();
    wrote = false;
    for (auto setting = content.settings.rbegin(); setting != content.settings.rend(); ++setting) {
      // The hardware moves it again: written once is enough.
      if (setting->fluid && round > 0 &&
          std::ranges::find(before, setting->file, &SavedSetting::file) == before.end())
        continue;
      const auto written = put_back(files_, content.root, *setting);
      if (written) wrote = wrote || *written;
      if (written) continue;
      errors.push_back(written.error());
      failed.insert(failed.begin(), *setting);
    }
  }
  content.settings = std::move(failed);
  FLYBALL_CHECK(write_journal(place, content));
  return errors.empty() ? Status() : not_put_back(errors, place);
}

Status SettingsJournal::restore() {
  return put_all_back(content_, path_);
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
  const auto journal = SettingsJournal::take(path, 0, kernel_files());
  if (journal) return (*journal)->recovered();
  if (journal.error().code == Code::conflict) return size_t{0};
  return journal.error();
}

}  // namespace flyball
