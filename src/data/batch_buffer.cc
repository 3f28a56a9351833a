#include "data/batch_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/os/memory.h"

namespace flyball {
namespace {

constexpr size_t kAlignment = 64;

std::shared_ptr<std::byte> allocate_plain(size_t bytes) {
  return {static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes)), std::free};
}

// Sizes as users give them: their product may be no number.
class Size {
 public:
  Size(int64_t value) : value_(static_cast<size_t>(value)), ok_(value >= 0) {}
  Size& operator*=(const Size& other) {
    ok_ = ok_ && other.ok_ && !__builtin_mul_overflow(value_, other.value_, &value_);
    return *this;
  }
  Size& operator+=(const Size& other) {
    ok_ = ok_ && other.ok_ && !__builtin_add_overflow(value_, other.value_, &value_);
    return *this;
  }
  Size& align() {
    *this += Size(kAlignment - 1);
    value_ = value_ / kAlignment * kAlignment;
    return *this;
  }
  std::optional<size_t> value() const {
    return ok_ && value_ <= static_cast<size_t>(INT64_MAX) ? std::optional(value_) : std::nullopt;
  }

 private:
  size_t value_;
  bool ok_;
};

Size row_size(const TensorSpec& spec) {
  Size size(static_cast<int64_t>(dtype_bytes(spec.dtype)));
  for (const int64_t dimension : spec.shape) size *= dimension;
  return size;
}

Size block_size(const TensorSpec& spec, int64_t batch_size) {
  Size size = row_size(spec);
  size *= batch_size;
  if (spec.rows == RowLayout::packed) size *= spec.most_rows;
  return size.align();
}

Size offsets_size(const TensorSpec& spec, int64_t batch_size) {
  Size size(batch_size);
  size += 1;
  size *= spec.rows == RowLayout::packed ? int64_t{sizeof(int64_t)} : 0;
  return size.align();
}

Status check_layout(const std::vector<TensorSpec>& layout, int64_t batch_size) {
  const auto bad = [](const std::string& message) {
    return Error{Code::invalid_argument, message, "mend the layout of the collate"};
  };
  if (layout.empty()) return bad("a minibatch without tensors");
  if (batch_size < 1) return bad(fmt::format("a minibatch of {} samples", batch_size));
  for (size_t i = 0; i < layout.size(); ++i) {
    for (const int64_t size : layout[i].shape)
      if (size < 0) return bad(fmt::format("tensor '{}' has no largest size", layout[i].name));
    if (layout[i].most_rows < 1)
      return bad(fmt::format("tensor '{}' of {} rows", layout[i].name, layout[i].most_rows));
    for (size_t j = 0; j < i; ++j)
      if (layout[j].name == layout[i].name)
        return bad(fmt::format("two tensors are called '{}'", layout[i].name));
  }
  return {};
}

}  // namespace

std::optional<size_t> BatchBuffer::bytes_for(const std::vector<TensorSpec>& layout,
                                             int64_t batch_size) {
  Size bytes(0);
  for (const TensorSpec& spec : layout) {
    bytes += block_size(spec, batch_size);
    bytes += offsets_size(spec, batch_size);
  }
  return bytes.value();
}

Result<BatchBuffer> BatchBuffer::create(const std::vector<TensorSpec>& layout, int64_t batch_size,
                                        const BatchAllocator& allocate) {
  FLYBALL_CHECK(check_layout(layout, batch_size));
  const auto bytes = bytes_for(layout, batch_size);
  if (!bytes) return out_of_memory(fmt::format("minibatches of {} samples", batch_size));
  BatchBuffer buffer;
  buffer.bytes_ = *bytes;
  buffer.capacity_ = batch_size;
  size_t begin = 0;
  for (const TensorSpec& spec : layout) {
    Tensor tensor;
    tensor.spec = spec;
    tensor.row_elements = static_cast<size_t>(spec.shape.elements());
    tensor.row_bytes = tensor.row_elements * dtype_bytes(spec.dtype);
    tensor.begin = begin;
    tensor.offsets_begin = begin += *block_size(spec, batch_size).value();
    begin += *offsets_size(spec, batch_size).value();
    if (spec.rows == RowLayout::packed) tensor.offsets = offsets_name(spec.name);
    buffer.tensors_.push_back(std::move(tensor));
  }
  buffer.views_.reserve(2 * layout.size());
  buffer.memory_ = allocate ? allocate(*bytes) : allocate_plain(*bytes);
  if (buffer.memory_ == nullptr)
    return out_of_memory(fmt::format("a minibatch of {} bytes", *bytes));
  std::memset(buffer.memory_.get(), 0, *bytes);
  return buffer;
}

void BatchBuffer::clear() {
  count_ = 0;
  for (Tensor& tensor : tensors_) {
    tensor.rows = tensor.open_rows = 0;
    tensor.length = -1;
  }
}

BatchBuffer::Tensor& BatchBuffer::checked(size_t index, DType dtype, RowLayout rows) {
  Tensor& tensor = tensors_.at(index);
  if (tensor.spec.dtype != dtype || tensor.spec.rows != rows)
    throw std::logic_error(
        fmt::format("tensor '{}' is {} {}", tensor.spec.name,
                    tensor.spec.rows == RowLayout::packed ? "packed" : "per-sample",
                    dtype_name(tensor.spec.dtype)));
  return tensor;
}

std::byte* BatchBuffer::row_bytes(size_t index, DType dtype) {
  const Tensor& tensor = checked(index, dtype, RowLayout::per_sample);
  if (count_ == capacity_) throw std::logic_error("a sample more than the minibatch holds");
  return memory_.get() + tensor.begin + static_cast<size_t>(count_) * tensor.row_bytes;
}

Result<std::byte*> BatchBuffer::append_bytes(size_t index, DType dtype, int64_t rows) {
  Tensor& tensor = checked(index, dtype, RowLayout::packed);
  if (count_ == capacity_) throw std::logic_error("a sample more than the minibatch holds");
  if (rows < 0 || tensor.open_rows + rows - tensor.rows > tensor.spec.most_rows)
    return Error{
        Code::corrupt,
        fmt::format("{} rows of '{}' where a sample has {} at most",
                    tensor.open_rows + rows - tensor.rows, tensor.spec.name, tensor.spec.most_rows),
        ""};
  std::byte* const data =
      memory_.get() + tensor.begin + static_cast<size_t>(tensor.open_rows) * tensor.row_bytes;
  tensor.open_rows += rows;
  return data;
}

int64_t* BatchBuffer::offsets_of(const Tensor& tensor) {
  return reinterpret_cast<int64_t*>(memory_.get() + tensor.offsets_begin);
}

void BatchBuffer::commit() {
  if (count_ == capacity_) throw std::logic_error("a sample more than the minibatch holds");
  ++count_;
  for (Tensor& tensor : tensors_) {
    if (tensor.spec.rows != RowLayout::packed) continue;
    tensor.rows = tensor.open_rows;
    offsets_of(tensor)[count_] = tensor.rows;
  }
}

void BatchBuffer::discard() {
  for (Tensor& tensor : tensors_) tensor.open_rows = tensor.rows;
}

void BatchBuffer::trim(size_t index, int64_t length) {
  Tensor& tensor = tensors_.at(index);
  const TensorShape& shape = tensor.spec.shape;
  if (tensor.spec.rows != RowLayout::per_sample || shape.empty() || tensor.length >= 0 ||
      length < 0 || length > shape[0])
    throw std::logic_error(
        fmt::format("tensor '{}' cannot be cut to {}", tensor.spec.name, length));
  tensor.length = length;
  if (length == shape[0]) return;
  const size_t cut = tensor.row_bytes / static_cast<size_t>(shape[0]) * static_cast<size_t>(length);
  std::byte* const rows = memory_.get() + tensor.begin;
  for (size_t i = 1; i < static_cast<size_t>(count_); ++i)
    std::memmove(rows + i * cut, rows + i * tensor.row_bytes, cut);
}

BatchView BatchBuffer::view() {
  views_.clear();
  for (const Tensor& tensor : tensors_) {
    const bool packed = tensor.spec.rows == RowLayout::packed;
    TensorShape shape{packed ? tensor.rows : count_};
    for (size_t i = 0; i < tensor.spec.shape.rank(); ++i)
      shape.append(i == 0 && tensor.length >= 0 ? tensor.length : tensor.spec.shape[i]);
    views_.push_back({tensor.spec.name, tensor.spec.dtype, shape, memory_.get() + tensor.begin});
    if (packed)
      views_.push_back(
          {tensor.offsets, DType::int64, {count_ + 1}, memory_.get() + tensor.offsets_begin});
  }
  return {views_, count_};
}

}  // namespace flyball
