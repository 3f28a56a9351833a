#include "tune/role_choices.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/trials/offered_axes.h"

namespace flyball {

Result<std::vector<AxisChoice>> choices_of(Phase phase, bool any_service,
                                           const std::vector<std::string>& texts) {
  FLYBALL_ASSIGN(auto choices, parse_axis_choices(texts));
  if (phase == Phase::train && any_service)
    std::erase_if(choices, [](const AxisChoice& choice) {
      return named_axis(choice.name).scope == Scope::run;
    });
  return choices;
}

std::vector<std::string> live_axes(Phase phase, const std::vector<AxisChoice>& choices) {
  std::vector<std::string> axes;
  for (const AxisChoice& choice : choices) axes.push_back(choice.text());
  if (phase != Phase::infer) return axes;
  AxisChoice batches;
  batches.name = axis::batch_size;
  batches.values = served_batches();
  for (const std::string& usual :
       {batches.text(), std::string("loader_workers=0"), std::string("prefetch=1")})
    if (std::ranges::find(choices, usual.substr(0, usual.find('=')), &AxisChoice::name) ==
        choices.end())
      axes.push_back(usual);
  return axes;
}

Status check_count(const char* option, size_t given, size_t services) {
  if (given <= 1 || given == services) return {};
  return Error{Code::invalid_argument,
               fmt::format("{} has {} values for {} service{}", option, given, services,
                           services == 1 ? "" : "s"),
               "give one for each --infer, or one for all of them"};
}

}  // namespace flyball
