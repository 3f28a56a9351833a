#include "cli/stored.h"

#include <fmt/format.h>

namespace flyball::cli {

Result<Store> open_stored(const std::string& place) {
  if (place.empty()) return Store::open_to_read(Store::default_place());
  return Store::open_to_read(place, {.create = false});
}

void tell_left_out(const LeftOutTrials& left_out) {
  if (left_out.all() == 0) return;
  const bool taken = left_out.simulated + left_out.predicted > 0;
  fmt::print(
      stderr, "note: {} are left out ({})\n", left_out.words(),
      taken ? "--accept takes simulated and predicted ones" : "`flyball runs show` lists them");
}

}  // namespace flyball::cli
