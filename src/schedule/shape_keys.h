// Names the shapes that a service's requests come in, where its model takes any size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schedule/service.h"

namespace flyball {

/// A number for each shape (of a sample, over all inputs) that a request which waits has; 0 where
/// the model has one shape only.
class ShapeKeys {
 public:
  explicit ShapeKeys(const std::vector<TensorSpec>& inputs);
  /// That of this request, kept or not.
  uint64_t of(const InferRequest& request) const;
  /// It waits, or no longer does: a shape is forgotten with its last request.
  void keep(const InferRequest& request);
  void give_back(const InferRequest& request);

 private:
  using Sizes = std::vector<int64_t>;
  struct Kept {
    uint64_t key = 0;
    size_t waiting = 0;
  };
  Sizes sizes_of(const InferRequest& request) const;

  std::vector<std::string> inputs_;  ///< empty: one shape only
  std::map<Sizes, Kept> shapes_;
  uint64_t last_ = 0;
};

}  // namespace flyball
