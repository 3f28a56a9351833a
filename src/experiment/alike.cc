#include "experiment/alike.h"

#include <algorithm>

#include "base/json.h"

namespace flyball {
namespace {

Json settings_but(const std::vector<std::string>& names, const RunSettings& settings) {
  Json json = settings_json(settings);
  for (const std::string& name : names) json.erase(name);
  return json;
}

}  // namespace

std::vector<std::vector<Group>> alike_but(const std::vector<std::string>& names,
                                          const std::vector<Group>& groups) {
  std::vector<Json> keys;
  std::vector<std::vector<Group>> sets;
  for (const Group& group : groups) {
    const Json key = settings_but(names, group.settings);
    const auto place = static_cast<size_t>(std::ranges::find(keys, key) - keys.begin());
    if (place == keys.size()) {
      keys.push_back(key);
      sets.emplace_back();
    }
    sets[place].push_back(group);
  }
  return sets;
}

std::string others_label(const ExperimentSpec& spec, const std::vector<std::string>& names,
                         const RunSettings& settings) {
  std::vector<std::string> others;
  for (const Varied& varied : spec.vary)
    if (std::ranges::find(names, varied.name) == names.end()) others.push_back(varied.name);
  return others.empty() ? "" : settings_label(others, settings);
}

}  // namespace flyball
