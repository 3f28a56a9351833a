// FLOP and DRAM bytes of a minibatch by Pagoda's rules (arXiv 2509.20189; cost/counting.h).
#pragma once

#include "space/axis.h"
#include "space/cost.h"

namespace flyball {

/// FLOPs and bytes of one minibatch. Training is three times the forward pass in both.
struct Work {
  double flop = 0, bytes = 0;
};
Work minibatch_work(const Cost& cost, Phase phase, double batch);

}  // namespace flyball
