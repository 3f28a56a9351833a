// How the tensors of a checkpoint are named: what they are, and the network's own name.
#pragma once

#include <string_view>

namespace flyball {

inline constexpr std::string_view parameter_prefix = "parameter ", buffer_prefix = "buffer ",
                                  carried_prefix = "carried ", random_name = "random state";

/// Of what the network answers with, rather than of how it is trained.
inline bool is_weight(std::string_view name) {
  return name.starts_with(parameter_prefix) || name.starts_with(buffer_prefix);
}

}  // namespace flyball
