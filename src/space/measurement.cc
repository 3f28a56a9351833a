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

const char* origin_name(Origin origin) {
  switch (origin) {
    case Origin::live:
      return "live";
    case Origin::told:
      return "told";
    case Origin::table:
      return "table";
    case Origin::imported:
      return "imported";
    case Origin::simulated:
      return "simulated";
  }
  return "live";
}

Result<Origin> parse_origin(const std::string& text) {
  for (const auto origin :
       {Origin::live, Origin::told, Origin::table, Origin::imported, Origin::simulated})
    if (text == origin_name(origin)) return origin;
  return Error{Code::corrupt, fmt::format("'{}' is not the origin of a measurement", text),
               "one of live, told, table, imported, simulated"};
}

const char* span_name(MeasuredSpan span) {
  return span == MeasuredSpan::whole_run ? "whole run" : "minibatch";
}

Result<MeasuredSpan> parse_span(const std::string& text) {
  for (const auto span : {MeasuredSpan::minibatch, MeasuredSpan::whole_run})
    if (text == span_name(span)) return span;
  return Error{Code::corrupt, fmt::format("'{}' is not what times are those of", text),
               "minibatch or whole run"};
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

Error reported_slowdown() {
  return {Code::invalid_argument,
          "'slowdown' is the time against that of the default, and no figure to report",
          "report it under another name"};
}

}  // namespace flyball
