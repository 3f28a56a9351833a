#include "device/measuring.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "base/clock.h"
#include "base/os/process_name.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr int64_t between_looks_ns = 200'000'000;  // between two looks of who waits

bool is_cancelled(const MeasuringOptions& options) {
  return options.cancelled && options.cancelled();
}

// With the name of the machine that this one stands for.
std::string right_to_measure() {
  const char* machine = std::getenv("FLYBALL_MACHINE");
  return machine && *machine ? fmt::format("flyball-measures-{}", machine) : "flyball-measures";
}

Status check_machine(const std::string& right) {
  const bool plain = std::ranges::all_of(
      right, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; });
  if (plain && right.size() <= 60) return {};
  return Error{Code::invalid_argument, "FLYBALL_MACHINE is no name of a machine",
               "write up to 40 letters, digits and hyphens, or leave it out"};
}

// "process 12 (flyball tune lenet5) of user 1000 since 2026-…"; the user where it is not ours.
std::string describe(int pid, const std::string& since) {
  struct stat process {};
  const bool known = ::stat(fmt::format("/proc/{}", pid).c_str(), &process) == 0;
  const std::string command = command_of(pid);
  return fmt::format(
      "process {}{}{} since {}", pid, command.empty() ? "" : fmt::format(" ({})", command),
      known && process.st_uid != ::geteuid() ? fmt::format(" of user {}", process.st_uid) : "",
      since);
}

// The program that a `tune --server` measures has no session of its own.
bool is_measured() {
  const char* told = std::getenv("FLYBALL_MEASURED");
  return told && *told;
}

Error taken_by(const std::string& who, Caller caller) {
  return {Code::conflict,
          fmt::format("the right to measure on this machine is held by {}",
                      who.empty() ? "another process" : who),
          fmt::format("{} waits until it has ended; {} measures all the same and marks what it "
                      "measures as disturbed",
                      flag_text(caller, "wait"), flag_text(caller, "force"))};
}

// Whose right it is to measure; nobody's for who passes over it.
struct Taken {
  std::vector<MachineName> names;
  std::optional<SessionFile> file;
};

// Tests that stand for another machine have no part in the file of this one.
std::optional<SessionFile> session_file() {
  const char* machine = std::getenv("FLYBALL_MACHINE");
  const char* named = std::getenv("FLYBALL_SESSIONS");
  if (machine && *machine && !(named && *named)) return {};
  return SessionFile::open();
}

// Error: `conflict` where somebody has it.
Status try_to_take(const std::string& right, Taken& taken) {
  if (taken.file && !taken.file->take_right())
    return Error{Code::conflict, "another process has the right to measure", ""};
  auto name = MachineName::take(right);
  if (name) {
    taken.names.push_back(*std::move(name));
    return {};
  }
  if (!taken.file || name.error().code != Code::conflict) return name.error();
  // Who has the name and says nothing of a session, not a moment later either, does not measure.
  for (int look = 0; look < 3; ++look) {
    if (!others_measuring().empty()) return name.error();
    sleep_until_ns(monotonic_ns() + between_looks_ns / 4);
  }
  return {};
}

Result<Taken> take(const std::string& right, const MeasuringOptions& options) {
  bool told = false;
  while (true) {
    Taken taken{{}, session_file()};
    const Status status = try_to_take(right, taken);
    if (status.ok() || options.force) return taken;
    if (status.error().code != Code::conflict) return status.error();
    const std::string who = others_measuring();
    if (!options.wait) return taken_by(who, options.caller);
    if (is_cancelled(options)) return Error{Code::interrupted, "interrupted while waiting", ""};
    if (!told && options.waiting) options.waiting(who);
    told = true;
    taken.file.reset();
    sleep_until_ns(monotonic_ns() + between_looks_ns);
  }
}

// As somebody reads it who sees neither this process nor its user.
std::string self(const std::string& since) {
  std::array<char, 64> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} ({:.100}) of user {} on {} since {}", ::getpid(),
                     command_of(::getpid()), ::geteuid(), host.data(), since);
}

}  // namespace

MeasuringSession::MeasuringSession(std::vector<MachineName> names, std::optional<SessionFile> file)
    : names_(std::move(names)), file_(std::move(file)), owner_(::getpid()) {}

Result<std::shared_ptr<MeasuringSession>> MeasuringSession::begin(const MeasuringOptions& options) {
  static std::weak_ptr<MeasuringSession> ours;
  if (auto there = ours.lock(); there && there->owner_ == ::getpid()) return there;
  if (is_measured()) return std::shared_ptr<MeasuringSession>(new MeasuringSession({}, {}));
  const std::string right = right_to_measure();
  FLYBALL_CHECK(check_machine(right));
  FLYBALL_ASSIGN(Taken taken, take(right, options));
  // Says who and since when to those who look; without it we measure as well.
  const std::string now = wall_clock_utc();
  if (auto own = MachineName::take(fmt::format("{}/{}/{}", right, ::getpid(), now)))
    taken.names.push_back(*std::move(own));
  if (taken.file) taken.file->announce(self(now));
  std::shared_ptr<MeasuringSession> session(
      new MeasuringSession(std::move(taken.names), std::move(taken.file)));
  ours = session;
  return session;
}

std::string others_measuring() {
  std::vector<std::string> others;
  for (const std::string& name : MachineName::in_use(right_to_measure() + "/")) {
    const std::vector<std::string> parts = split(name, '/');
    const auto pid = parts.size() == 3 ? parse_integer(parts[1]) : std::nullopt;
    if (pid && *pid != ::getpid()) others.push_back(describe(static_cast<int>(*pid), parts[2]));
  }
  if (const auto file = session_file()) {
    const std::vector<std::string> elsewhere = file->elsewhere();
    others.insert(others.end(), elsewhere.begin(), elsewhere.end());
  }
  return join(others, "; ");
}

std::string unseen_sessions(const std::filesystem::path& root) {
  std::error_code unknown;
  const bool contained = std::ranges::any_of(
      std::array{".dockerenv", "run/.containerenv", "run/systemd/container"},
      [&](const char* mark) { return std::filesystem::exists(root / mark, unknown); });
  if (!contained || session_file()) return "";
  return "other containers that measure on this machine cannot be seen from this one (mount "
         "/run/flyball-measuring into both; `flyball helper install` on the host makes it)";
}

}  // namespace flyball
