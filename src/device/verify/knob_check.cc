#include "device/verify/knob_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/folder_entries.h"
#include "base/os/interrupt.h"
#include "base/parallel.h"
#include "base/text.h"
#include "device/knobs/knob.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr double same_share = 1e-6, clock_share = 0.05;
constexpr int64_t clock_patience_ns = 1'000'000'000, between_reads_ns = 20'000'000;

bool is_same(double a, double b) {
  return std::abs(a - b) <= same_share * std::abs(b);
}

// In short steps: a signal ends it.
void wait_for(double seconds, const std::atomic<bool>* interrupted) {
  const int64_t end_ns = monotonic_ns() + nanoseconds(seconds);
  while (monotonic_ns() < end_ns && !is_interrupted(interrupted))
    sleep_until_ns(std::min(end_ns, monotonic_ns() + between_reads_ns));
}

// Of an axis that binds this process alone: the cores that it may use.
std::optional<double> value_in_force(const Device& device, const AxisState& axis) {
  if (axis.own) return static_cast<double>(usable_cores());
  const PowerMode caps = device.caps();
  const auto found = caps.values.find(axis.axis.name);
  return found == caps.values.end() ? std::nullopt : std::optional(found->second);
}

// A clock takes a moment. One below what was asked may idle; one above is not held.
std::optional<double> clock_of(const Device& device, const std::string& axis, double asked,
                               const std::atomic<bool>* interrupted) {
  const int64_t end_ns = monotonic_ns() + clock_patience_ns;
  while (true) {
    const Settings seen = device.observed();
    const auto clock = seen.find(axis);
    if (clock == seen.end()) return {};
    if (clock->second <= asked * (1 + clock_share) || monotonic_ns() >= end_ns ||
        is_interrupted(interrupted))
      return clock->second;
    sleep_until_ns(monotonic_ns() + between_reads_ns);
  }
}

std::string not_read_back(const TriedValue& value, const char* when) {
  return value.read_back
             ? fmt::format("set to {}, read {} {}", format_number(value.asked),
                           format_number(*value.read_back), when)
             : fmt::format("set to {}, does not read {}", format_number(value.asked), when);
}

TriedValue try_value(Device& device, const AxisState& axis, double asked,
                     const KnobCheckOptions& options) {
  const std::string& name = axis.axis.name;
  TriedValue value{.asked = asked, .read_back = {}, .clock = {}};
  const Stopwatch watch;
  const Status set = device.apply({{{name, asked}}});
  value.set_ms = watch.milliseconds();
  if (!set.ok()) {
    value.failure = set.error().message;
    return value;
  }
  for (const char* when : {"at once", "a moment later"}) {
    value.read_back = value_in_force(device, axis);
    if (!value.read_back || !is_same(*value.read_back, asked)) {
      value.failure = not_read_back(value, when);
      return value;
    }
    if (when[0] == 'a' && when[1] == 't') wait_for(options.stay_s, options.interrupted);
  }
  if (name == axis::cpu_cores || !options.clocks) return value;
  value.clock = clock_of(device, name, asked, options.interrupted);
  if (value.clock && *value.clock > asked * (1 + clock_share))
    value.failure = fmt::format("set to {}, but the clock reads {}", format_number(asked),
                                format_number(*value.clock));
  return value;
}

void read_into(BoardSettings& settings, const fs::path& root, const fs::path& file) {
  std::error_code missing;
  const fs::path real = fs::canonical(file, missing);
  if (missing) return;
  if (const auto text = kernel_files().read(real))
    settings[real.lexically_relative(root).string()] = std::string(trim(*text));
}

}  // namespace

std::vector<double> values_to_try(const std::vector<double>& values, double ceiling, size_t count) {
  std::vector<double> allowed;
  for (const double value : values)
    if (value <= ceiling * (1 + same_share)) allowed.push_back(value);
  std::vector<double> chosen;
  if (allowed.empty() || count == 0) return chosen;
  chosen.push_back(allowed.back());
  for (size_t part = count - 1; part > 0; --part) {
    const double value = allowed[(allowed.size() - 1) * part / count];
    if (std::ranges::count(chosen, value) == 0) chosen.push_back(value);
  }
  return chosen;
}

BoardSettings read_board_settings(const fs::path& root, const BoardIdentity& board) {
  BoardSettings settings;
  const fs::path cpus = root / "sys/devices/system/cpu";
  for (const fs::path& cpu : folder_entries(cpus, "cpu"))
    for (const char* file : {"online", "cpufreq/scaling_min_freq", "cpufreq/scaling_max_freq"})
      read_into(settings, root, cpu / file);
  std::vector<fs::path> gpus;
  if (board.spec)
    for (const std::string& folder : board.spec->gpu_folders) gpus.push_back(root / folder);
  for (const fs::path& device : folder_entries(root / "sys/class/devfreq"))
    if (device.extension() == ".gpu") gpus.push_back(device);
  for (const fs::path& gpu : gpus)
    for (const char* file : {"min_freq", "max_freq"}) read_into(settings, root, gpu / file);
  if (!board.spec) return settings;
  const MemorySpec& memory = board.spec->memory;
  if (!memory.lock.empty()) read_into(settings, root, root / memory.lock);
  for (const std::string& cap : memory.caps) read_into(settings, root, root / cap);
  return settings;
}

std::vector<std::string> changed_settings(const BoardSettings& before, const BoardSettings& after) {
  std::vector<std::string> found;
  for (const auto& [file, value] : before) {
    const auto now = after.find(file);
    if (now == after.end())
      found.push_back(fmt::format("/{}: {} before, does not read now", file, value));
    else if (now->second != value)
      found.push_back(fmt::format("/{}: {} before, {} now", file, value, now->second));
  }
  return found;
}

Result<KnobCheck> check_knob(Device& device, const AxisState& axis,
                             const std::vector<double>& values, const KnobCheckOptions& options) {
  KnobCheck check{.axis = axis.axis.name, .unit = axis.axis.unit, .values = {}};
  if (!values.empty()) check.ceiling = *std::ranges::max_element(values);
  if (!axis.own) FLYBALL_CHECK(device.claim());
  for (const double value : values) {
    if (is_interrupted(options.interrupted)) break;
    check.values.push_back(try_value(device, axis, value, options));
  }
  FLYBALL_CHECK(device.restore());
  check.restored = true;
  if (is_interrupted(options.interrupted))
    return Error{Code::interrupted, "interrupted; the board was put back", ""};
  return check;
}

}  // namespace flyball
