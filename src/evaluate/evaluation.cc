#include "evaluate/evaluation.h"

#include "base/random.h"
#include "predict/design/design.h"
#include "predictors/registry.h"

namespace flyball {

Status Evaluation::check_predictors() const {
  for (const std::string& name : predictors) {
    const auto made = make_predictor(name);
    if (!made) return made.error();
  }
  return {};
}

Result<std::vector<size_t>> Evaluation::choose_modes(const WorkloadTable& truth,
                                                     const std::string& design, size_t modes,
                                                     size_t run) const {
  DesignRequest request;
  request.space = &truth.space;
  request.count = modes;
  request.seed = mix_seed(seed, run);
  request.references = references;
  request.device = truth.device;
  request.phase = truth.phase;
  return choose_configurations(design, request);
}

}  // namespace flyball
