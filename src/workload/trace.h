// What a network computes in one minibatch, seen while it does so once.
#pragma once

#include "cost/layer_table.h"
#include "cost/operation.h"
#include "workload/stepper.h"

namespace flyball {

/// Runs a step (training: forward, backward and optimizer) on a minibatch of made up samples, all
/// alike, and notes each operator. Errors: those of make_stepper() and of a step.
Result<Graph> trace_step(const std::string& network, const StepOptions& options);

/// Its layer table by these rules; by `pagoda` the forward pass of one sample is what runs.
Result<LayerTable> describe_step(const std::string& network, const StepOptions& options,
                                 CountRules rules);

}  // namespace flyball
