// Tensors in host memory without a library: element types, shapes, views.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace flyball {

/// Type of an element.
enum class DType : uint8_t { float32, float64, int64, int32, uint8, boolean };

const char* dtype_name(DType dtype);                        ///< "float32"
std::optional<DType> dtype_named(const std::string& name);  ///< as dtype_name() says it
size_t dtype_bytes(DType dtype);                            ///< of one element

/// The DType of float, double, int64_t, int32_t, uint8_t or bool.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::same_as<T, float>) return DType::float32;
  if constexpr (std::same_as<T, double>) return DType::float64;
  if constexpr (std::same_as<T, int64_t>) return DType::int64;
  if constexpr (std::same_as<T, int32_t>) return DType::int32;
  if constexpr (std::same_as<T, uint8_t>) return DType::uint8;
  if constexpr (std::same_as<T, bool>) return DType::boolean;
}

/// Sizes of up to six dimensions, held in place; none: a single number.
class TensorShape {
 public:
  static constexpr size_t max_rank = 6;

  constexpr TensorShape() = default;
  constexpr TensorShape(std::initializer_list<int64_t> sizes) {
    for (const int64_t size : sizes) append(size);
  }
  /// Adds a last dimension. Throws std::length_error beyond max_rank.
  constexpr void append(int64_t size) {
    if (rank_ == max_rank) throw std::length_error("a tensor of more than six dimensions");
    sizes_[rank_++] = size;
  }

  constexpr size_t rank() const { return rank_; }
  constexpr bool empty() const { return rank_ == 0; }
  constexpr int64_t operator[](size_t dimension) const { return sizes_[dimension]; }
  constexpr const int64_t* begin() const { return sizes_.data(); }
  constexpr const int64_t* end() const { return sizes_.data() + rank_; }
  constexpr int64_t elements() const {
    int64_t product = 1;
    for (const int64_t size : *this) product *= size;
    return product;
  }
  /// "3×224×224"; "scalar" without dimensions; "any" for −1.
  std::string text() const;
  constexpr bool operator==(const TensorShape&) const = default;

 private:
  std::array<int64_t, max_rank> sizes_{};
  size_t rank_ = 0;
};

/// A tensor that somebody else owns, contiguous and row-major.
struct TensorView {
  std::string_view name;
  DType dtype = DType::float32;
  TensorShape shape;
  const std::byte* data = nullptr;

  /// Its numbers. Throws std::invalid_argument when they are of another type.
  template <class T>
  std::span<const T> values() const {
    check_dtype(dtype_of<T>());
    return {reinterpret_cast<const T*>(data), static_cast<size_t>(shape.elements())};
  }

 private:
  void check_dtype(DType wanted) const;
};

}  // namespace flyball
