// Names of the tensors of text.
#pragma once

namespace flyball {

/// Numbers of words or of pieces of words, int64, in every minibatch of text.
inline constexpr const char* ids_tensor = "ids";

}  // namespace flyball
