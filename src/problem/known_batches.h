// Whoever serves requests must know how many of them are in a minibatch.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/status.h"
#include "space/space.h"

namespace flyball {

/// Of a workload whose requests are served. Error: no axis says its batch size.
inline Status check_batches(const std::string& title, const Space& space) {
  if (space.axis_index(axis::batch_size)) return {};
  return Error{Code::invalid_argument,
               fmt::format("{} does not say how large its minibatches are", title),
               "requests are served in minibatches of known size: add a column batch_size"};
}

}  // namespace flyball
