// The default predictor: time and power each come from the model that errs least on rows it has not
// seen. docs/prediction.md says how it chooses.
#pragma once

#include <memory>

#include "predict/predictor.h"

namespace flyball {

/// Named "auto". Compares transfer-gp (where it is taught), gp, physical, analytical and
/// linear by cross-validation over distinct configurations; a simpler one has to be clearly better
/// than the one before it. Trains no network. Notes say what was chosen, and the errors. With fewer
/// than `auto_least_rows` distinct configurations nothing can be compared: transfer-gp (with
/// references or a simulation of the workload) or gp. Needs two rows; none where a simulation tells
/// of the workload, or references a form of cost.
std::unique_ptr<Predictor> make_auto();

inline constexpr size_t auto_least_rows = 10;

}  // namespace flyball
