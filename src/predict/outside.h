// How far a prediction can be believed where nothing like it was profiled.
#pragma once

#include "predict/predictor.h"

namespace flyball {

/// Widens the 90 % intervals of every configuration of `space` that lies outside of the box of the
/// `profiled` ones. Beyond the box no reading says how much an axis matters: between not at all and
/// in proportion, so that on the log scale the figure may be off by a share of the way from the
/// box, summed over the axes; by more of it on an axis of which one value alone was profiled.
/// Searches weigh predictions without it: what they pick is measured anyway.
void widen_outside(const Space& profiled, const Space& space, Prediction& prediction);

}  // namespace flyball
