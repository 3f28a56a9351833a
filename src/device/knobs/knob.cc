#include "device/knobs/knob.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/folder_entries.h"
#include "base/text.h"
#include "space/axis_choice.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// "0-3,8" as numbers; nothing where it is no such list.
std::vector<int> parse_ranges(const std::string& text) {
  std::vector<int> numbers;
  for (const std::string& part : split(std::string(trim(text)), ',')) {
    const size_t dash = part.find('-');
    const auto first = parse_integer(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > 4095) return {};
    for (auto n = *first; n <= *last; ++n) numbers.push_back(static_cast<int>(n));
  }
  return numbers;
}

}  // namespace

fs::path KnobPlace::cpu(int number) const {
  return root / fmt::format("sys/devices/system/cpu/cpu{}", number);
}

std::vector<int> present_cpus(const KnobPlace& place) {
  const fs::path folder = place.root / "sys/devices/system/cpu";
  if (const auto text = place.files->read(folder / "present"))
    if (auto cpus = parse_ranges(*text); !cpus.empty()) return cpus;
  std::vector<int> cpus;
  for (const fs::path& cpu : folder_entries(folder, "cpu"))
    if (const auto number = parse_integer(cpu.filename().string().substr(3)))
      cpus.push_back(static_cast<int>(*number));
  std::ranges::sort(cpus);
  return cpus;
}

bool is_online(const KnobPlace& place, int cpu) {
  const auto text = place.files->read(place.cpu(cpu) / "online");
  return !text || trim(*text) != "0";  // what cannot be switched is on
}

Status check_value(const Axis& axis, double value) {
  const auto above = std::ranges::lower_bound(axis.values, value - 1e-6 * std::abs(value));
  if (above != axis.values.end() && std::abs(*above - value) <= 1e-6 * std::abs(value)) return {};
  return lacks_value(axis, value, "here", "flyball mode list");
}

}  // namespace flyball
