// Makers of the networks that stand in the list of workload.cc.
#pragma once

#include <memory>

#include "workload/workload.h"

namespace flyball {

/// 61,706 parameters at 1×28×28 and 10 classes. Inputs up to 28 wide are padded by 2, as LeCun's
/// were; at least 12×12. Throws c10::Error for smaller ones.
std::shared_ptr<Network> make_lenet5(const NetworkShape& shape);

}  // namespace flyball
