// What references say of the parameters of a form.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "predict/gp/form.h"
#include "predict/gp/transfer_source.h"

namespace flyball {

using TransferSources = std::vector<std::shared_ptr<const TransferSource>>;
using SourceParameters = const std::map<std::string, double>& (TransferSource::*)() const;

/// How much references are believed.
struct ReferenceWeights {
  /// Weight of a reference's parameters when it is of another board or of the other phase.
  double other_device = 0.2, other_phase = 0.5;
  double certainty = 0.5;  ///< how much a reference of weight 1 narrows the parameters' priors
  double prior_certainty = 0.25;  ///< the same of a simulation of the workload itself
};

/// References say what each parameter is likely to be; close ones (this board, this phase) more so.
void apply_references(std::vector<FormParameter>& parameters, const TransferSources& references,
                      SourceParameters values, const std::string& device, Phase phase,
                      const ReferenceWeights& reference_weights);

}  // namespace flyball
