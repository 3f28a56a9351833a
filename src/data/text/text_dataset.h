// Running text as a data set: its samples are windows of words that follow each other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/collate.h"
#include "data/dataset.h"
#include "data/text/tensor_names.h"
#include "data/text/words.h"

namespace flyball {

inline constexpr const char* next_tensor = "next";
inline constexpr const char* window_tensor = "window";

/// Sample i holds the bytes of words i·window() to (i + 1)·window(), the last included, which is
/// the first of sample i + 1; its only part tells of i, and of its first line and byte.
class TextDataset : public Dataset {
 public:
  virtual std::shared_ptr<const Words> words() const = 0;
  virtual int64_t window() const = 0;  ///< words of a sample

  int64_t classes() const override { return words()->size(); }
  std::array<int, 3> shape() const override { return {}; }
  std::vector<TensorSpec> parts() const override { return {{"place", DType::int64, {3}}}; }
  Status check(const RawSample& sample, std::vector<int64_t>& classes) const override;
  /// Text in as many strands as a minibatch has rows: each row goes on where it ended in the
  /// minibatch before. What does not fill a row of strands comes last.
  std::vector<int64_t> strands(int64_t batch_size) const override;
};

/// Minibatches of text: "ids" (int64, window) and "next" (int64, window), the word behind each;
/// "window" (int64) is the number of the sample: what is carried for number i goes on in i + 1.
/// Words become numbers here: that is this workload's pre-processing. Error: a set without text.
Result<CollatePtr> open_text_collate(const Dataset& dataset, const CollateOptions& options);

}  // namespace flyball
