// LibTorch's tensors as views in host memory, and back.
#pragma once

#include <string>
#include <vector>

#include "data/batch.h"
#include "workload/checkpoint.h"
#include "workload/network.h"

namespace flyball {

/// The same memory as a tensor of LibTorch, which must only read it.
torch::Tensor on_host(const TensorView& view);

/// A copy in host memory with its numbers, row-major; of a type that views know.
StoredTensor stored(const std::string& name, const torch::Tensor& tensor);
/// Its numbers as a tensor of its own in host memory.
torch::Tensor loaded(const StoredTensor& tensor);

/// Keeps what its views show until it takes the next.
class HostTensors {
 public:
  /// Replaces each tensor by one in host memory, row-major, of a type that views know (bf16, say,
  /// becomes float32), and shows it. On a CPU nothing is copied that is so already, unless it is
  /// memory of `batch`, which is somebody else's.
  BatchView take(Tensors& tensors, const Tensors& batch, int64_t samples);
  /// Scalars as float64 without dimensions.
  BatchView take_numbers(const Scalars& figures);
  /// Gives back what it kept.
  void clear();

 private:
  Tensors kept_;
  std::vector<double> numbers_;
  std::vector<TensorView> views_;
};

}  // namespace flyball
