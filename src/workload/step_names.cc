// Names of a step's options (stepper.h), for command lines and tables.
#include <fmt/format.h>

#include "workload/stepper.h"

namespace flyball {

const char* optimizer_name(Optimizer optimizer) {
  return optimizer == Optimizer::sgd ? "sgd" : "adam";
}

Result<Optimizer> parse_optimizer(const std::string& text) {
  if (text == "sgd") return Optimizer::sgd;
  if (text == "adam") return Optimizer::adam;
  return Error{Code::invalid_argument, fmt::format("there is no optimizer '{}'", text),
               "use sgd or adam"};
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
