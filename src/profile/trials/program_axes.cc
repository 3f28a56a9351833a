#include "profile/trials/program_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "profile/trials/offered_axes.h"
#include "space/axis_choice.h"

namespace flyball {

Result<std::vector<Axis>> program_axes(const Device& device, const std::vector<Axis>& open) {
  std::vector<Axis> axes = offered_axes(device, open);
  const size_t own = axes.size();
  for (const Axis& wanted : open) {
    const auto known = std::ranges::find(axes, wanted.name, &Axis::name);
    if (known == axes.end()) {
      FLYBALL_CHECK(check_not_missing(device, wanted.name));
      axes.push_back(wanted);
      axes.back().scope = Scope::run;
      continue;
    }
    if (static_cast<size_t>(known - axes.begin()) < own)
      for (double value : wanted.values)
        if (std::ranges::find(known->values, value) == known->values.end())
          return lacks_value(*known, value, "here", "flyball mode list");
    known->values = wanted.values;
  }
  return axes;
}

std::string placeholder(const std::string& name) {
  return "{" + name + "}";
}

std::string filled_in(std::string word, const Settings& settings) {
  for (const auto& [name, value] : settings)
    for (size_t at = 0; (at = word.find(placeholder(name), at)) != std::string::npos;)
      word.replace(at, placeholder(name).size(), format_number(value));
  return word;
}

std::vector<std::string> filled_in(std::vector<std::string> argv, const Settings& settings) {
  for (std::string& word : argv) word = filled_in(std::move(word), settings);
  return argv;
}

}  // namespace flyball
