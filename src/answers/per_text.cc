#include "answers/per_text.h"

namespace flyball {

std::string counted_by(const ProfilerInfo& info) {
  const auto counted = info.conditions.find(counted_condition);
  return counted == info.conditions.end() ? "" : counted->second;
}

std::string per_text(const TuneResult& result) {
  const std::string counted = counted_by(result.board());
  return counted.empty() ? per_name(result.per) : counted;
}

}  // namespace flyball
