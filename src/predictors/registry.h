// The one list of predictors. A new one is a file and a line in registry.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "predict/predictor.h"

namespace flyball {

struct PredictorEntry {
  std::string name;
  std::string summary;  ///< one line for `--help`
  std::unique_ptr<Predictor> (*make)();
  bool references = false;  ///< learns from earlier tables; the others ignore them
  bool priors = false;      ///< is told what a twin knows beforehand; the others are not
  bool needs_cost = false;  ///< fits only workloads whose FLOPs and bytes are known
  /// Trains networks: it needs LibTorch (module/module.h), takes options behind its name, and its
  /// fit takes seconds, so that none is made only to say how far to believe another.
  bool neural = false;
};

const std::vector<PredictorEntry>& predictors();
/// The entry of a name, options aside ("nn+mape" is "nn"); the error lists the names there are.
Result<const PredictorEntry*> find_predictor(const std::string& name);
/// What is used when nobody says: "auto".
std::string default_predictor();
/// The named predictor; the error lists the names there are, or says that it needs LibTorch and why
/// that cannot be had. Networks take options behind their names: "transfer-nn+mape+reference=546"
/// (parse_nn_options()).
Result<std::unique_ptr<Predictor>> make_predictor(const std::string& name);

}  // namespace flyball
