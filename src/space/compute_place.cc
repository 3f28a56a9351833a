#include "space/compute_place.h"

#include "base/text.h"

namespace flyball {

std::optional<size_t> cuda_number(std::string_view place) {
  constexpr std::string_view gpu = "cuda";
  if (place == gpu) return 0;
  if (!place.starts_with(gpu) || place[gpu.size()] != ':') return {};
  const auto number = parse_integer(place.substr(gpu.size() + 1));
  return number && *number >= 0 ? std::optional(static_cast<size_t>(*number)) : std::nullopt;
}

}  // namespace flyball
