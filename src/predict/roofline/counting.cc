#include "predict/roofline/counting.h"

namespace flyball {

Work minibatch_work(const Cost& cost, Phase phase, double batch) {
  const double passes = phase == Phase::train ? 3 : 1;
  return {passes * cost.flop_at(batch), passes * cost.bytes_at(batch)};
}

}  // namespace flyball
