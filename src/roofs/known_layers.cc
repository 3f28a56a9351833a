#include "roofs/known_layers.h"

#include <fmt/format.h>

#include "base/text.h"
#include "predict/roofline/known_cost.h"

namespace flyball {

Result<LayerTable> known_layers(const std::string& workload, Phase phase, double batch_size,
                                CountRules) {
  const auto cost = known_cost(workload);
  if (!cost)
    return Error{Code::not_found, fmt::format("the FLOP and bytes of '{}' are not known", workload),
                 "they are known of: " + join(costed_workloads(), ", ")};
  const Work work = minibatch_work(*cost, phase, batch_size);
  Layer whole{.name = "whole network", .op = "all"};
  whole.flop = work.flop;
  whole.bytes = work.bytes;
  whole.kernels = 1;
  return LayerTable{workload, phase, batch_size, CountRules::pagoda, {whole}};
}

}  // namespace flyball
