// The memory clock (EMC) of a Jetson: a rate that is locked, and a cap of nvpmodel's.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "device/knobs/clock_range.h"
#include "device/knobs/knob.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// The lists are in kHz or Hz: no memory runs at 100 GHz, and none below 100 kHz.
constexpr double least_hz = 1e8;
constexpr double rounding_mhz = 1;
constexpr int64_t firmware_patience_ns = 300'000'000;  // the firmware takes a moment

struct MemoryFiles {
  fs::path rate, lock, state, cap;  // "" where there is none
};

class MemoryClock final : public Knob {
 public:
  MemoryClock(KnobPlace place, MemoryFiles files, std::vector<double> values)
      : Knob(named_axis(axis::mem_mhz, std::move(values))),
        place_(std::move(place)),
        files_(std::move(files)) {}

  // A rate that is kept counts before a cap; a cap of 0 is none.
  Result<double> cap() const override {
    if (kept()) return now();
    if (files_.cap.empty()) return axis().values.back();
    FLYBALL_ASSIGN(const double cap, mhz(files_.cap));
    return cap > 0 ? std::min(cap, axis().values.back()) : axis().values.back();
  }
  Result<double> now() const override { return mhz(files_.rate); }

  Status settable() const override {
    for (const fs::path& file : {files_.rate, files_.lock, files_.state})
      if (!file.empty() && ::access(file.c_str(), W_OK) != 0) return file_error("set", file, errno);
    return {};
  }

  Status set(double low, double high, SettingsJournal* journal) override {
    return low == high ? pin(high, *journal) : cap_at(high, *journal);
  }

 private:
  Result<double> mhz(const fs::path& file) const {
    return ClockRange{{}, {}, hz_per_mhz}.mhz(*place_.files, file);
  }

  bool kept() const {
    const fs::path& file = files_.lock.empty() ? files_.state : files_.lock;
    const auto text = place_.files->read(file);
    return text && trim(*text) == "1";
  }

  // The firmware rounds up: what it answers is above what was asked, but below the next rate.
  Status check_rate(double asked) const {
    const auto next = std::ranges::upper_bound(axis().values, asked);
    const double limit = next == axis().values.end() ? 1.02 * asked : *next - rounding_mhz;
    const int64_t deadline_ns = monotonic_ns() + firmware_patience_ns;
    while (true) {
      FLYBALL_ASSIGN(const double got, now());
      if (got >= asked - rounding_mhz && got < limit) return {};
      if (monotonic_ns() >= deadline_ns)
        return Error{
            Code::unavailable,
            fmt::format("mem_mhz was set to {} but reads {}", format_number(asked),
                        format_number(got)),
            "a cap of the power mode (nvpmodel) lies below it, or the firmware refused it"};
      sleep_until_ns(monotonic_ns() + 5'000'000);
    }
  }

  Status pin(double value, SettingsJournal& journal) {
    const SettingRule fluid{.fluid = true};
    if (!files_.cap.empty()) {
      const auto cap = mhz(files_.cap);
      if (cap && *cap > 0 && *cap < value - rounding_mhz)
        FLYBALL_CHECK(journal.set(files_.cap, "0"));
    }
    if (!files_.lock.empty()) FLYBALL_CHECK(journal.set(files_.lock, "1"));
    const std::array<SettingAddress, 2> fluids = {files_.rate, files_.state};
    FLYBALL_CHECK(journal.remember(fluids, fluid));
    FLYBALL_CHECK(journal.set(files_.rate, fmt::format("{:.0f}", value * hz_per_mhz), fluid));
    FLYBALL_CHECK(journal.set(files_.state, "1", fluid));
    return check_rate(value);
  }

  Status cap_at(double value, SettingsJournal& journal) {
    if (!files_.cap.empty())
      FLYBALL_CHECK(journal.set(files_.cap, value >= axis().values.back()
                                                ? "0"
                                                : fmt::format("{:.0f}", value * hz_per_mhz)));
    const fs::path& keeper = files_.lock.empty() ? files_.state : files_.lock;
    return kept() ? journal.set(keeper, "0") : Status();
  }

  KnobPlace place_;
  MemoryFiles files_;
};

// Kilohertz or hertz, by size.
std::vector<double> parse_rates(const std::string& text) {
  const auto list = parse_clock_list(text, 1);
  if (list.empty()) return {};
  return parse_clock_list(text, list.back() < least_hz ? khz_per_mhz : hz_per_mhz);
}

}  // namespace

Result<KnobPtr> find_memory_clock(const KnobPlace& place, const BoardSpec& board) {
  const MemorySpec& spec = board.memory;
  const auto below = [&](const std::string& path) {
    return path.empty() ? fs::path() : place.root / path;
  };
  MemoryFiles files{below(spec.rate), below(spec.lock), below(spec.state), {}};
  if (files.rate.empty())
    return Error{Code::unavailable, "mem_mhz cannot be set: this board shows no memory clock", ""};
  if (const auto rate = place.files->read(files.rate); !rate) {
    Error error = rate.error().within("mem_mhz cannot be set");
    error.hint = "debugfs is for root: run as root, or mount -t debugfs none /sys/kernel/debug";
    return error;
  }
  std::error_code ignored;
  for (const std::string& cap : spec.caps)
    if (files.cap.empty() && fs::exists(below(cap), ignored)) files.cap = below(cap);
  for (const std::string& path : spec.rates) {
    const auto text = place.files->read(below(path));
    if (auto values = text ? parse_rates(*text) : std::vector<double>(); !values.empty())
      return KnobPtr(std::make_unique<MemoryClock>(place, std::move(files), std::move(values)));
  }
  return Error{Code::unavailable, "mem_mhz cannot be set: the board lists no rates of its memory",
               "its rate is read all the same"};
}

}  // namespace flyball
