// What of ours is one operator, told to those who look on at a step as LibTorch's own operators are
// (a profiler, layer_recorder.h). Nothing is done where nobody looks on.
#pragma once

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <utility>
#include <vector>

namespace flyball {

/// Runs `body`, which gives a tensor, as the operator "flyball::NAME" of these inputs.
template <class Body, class... Inputs>
auto announced(const char* name, const Body& body, const Inputs&... inputs) {
  at::RecordFunction guard(at::RecordScope::FUNCTION);
  if (!guard.isActive()) return body();
  std::vector<c10::IValue> values;
  (values.emplace_back(inputs), ...);
  guard.before(name, c10::ArrayRef<const c10::IValue>(values.data(), values.size()),
               static_cast<int64_t>(at::sequence_number::peek()));
  auto output = body();
  if (guard.needsOutputs()) {
    std::vector<c10::IValue> outputs;
    outputs.emplace_back(output);
    guard.setOutputs(std::move(outputs));
  }
  return output;
}

/// Says that the first tensor was made of the others, which are parameters.
template <class... Inputs>
void announce_made_of(const Inputs&... tensors) {
  at::RecordFunction guard(at::RecordScope::FUNCTION);
  if (!guard.isActive()) return;
  std::vector<c10::IValue> values;
  (values.emplace_back(tensors), ...);
  guard.before("flyball::made_of", c10::ArrayRef<const c10::IValue>(values.data(), values.size()),
               -1);
}

}  // namespace flyball
