#include "report/sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"

namespace flyball {
namespace {

std::string name_of(size_t index) {
  const auto letter = static_cast<char>('A' + index % 26);
  return index < 26 ? std::string(1, letter) : fmt::format("{}{}", letter, index / 26);
}

std::string store_of(const Source& source) {
  return source.board.empty() ? "this store" : source.board_name;
}

std::string shown(const std::string& value) {
  return value.empty() ? "none" : value;
}

}  // namespace

size_t Sources::of(const StoredMeasurement& stored) {
  const Measurement& m = stored.measurement;
  const std::string total = m.power ? m.power->total : "";
  const auto same = [&](const Source& source) {
    return source.board == stored.board && source.device == m.device &&
           source.fingerprint == m.fingerprint && source.conditions == m.conditions &&
           (m.failed() || source.power_total == total);
  };
  auto found = std::ranges::find_if(all_, same);
  if (found == all_.end()) {
    all_.push_back({name_of(all_.size()), m.device, m.fingerprint, total, m.conditions,
                    stored.board, stored.board_name, 0});
    found = std::prev(all_.end());
  }
  ++found->measurements;
  return static_cast<size_t>(found - all_.begin());
}

std::vector<std::string> differences(const Source& first, const Source& second) {
  std::vector<std::string> found;
  const auto compare = [&](const std::string& what, const std::string& a, const std::string& b) {
    if (a != b)
      found.push_back(fmt::format("{} is {} in {}, {} in {}", what, shown(a), first.name, shown(b),
                                  second.name));
  };
  compare("board", first.device, second.device);
  if (first.board != second.board)
    found.push_back(fmt::format("the board is that of {} in {}, of {} in {}", store_of(first),
                                first.name, store_of(second), second.name));
  compare("fingerprint", first.fingerprint, second.fingerprint);
  compare("power total", first.power_total, second.power_total);
  if (first.conditions.has_value() != second.conditions.has_value()) {
    found.push_back(fmt::format("conditions were not kept for {}",
                                first.conditions ? second.name : first.name));
    return found;
  }
  Conditions all = first.conditions.value_or(Conditions());
  for (const auto& [name, value] : second.conditions.value_or(Conditions())) all.insert({name, ""});
  for (const auto& [name, unused] : all) {
    if (name == power_condition) continue;  // told as the power total
    const auto value = [&name = name](const std::optional<Conditions>& of) {
      const auto at = of ? of->find(name) : Conditions::const_iterator();
      return of && at != of->end() ? at->second : std::string();
    };
    compare(name, value(first.conditions), value(second.conditions));
  }
  return found;
}

Json sources_json(const Sources& sources) {
  Json list = Json::array();
  for (const Source& source : sources.all())
    list.push_back({{"name", source.name},
                    {"device", source.device},
                    {"board", text_or_null(source.board_name)},
                    {"fingerprint", source.fingerprint},
                    {"power_total", text_or_null(source.power_total)},
                    {"conditions", or_null(source.conditions)},
                    {"measurements", source.measurements},
                    {"differences", differences(sources.all().front(), source)}});
  return list;
}

}  // namespace flyball
