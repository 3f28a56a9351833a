// Names of a step's options (stepper.h), for command lines and tables.
#include <fmt/format.h>

#include "workload/stepper.h"

namespace flyball {

const char* optimizer_name(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return "sgd";
    case Optimizer::adam:
      return "adam";
    case Optimizer::adamw:
      return "adamw";
  }
  return "";
}

Result<Optimizer> parse_optimizer(const std::string& text) {
  for (const Optimizer known : {Optimizer::sgd, Optimizer::adam, Optimizer::adamw})
    if (text == optimizer_name(known)) return known;
  return Error{Code::invalid_argument, fmt::format("there is no optimizer '{}'", text),
               "use sgd, adam or adamw"};
}

double learning_rate(const StepOptions& options) {
  return options.learning_rate.value_or(0.01);
}

double weight_decay(const StepOptions& options) {
  return options.weight_decay.value_or(options.optimizer == Optimizer::adamw ? 0.01 : 0);
}

const char* precision_name(Precision precision) {
  return precision == Precision::fp32 ? "fp32" : "bf16";
}

Result<Precision> parse_precision(const std::string& text) {
  if (text == "fp32") return Precision::fp32;
  if (text == "bf16") return Precision::bf16;
  return Error{Code::invalid_argument, fmt::format("there is no precision '{}'", text),
               "use fp32 or bf16"};
}

}  // namespace flyball
