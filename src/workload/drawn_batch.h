// A minibatch of random numbers as a network of the list takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "base/random.h"
#include "workload/stepper.h"

namespace flyball {

/// Numbers of variance 1, labels and words in range, rows of text without padding, sixteen boxes on
/// a picture; nothing in it means anything. Equal for equal steppers.
class DrawnBatch {
 public:
  DrawnBatch(const Stepper& stepper, int64_t samples);
  DrawnBatch(const DrawnBatch&) = delete;
  DrawnBatch& operator=(const DrawnBatch&) = delete;

  BatchView view() const { return {tensors_, samples_}; }

 private:
  void draw(const TensorSpec& spec, const StepOptions& options);
  void draw_boxes(float* numbers, size_t count, double side);
  int64_t whole_number(const std::string& tensor, const StepOptions& options);
  template <class T>
  T* add(const std::string& name, const TensorShape& shape);

  int64_t samples_;
  Random random_{1};
  std::list<std::vector<std::byte>> memory_;
  std::vector<TensorView> tensors_;
};

}  // namespace flyball
