// Where a network computes, as text: "cpu", "cuda", "cuda:1".
#pragma once

#include <optional>
#include <string_view>

namespace flyball {

/// The number of the GPU that the text names, 0 for "cuda"; nothing where it names none.
std::optional<size_t> cuda_number(std::string_view place);

}  // namespace flyball
