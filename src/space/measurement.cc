#include "space/measurement.h"

#include <fmt/format.h>

namespace flyball {

const char* provenance_name(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return "measured";
    case Provenance::table:
      return "table";
    case Provenance::simulated:
      return "simulated";
    case Provenance::predicted:
      return "predicted";
  }
  return "measured";
}

bool Accepted::operator()(Provenance provenance) const {
  if (provenance == Provenance::simulated) return simulated;
  return provenance != Provenance::predicted || predicted;
}

Result<Provenance> parse_provenance(const std::string& text) {
  for (const auto provenance :
       {Provenance::measured, Provenance::table, Provenance::simulated, Provenance::predicted})
    if (text == provenance_name(provenance)) return provenance;
  return Error{Code::corrupt, fmt::format("'{}' is not a provenance", text),
               "one of measured, table, simulated, predicted"};
}

}  // namespace flyball
