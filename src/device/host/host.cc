#include "device/host/host.h"

#include <fmt/format.h>

#include <algorithm>

#include "boards/identity.h"

namespace flyball {
namespace {

// Of a tree those that it shows as on: our own affinity says nothing of it.
std::vector<int> usable_cpus(const KnobPlace& place) {
  if (place.root == "/") return allowed_cpus();
  std::vector<int> cpus = present_cpus(place);
  std::erase_if(cpus, [&](int cpu) { return !is_online(place, cpu); });
  return cpus.empty() ? allowed_cpus() : cpus;
}

// All counts up to 8, then powers of two, and always all of them.
std::vector<double> core_counts(size_t cores) {
  std::vector<double> counts;
  for (size_t n = 1; n < cores; n = n < 8 ? n + 1 : n * 2) counts.push_back(static_cast<double>(n));
  counts.push_back(static_cast<double>(cores));
  return counts;
}

}  // namespace

BoardDevice::Parts host_parts(const HostOptions& options) {
  const KnobPlace place{options.root, options.files};
  const std::vector<int> cpus = options.cpus.empty() ? usable_cpus(place) : options.cpus;
  BoardDevice::Parts parts;
  parts.info = describe_board(identify_board(options.root), "host", cpus.size(), options.root);
  parts.knobs.push_back(make_affinity_cores(cpus, core_counts(cpus.size()),
                                            options.pin_threads && options.root == "/"));
  if (auto clock = find_cpu_clock(place, cpus))
    parts.knobs.push_back(*std::move(clock));
  else
    parts.gaps.push_back({{axis::cpu_mhz}, clock.error()});
  return parts;
}

std::unique_ptr<BoardDevice> open_host_knobs(const HostOptions& options) {
  return std::make_unique<BoardDevice>(
      BoardDeviceOptions{.root = options.root, .journal = options.journal}, host_parts(options));
}

Result<std::unique_ptr<Device>> open_host(const HostOptions& options) {
  return std::unique_ptr<Device>(open_host_knobs(options));
}

}  // namespace flyball
