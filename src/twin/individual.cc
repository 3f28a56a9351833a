#include "twin/individual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr double most_deviations = 3;

class Draw {
 public:
  Draw(uint64_t seed, uint64_t stream) : random_(mix_seed(seed, stream)) {}
  double factor(double deviation) {
    return std::exp(deviation * std::clamp(random_.normal(), -most_deviations, most_deviations));
  }

 private:
  Random random_;
};

// Each clock and each rail has a stream of its own: another rail changes none of the others.
enum Stream : uint64_t { cpu_clock, gpu_clock, memory_clock, first_rail };

void vary_clocks(TwinConstants& c, uint64_t number, double deviation) {
  c.cpu_speed *= Draw(number, cpu_clock).factor(deviation);
  const double gpu = Draw(number, gpu_clock).factor(deviation);
  for (double& efficiency : c.efficiency) efficiency *= gpu;
  c.bytes_per_cycle *= gpu;
  c.kernel_cycles /= gpu;
  c.memory_share = std::min(1.0, c.memory_share * Draw(number, memory_clock).factor(deviation));
}

// What a part draws at rest and at work.
void scale_part(TwinConstants& c, TwinPart part, double drawn, double leakage) {
  const auto scale = [&](double& rest, std::initializer_list<double*> work) {
    rest *= drawn * leakage;
    for (double* one : work) *one *= drawn;
  };
  switch (part) {
    case TwinPart::cpu:
      scale(c.cpu_static_w, {&c.cpu_clock_w, &c.cpu_busy_w});
      break;
    case TwinPart::gpu:
      scale(c.gpu_static_w, {&c.gpu_clock_w, &c.gpu_busy_w, &c.gpu_math_w});
      break;
    case TwinPart::soc:
      scale(c.soc_static_w, {&c.soc_clock_w, &c.soc_traffic_w});
      break;
    case TwinPart::dram:
      scale(c.dram_static_w, {&c.dram_clock_w, &c.dram_traffic_w});
      break;
    case TwinPart::system:
      scale(c.system_w, {});
      break;
  }
}

}  // namespace

TwinBoard individual_board(TwinBoard kind, uint64_t number, const BoardVariation& variation) {
  if (number == 0) return kind;
  vary_clocks(kind.constants, number, variation.clock);
  std::array<bool, twin_parts> done{};
  for (size_t rail = 0; rail < kind.rails.size(); ++rail) {
    Draw draw(number, first_rail + rail);
    const double drawn = draw.factor(variation.rail), leakage = draw.factor(variation.leakage);
    for (size_t part = 0; part < twin_parts; ++part) {
      if (!kind.rails[rail].carries[part] || done[part]) continue;
      done[part] = true;
      scale_part(kind.constants, static_cast<TwinPart>(part), drawn, leakage);
    }
  }
  return kind;
}

Result<IndividualName> parse_individual(const std::string& text) {
  const size_t sign = text.find('@');
  if (sign == std::string::npos) return IndividualName{.kind = text};
  const auto number = parse_integer(text.substr(sign + 1));
  if (number && *number >= 1 && *number <= static_cast<long long>(most_individuals))
    return IndividualName{text.substr(0, sign), static_cast<uint64_t>(*number)};
  return Error{
      Code::invalid_argument,
      fmt::format("'{}' is no number of a board of its kind", text.substr(sign + 1)),
      fmt::format("from 1 to {}, e.g. twin:{}@17", most_individuals, text.substr(0, sign))};
}

}  // namespace flyball
