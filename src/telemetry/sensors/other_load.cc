#include "telemetry/sensors/other_load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "telemetry/sensors/proc_parse.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

double own_seconds() {
  double sum = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (::getrusage(who, &usage) == 0)
      sum += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return sum;
}

}  // namespace

OtherLoad::OtherLoad(std::filesystem::path root) : stat_(root / "proc/stat"), begin_(now()) {}

std::optional<OtherLoad::Point> OtherLoad::now() const {
  std::array<char, 512> buffer;  // the line of all cores is the first one
  const auto text = read_small(stat_.c_str(), buffer);
  if (!text) return {};
  const auto ticks = parse_cpu_ticks(*text, "cpu");
  if (!ticks) return {};
  const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return Point{static_cast<double>(ticks->busy) / per_second, own_seconds(), monotonic_ns()};
}

std::optional<double> OtherLoad::cores() const {
  const auto end = now();
  if (!begin_ || !end || end->at_ns <= begin_->at_ns) return {};
  const double wall_s = static_cast<double>(end->at_ns - begin_->at_ns) * 1e-9;
  const double others_s = (end->busy_s - begin_->busy_s) - (end->own_s - begin_->own_s);
  return std::max(0.0, others_s / wall_s);
}

}  // namespace flyball
