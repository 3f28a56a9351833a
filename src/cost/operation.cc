#include "cost/operation.h"

namespace flyball {

double Operand::elements() const {
  double product = 1;
  for (const int64_t size : sizes) product *= static_cast<double>(size);
  return present ? product : 0;
}

}  // namespace flyball
