// Memory for one minibatch, filled sample by sample and used again for the next.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/batch.h"

namespace flyball {

/// Gives so many bytes for minibatches, aligned to 64; null: there is no memory.
using BatchAllocator = std::function<std::shared_ptr<std::byte>(size_t bytes)>;

/// The tensors of a minibatch in one block, sized for the largest. Samples are written in place:
/// row() and append() give memory of the sample in hand, commit() or discard() ends it. Tensors are
/// named by their place in the layout. Nothing is allocated after create(). Wrong use throws
/// std::logic_error: another type, a row too many.
class BatchBuffer {
 public:
  /// Packed tensors get their offsets added. `allocate` empty: ordinary memory. All of it is
  /// touched, so that no page fault falls into a measured minibatch. Errors: a layout that holds
  /// nothing, names a tensor twice or has sizes below zero; out of memory.
  static Result<BatchBuffer> create(const std::vector<TensorSpec>& layout, int64_t batch_size,
                                    const BatchAllocator& allocate = {});
  /// Bytes that create() takes, or nothing when that is no number.
  static std::optional<size_t> bytes_for(const std::vector<TensorSpec>& layout, int64_t batch_size);

  BatchBuffer(BatchBuffer&&) = default;
  BatchBuffer& operator=(BatchBuffer&&) = default;

  size_t bytes() const { return bytes_; }
  int64_t capacity() const { return capacity_; }
  int64_t count() const { return count_; }  ///< committed samples

  void clear();
  /// The row of the sample in hand in a per_sample tensor; what was there before is still there.
  template <class T>
  std::span<T> row(size_t tensor) {
    return {reinterpret_cast<T*>(row_bytes(tensor, dtype_of<T>())), row_elements(tensor)};
  }
  /// `rows` further rows of the sample in hand in a packed tensor; an error when they are more than
  /// the layout allows for.
  template <class T>
  Result<std::span<T>> append(size_t tensor, int64_t rows) {
    FLYBALL_ASSIGN(std::byte* const data, append_bytes(tensor, dtype_of<T>(), rows));
    return std::span<T>{reinterpret_cast<T*>(data),
                        static_cast<size_t>(rows) * row_elements(tensor)};
  }
  void commit();
  void discard();
  /// Cuts the rows of a per_sample tensor to their first `length` entries (of the row's first
  /// dimension), once all samples are in: padding that no sample of this minibatch needs.
  void trim(size_t tensor, int64_t length);
  /// What is committed; valid until clear() or the end of the buffer.
  BatchView view();

 private:
  struct Tensor {
    TensorSpec spec;
    std::string offsets;  ///< name of the offsets of a packed one
    size_t begin = 0, offsets_begin = 0;
    size_t row_bytes = 0, row_elements = 0;
    int64_t rows = 0, open_rows = 0;  ///< packed: committed; with those of the sample in hand
    int64_t length = -1;              ///< −1: untrimmed
  };

  BatchBuffer() = default;
  size_t row_elements(size_t tensor) const { return tensors_[tensor].row_elements; }
  std::byte* row_bytes(size_t tensor, DType dtype);
  Result<std::byte*> append_bytes(size_t tensor, DType dtype, int64_t rows);
  Tensor& checked(size_t tensor, DType dtype, RowLayout rows);
  int64_t* offsets_of(const Tensor& tensor);

  std::vector<Tensor> tensors_;
  std::vector<TensorView> views_;
  std::shared_ptr<std::byte> memory_;
  size_t bytes_ = 0;
  int64_t capacity_ = 0, count_ = 0;
};

}  // namespace flyball
