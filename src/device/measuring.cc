#include "device/measuring.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/clock.h"
#include "base/os/process_name.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr int64_t look_ns = 200'000'000;  // between two looks of who waits

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

Error taken_by(const std::string& who, Caller caller) {
  return {Code::conflict,
          fmt::format("the right to measure on this machine is held by {}",
                      who.empty() ? "another process" : who),
          fmt::format("{} waits until it has ended; {} measures all the same and marks what it "
                      "measures as disturbed",
                      flag_text(caller, "wait"), flag_text(caller, "anyway"))};
}

// The machine's one name; none for who passes over it.
Result<std::vector<MachineName>> take(const std::string& right, const MeasuringOptions& options) {
  std::vector<MachineName> names;
  bool told = false;
  while (true) {
    auto taken = MachineName::take(right);
    if (taken) {
      names.push_back(*std::move(taken));
      return names;
    }
    if (options.anyway) return names;
    if (taken.error().code != Code::conflict) return taken.error();
    const std::string who = others_measuring();
    if (!options.wait) return taken_by(who, options.caller);
    if (is_cancelled(options)) return Error{Code::interrupted, "interrupted while waiting", ""};
    if (!told && options.waiting) options.waiting(who);
    told = true;
    sleep_until_ns(monotonic_ns() + look_ns);
  }
}

}  // namespace

MeasuringSession::MeasuringSession(std::vector<MachineName> names)
    : names_(std::move(names)), owner_(::getpid()) {}

Result<std::shared_ptr<MeasuringSession>> MeasuringSession::begin(const MeasuringOptions& options) {
  static std::weak_ptr<MeasuringSession> ours;
  if (auto there = ours.lock(); there && there->owner_ == ::getpid()) return there;
  const std::string right = right_to_measure();
  FLYBALL_CHECK(check_machine(right));
  FLYBALL_ASSIGN(auto names, take(right, options));
  // Says who and since when to those who look; without it we measure as well.
  if (auto own = MachineName::take(fmt::format("{}/{}/{}", right, ::getpid(), wall_clock_utc())))
    names.push_back(*std::move(own));
  std::shared_ptr<MeasuringSession> session(new MeasuringSession(std::move(names)));
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
  return join(others, "; ");
}

}  // namespace flyball
