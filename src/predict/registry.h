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
  bool needs_torch = false;  ///< its networks come with the module (module/module.h)
};

const std::vector<PredictorEntry>& predictors();
/// What is used when nobody says: "auto".
std::string default_predictor();
/// The named predictor; the error lists the names there are, or says that it needs LibTorch and why
/// that cannot be had. Networks take options behind their names: "transfer-nn+mape+reference=546"
/// (parse_nn_options()).
Result<std::unique_ptr<Predictor>> make_predictor(const std::string& name);

}  // namespace flyball
