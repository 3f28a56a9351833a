#include "predict/gp/reference_weights.h"

#include <algorithm>

namespace flyball {

void apply_references(std::vector<FormParameter>& parameters, const TransferSources& references,
                      SourceParameters values, const std::string& device, Phase phase,
                      const ReferenceWeights& reference_weights) {
  for (FormParameter& parameter : parameters) {
    double sum = 0, weights = 0, closest = 0;
    for (const auto& reference : references) {
      const auto& known = (*reference.*values)();
      const auto found = known.find(parameter.name);
      if (found == known.end()) continue;
      const double weight = (reference->device() == device ? 1 : reference_weights.other_device) *
                            (reference->phase() == phase ? 1 : reference_weights.other_phase);
      sum += weight * found->second;
      weights += weight;
      closest = std::max(closest, weight);
    }
    if (weights == 0) continue;
    parameter.mean = sum / weights;
    parameter.sd *= 1 - reference_weights.certainty * closest;
  }
}

}  // namespace flyball
