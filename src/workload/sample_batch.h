// A minibatch that fits a network and means nothing, whose samples are all alike: what depends on
// the data, such as how many boxes are near an object, is then proportional to the batch size.
#pragma once

#include <string>
#include <vector>

#include "workload/network.h"

namespace flyball {

class SampleBatch {
 public:
  /// Valid as long as it lives.
  BatchView view() const { return {views_, samples_}; }

 private:
  friend Result<SampleBatch> make_sample_batch(const Network&, int64_t, const TensorShape&);
  std::vector<std::string> names_, data_;
  std::vector<TensorView> views_;
  int64_t samples_ = 0;
};

/// Inputs and targets. Sizes that may vary: `shape` says the tokens of a row; eight boxes.
Result<SampleBatch> make_sample_batch(const Network& network, int64_t samples,
                                      const TensorShape& shape);

}  // namespace flyball
