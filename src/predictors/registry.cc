#include "predictors/registry.h"

#include <fmt/format.h>

#include "base/text.h"
#include "baselines/analytical.h"
#include "baselines/linear.h"
#include "baselines/nn/mlp_kernel.h"
#include "baselines/nn/nn.h"
#include "predict/gp/gp.h"
#include "predict/physical/physical.h"
#include "predict/roofline/roofline.h"

namespace flyball {

namespace {

Status loaded(const std::string& name) {
  const auto kernel = mlp_kernel();
  if (!kernel) return kernel.error().within(fmt::format("predictor '{}'", name));
  return {};
}

}  // namespace

const std::vector<PredictorEntry>& predictors() {
  static const std::vector<PredictorEntry> list = {
      {.name = "auto",
       .summary = "transfer-gp, which without earlier workloads is gp (the default)",
       .make = make_transfer_gp,
       .references = true,
       .priors = true},
      {.name = "gp",
       .summary = "Gaussian process around physical forms of time and power",
       .make = make_gp},
      {.name = "transfer-gp",
       .summary = "the same, taught by earlier workloads and other boards",
       .make = make_transfer_gp,
       .references = true,
       .priors = true},
      {.name = "linear",
       .summary = "linear in the clocks; one universal energy model (POMACS 2022)",
       .make = make_linear,
       .references = true},
      {.name = "nn",
       .summary = "PowerTrain's network from scratch (FGCS 2024)",
       .make = make_nn,
       .neural = true},
      {.name = "transfer-nn",
       .summary = "PowerTrain: a reference's network, fine-tuned (FGCS 2024)",
       .make = make_transfer_nn,
       .references = true,
       .neural = true},
      {.name = "analytical",
       .summary = "power law in time and line in power for each memory clock",
       .make = make_analytical},
      {.name = "physical",
       .summary = "non-negative sums of 1/f in time, of f and f³ in power",
       .make = make_physical},
      {.name = "roofline",
       .summary = "time and energy rooflines of each mode (Pagoda), from FLOPs and bytes",
       .make = make_roofline,
       .references = true,
       .needs_cost = true},
  };
  return list;
}

std::string default_predictor() {
  return "auto";
}

Result<const PredictorEntry*> find_predictor(const std::string& name) {
  const std::string wanted = split(name, '+').front();
  std::vector<std::string> names;
  for (const PredictorEntry& entry : predictors()) {
    if (entry.name == wanted) return &entry;
    names.push_back(entry.name);
  }
  return Error{Code::invalid_argument, fmt::format("there is no predictor '{}'", wanted),
               name_hint(wanted, names)};
}

Result<std::unique_ptr<Predictor>> make_predictor(const std::string& name) {
  FLYBALL_ASSIGN(const PredictorEntry* entry, find_predictor(name));
  if (entry->neural) FLYBALL_CHECK(loaded(entry->name));
  const std::vector<std::string> words = split(name, '+');
  if (words.size() == 1) return entry->make();
  if (!entry->neural)
    return Error{Code::invalid_argument,
                 fmt::format("predictor '{}' takes no option '{}'", entry->name, words[1]),
                 "only nn and transfer-nn have options"};
  FLYBALL_ASSIGN(const NnOptions options, parse_nn_options(std::span(words).subspan(1)));
  return entry->references ? make_transfer_nn(options) : make_nn(options);
}

}  // namespace flyball
