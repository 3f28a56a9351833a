#include "space/conditions.h"

#include <fmt/format.h>

namespace flyball {
namespace {

std::string value_of(const Conditions& conditions, const std::string& name) {
  const auto found = conditions.find(name);
  return found == conditions.end() ? "not set" : found->second;
}

}  // namespace

bool serves(const Conditions& then, const Conditions& now) {
  if (then == now) return true;
  const auto power = now.find(power_condition);
  if (power == now.end() || power->second != no_power) return false;
  Conditions without = then;
  without[power_condition] = no_power;
  return without == now;
}

std::vector<std::string> differences(const Conditions& then, const Conditions& now) {
  Conditions names = then;
  names.insert(now.begin(), now.end());
  std::vector<std::string> found;
  for (const auto& [name, ignored] : names) {
    const std::string before = value_of(then, name), after = value_of(now, name);
    if (before != after) found.push_back(fmt::format("{} was {}, now {}", name, before, after));
  }
  return found;
}

}  // namespace flyball
