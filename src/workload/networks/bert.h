// BERT (Devlin, Chang, Lee, Toutanova 2018) with the head that marks the answer in a text.
#pragma once

#include <cstdint>
#include <memory>

#include "workload/network.h"

namespace flyball {

struct BertShape {
  int64_t vocabulary = 30522;
  int64_t layers = 12, width = 768, heads = 12, hidden = 3072;  ///< those of the base model
  double dropout = 0.1;
};

/// A row has so many tokens at most: each place has its own vector.
inline constexpr int64_t bert_places = 512;

/// Takes "ids", "types" and "mask", answers "start_logits" and "end_logits" (rows × tokens); the
/// loss is the mean of the cross-entropies with "start" and "end" (data/text/question_collate.h),
/// each shown beside it. Parameters stand in the order of the computation, query, key and value of
/// a layer in one matrix, as in PyTorch's multi-head attention.
std::shared_ptr<Network> make_bert(const BertShape& shape);

}  // namespace flyball
