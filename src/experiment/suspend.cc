#include "experiment/suspend.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "base/clock.h"
#include "base/files.h"
#include "device/setting_files.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr double short_of = 0.5;  // woken before this share of the time: it did not suspend

// The monotonic clock stands still while a machine sleeps.
double wall_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// An alarm that is set refuses another one: 0 clears it.
Status set_alarm(const fs::path& alarm, int64_t seconds) {
  std::error_code ignored;
  if (!fs::exists(alarm, ignored)) return {};  // whoever is there sends a packet
  FLYBALL_CHECK(kernel_files().write(alarm, "0"));
  return kernel_files().write(alarm, fmt::format("+{}", seconds));
}

}  // namespace

Status check_suspend(const fs::path& root) {
  const fs::path state = root / "sys/power/state";
  const auto states = kernel_files().read(state);
  if (!states || states->find("mem") == std::string::npos)
    return Error{
        Code::unavailable,
        fmt::format("this machine has no knob for suspending: {}",
                    states ? state.string() + " does not list mem" : states.error().message),
        "leave the state suspended out; idle and sampling are measured everywhere"};
  if (::access(state.c_str(), W_OK) != 0) return file_error("suspend by", state, errno);
  return {};
}

Result<RunFigures> watch_suspended(const RunSettings& settings, int repeat,
                                   const std::function<bool()>& interrupted, const fs::path& root) {
  RunFigures figures{.settings = settings, .repeat = repeat, .started_utc = wall_clock_utc()};
  figures.power_gap = "a suspended machine measures nothing: --plug joins a plug meter's log";
  const auto seconds = static_cast<double>(settings.seconds);
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    if (interrupted())
      return Error{Code::interrupted, "interrupted", "the same command goes on from here"};
    FLYBALL_CHECK(set_alarm(root / "sys/class/rtc/rtc0/wakealarm", settings.seconds));
    EpochFigures stretch{.epoch = epoch};
    stretch.begin_unix_s = wall_s();
    FLYBALL_CHECK(kernel_files().write(root / "sys/power/state", "mem"));
    stretch.e2e_s = wall_s() - stretch.begin_unix_s;
    if (stretch.e2e_s < short_of * seconds)
      return Error{Code::unavailable,
                   fmt::format("the machine was to sleep for {:g} s and was back after {:.1f} s",
                               seconds, stretch.e2e_s),
                   "something woke it, or its kernel refuses: see dmesg"};
    figures.epochs.push_back(std::move(stretch));
  }
  return figures;
}

}  // namespace flyball
