#include "workload/trace.h"

#include "cost/counting.h"

namespace flyball {

Result<LayerTable> describe_step(const std::string& network, const StepOptions& options,
                                 CountRules rules) {
  LayerTable table{network, options.phase, static_cast<double>(options.batch_size), rules, {}};
  StepOptions run = options;
  if (rules == CountRules::pagoda) {
    run.phase = Phase::infer;
    run.batch_size = 1;
  }
  FLYBALL_ASSIGN(const Graph graph, trace_step(network, run));
  table.layers = rules == CountRules::exact ? count_exact(graph)
                                            : count_pagoda(graph, options.phase, table.batch_size);
  return table;
}

}  // namespace flyball
