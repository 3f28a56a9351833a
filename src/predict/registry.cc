#include "predict/registry.h"

#include <fmt/format.h>

#include "base/text.h"
#include "predict/analytical.h"
#include "predict/auto.h"
#include "predict/gp.h"
#include "predict/linear.h"
#include "predict/mlp_kernel.h"
#include "predict/nn.h"
#include "predict/physical.h"
#include "predict/roofline.h"

namespace flyball {

const std::vector<PredictorEntry>& predictors() {
  static const std::vector<PredictorEntry> list = {
      {"auto", "the best of those below that need no training, by cross-validation (the default)",
       make_auto},
      {"gp", "Gaussian process around physical forms of time and power", make_gp},
      {"transfer-gp", "the same, taught by earlier workloads and other boards", make_transfer_gp},
      {"linear", "linear in the clocks; one universal energy model (POMACS 2022)", make_linear},
      {"nn", "PowerTrain's network from scratch (FGCS 2024)", make_nn, true},
      {"transfer-nn", "PowerTrain: a reference's network, fine-tuned (FGCS 2024)", make_transfer_nn,
       true},
      {"analytical", "power law in time and line in power for each memory clock", make_analytical},
      {"physical", "non-negative sums of 1/f in time, of f and f³ in power", make_physical},
      {"roofline", "time and energy rooflines of each mode (Pagoda), from FLOPs and bytes",
       make_roofline},
  };
  return list;
}

std::string default_predictor() {
  return "auto";
}

namespace {

// "nn+mape+log": a network with the options of its name.
Result<std::unique_ptr<Predictor>> make_network(const std::string& name,
                                                std::span<const std::string> words) {
  if (name != "nn" && name != "transfer-nn")
    return Error{Code::invalid_argument,
                 fmt::format("predictor '{}' takes no option '{}'", name, words.front()),
                 "only nn and transfer-nn have options"};
  FLYBALL_ASSIGN(const NnOptions options, parse_nn_options(words));
  return name == "nn" ? make_nn(options) : make_transfer_nn(options);
}

Status loaded(const std::string& name) {
  const auto kernel = mlp_kernel();
  if (!kernel) return kernel.error().within(fmt::format("predictor '{}'", name));
  return {};
}

}  // namespace

Result<std::unique_ptr<Predictor>> make_predictor(const std::string& name) {
  const std::vector<std::string> words = split(name, '+');
  std::vector<std::string> names;
  for (const PredictorEntry& entry : predictors()) {
    if (entry.name == words.front()) {
      if (entry.needs_torch) FLYBALL_CHECK(loaded(entry.name));
      return words.size() == 1 ? entry.make()
                               : make_network(entry.name, std::span(words).subspan(1));
    }
    names.push_back(entry.name);
  }
  return Error{Code::invalid_argument, fmt::format("there is no predictor '{}'", words.front()),
               "one of: " + join(names, ", ")};
}

}  // namespace flyball
