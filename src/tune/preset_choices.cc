#include "tune/preset_choices.h"

#include <algorithm>

namespace flyball {
namespace {

constexpr size_t profiles_for_one = 5;  // of so many one may be a preset's

// What a request may wait of its latency until its batch is full.
constexpr double most_waited = 0.5;

// Of a service the largest batch size up to the usual one whose requests need not wait too long.
double batch_within(const Problem& problem, size_t role, const Axis& batches, double usual) {
  double batch = batches.values.front();
  for (const double value : batches.values)
    if (value <= usual &&
        problem.wait_ms(role, value) <= most_waited * problem.roles[role].latency_ms)
      batch = std::max(batch, value);
  return batch;
}

// In a preset's mode, with the run settings that one gets without tuning.
std::optional<size_t> candidate_in(const Problem& problem, const MeasuredRole& own, size_t role,
                                   const PowerMode& mode) {
  const Space& space = own.profiler->space();
  Settings settings = space.settings(own.profiler->default_config());
  for (auto& [name, value] : settings)
    if (const auto set = mode.values.find(name); set != mode.values.end()) value = set->second;
  if (const Axis* batches = find_axis(space.axes(), axis::batch_size);
      batches && problem.roles[role].serves())
    settings[axis::batch_size] = batch_within(problem, role, *batches, settings[axis::batch_size]);
  const auto row = space.to_row(settings);
  const auto config = row.ok() ? space.find(*row) : std::nullopt;
  return config ? own.candidate(*config) : std::nullopt;
}

}  // namespace

std::vector<Baseline> preset_choices(const Problem& problem, std::span<const MeasuredRole> roles) {
  const Presets& presets = roles.front().profiler->info().presets;
  std::vector<Baseline> all;
  for (const Preset& preset : presets.list) {
    Baseline& baseline = all.emplace_back(Baseline{.name = "preset " + preset.name});
    baseline.in_force = &preset == presets.in_force();
    for (size_t role = 0; role < roles.size(); ++role) {
      const auto candidate = candidate_in(problem, roles[role], role, preset.mode);
      if (!candidate) break;
      baseline.choice.push_back(*candidate);
    }
    if (baseline.choice.size() < roles.size()) baseline.choice.clear();
  }
  return all;
}

size_t profiles_for_presets(std::span<const Baseline> presets,
                            const std::vector<size_t>& default_choice, size_t profiles) {
  return std::min(profiles_needed(presets, default_choice), profiles / profiles_for_one);
}

}  // namespace flyball
