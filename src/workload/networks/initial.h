// Initial weights as torchvision draws them.
#pragma once

#include "workload/network.h"

namespace flyball {

/// Convolutions: normal, by Kaiming's fan-out rule; normalisations: one and zero. Linear layers are
/// left alone, or normal with deviation `linear` when it is above zero.
void initialise(torch::nn::Module& network, double linear = 0);

}  // namespace flyball
