#include "cli/stored.h"

namespace flyball::cli {

Result<Store> open_stored(const std::string& place) {
  if (place.empty()) return Store::open_to_read(Store::default_place());
  return Store::open_to_read(place, {.create = false});
}

}  // namespace flyball::cli
