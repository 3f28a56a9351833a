// A minibatch that fits a network and means nothing, whose samples are all alike: what depends on
// the data, such as how many boxes are near an object, is then proportional to the batch size.
#pragma once

#include <string>
#include <vector>

#include "workload/stepper.h"

namespace flyball {

class SampleBatch {
 public:
  /// Valid as long as it lives.
  BatchView view() const { return {views_, samples_}; }

 private:
  friend Result<SampleBatch> make_sample_batch(const Stepper&, int64_t, const TensorShape&,
                                               int64_t);
  std::vector<std::string> names_, data_;
  std::vector<TensorView> views_;
  int64_t samples_ = 0;
};

/// Inputs and targets. Sizes that may vary: `shape` says the tokens of a row; eight boxes. Windows
/// of text at one `step` are those that go on from the step before.
Result<SampleBatch> make_sample_batch(const Stepper& stepper, int64_t samples,
                                      const TensorShape& shape, int64_t step = 0);

}  // namespace flyball
