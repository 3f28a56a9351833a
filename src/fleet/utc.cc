#include "fleet/utc.h"

#include <ctime>

namespace flyball {

std::optional<double> seconds_of_utc(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (!end || *end != '\0') return {};
  return static_cast<double>(::timegm(&parts));
}

}  // namespace flyball
