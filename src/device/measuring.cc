#include "device/measuring.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "device/journal.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* what = "the right to measure on this machine";
constexpr double look_s = 0.2;  // between two looks of who waits

bool is_cancelled(const MeasuringOptions& options) {
  return options.cancelled && options.cancelled();
}

Result<LockFile> take(const fs::path& folder, const MeasuringOptions& options) {
  const fs::path lock = folder / "measuring.lock";
  bool told = false;
  while (true) {
    auto taken = LockFile::take(lock, what, look_s);
    if (taken || taken.error().code != Code::conflict) return taken;
    if (options.anyway)
      return LockFile::take(folder / fmt::format("measuring-{}.lock", ::getpid()), what);
    Error error = taken.error();
    error.hint = fmt::format(
        "{} waits until it has ended; {} measures all the same and marks what it measures as "
        "disturbed",
        flag_text(options.caller, "wait"), flag_text(options.caller, "anyway"));
    if (!options.wait) return error;
    if (is_cancelled(options)) return Error{Code::interrupted, "interrupted while waiting", ""};
    if (!told && options.waiting) options.waiting(LockFile::holder(lock));
    told = true;
  }
}

}  // namespace

MeasuringSession::MeasuringSession(LockFile lock) : lock_(std::move(lock)), owner_(::getpid()) {}

Result<std::shared_ptr<MeasuringSession>> MeasuringSession::begin(const MeasuringOptions& options) {
  static std::weak_ptr<MeasuringSession> ours;
  if (auto there = ours.lock(); there && there->owner_ == ::getpid()) return there;
  const fs::path folder = state_folder();
  FLYBALL_CHECK(check_state_folder(folder));
  FLYBALL_ASSIGN(LockFile lock, take(folder, options));
  std::shared_ptr<MeasuringSession> session(new MeasuringSession(std::move(lock)));
  ours = session;
  return session;
}

std::string others_measuring(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with("measuring") || !file.ends_with(".lock")) continue;
    const std::string holder = LockFile::holder(entry.path());
    if (!holder.empty() && !holder.starts_with(fmt::format("process {} ", ::getpid())))
      names.push_back(holder);
  }
  std::ranges::sort(names);
  return join(names, "; ");
}

std::string others_measuring() {
  return others_measuring(state_folder());
}

}  // namespace flyball
