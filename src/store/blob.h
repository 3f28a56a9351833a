// Series of a measurement as compact bytes: differences of integers, 7 bits a byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/measurement.h"

namespace flyball {

/// Times of minibatches, kept to the nanosecond (values within ±10^6 s), with their epochs. With a
/// noise of 5 % about 9 bytes a minibatch. Errors: a time that is not finite or too large.
Result<std::string> encode_minibatches(const std::vector<MinibatchTimes>& times);
/// Errors: bytes that no encoder wrote.
Result<std::vector<MinibatchTimes>> decode_minibatches(std::string_view bytes);

/// Samples of power, kept to the microsecond and the microwatt. Errors as above.
Result<std::string> encode_trace(const std::vector<PowerSample>& samples);
Result<std::vector<PowerSample>> decode_trace(std::string_view bytes);

}  // namespace flyball
