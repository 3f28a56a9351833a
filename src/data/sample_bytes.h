// The bytes of a sample: memory of its own, or memory that a cache lends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace flyball {

/// Written as a std::vector, read as a span. Lent bytes are read where they lie; who writes gets
/// memory of his own, which is kept from sample to sample. A copy of lent bytes is lent, too.
class SampleBytes {
 public:
  using value_type = uint8_t;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using reference = uint8_t&;
  using const_reference = const uint8_t&;
  using iterator = uint8_t*;
  using const_iterator = const uint8_t*;

  SampleBytes& operator=(std::vector<uint8_t> bytes) {
    own() = std::move(bytes);
    return *this;
  }
  SampleBytes& operator=(std::initializer_list<uint8_t> bytes) {
    own() = bytes;
    return *this;
  }

  /// Shows these bytes, without a copy, until anything is written; they stay as they are meanwhile.
  void lend(std::span<const uint8_t> bytes) {
    lent_ = bytes;
    is_lent_ = true;
  }
  bool lent() const { return is_lent_; }
  /// Its own memory with what was written there last; what was lent is forgotten.
  std::vector<uint8_t>& own() {
    is_lent_ = false;
    return own_;
  }
  operator std::vector<uint8_t>&() { return own(); }

  size_t size() const { return view().size(); }
  bool empty() const { return view().empty(); }
  const uint8_t* data() const { return view().data(); }
  const uint8_t* begin() const { return data(); }
  const uint8_t* end() const { return data() + size(); }
  const uint8_t& front() const { return *data(); }
  const uint8_t& operator[](size_t i) const { return data()[i]; }

  void resize(size_t bytes) { own().resize(bytes); }
  void clear() { own().clear(); }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    own().assign(first, last);
  }
  void erase(const uint8_t* at) { mine().erase(own_.begin() + (at - own_.data())); }
  uint8_t* data() { return mine().data(); }
  uint8_t* begin() { return data(); }
  uint8_t* end() { return data() + size(); }
  uint8_t& front() { return *data(); }
  uint8_t& operator[](size_t i) { return data()[i]; }

  friend bool operator==(const SampleBytes& a, const std::vector<uint8_t>& b) {
    return std::vector<uint8_t>(a.begin(), a.end()) == b;
  }

 private:
  std::span<const uint8_t> view() const {
    return is_lent_ ? lent_ : std::span<const uint8_t>(own_);
  }
  // What is lent becomes its own before somebody may write into it.
  std::vector<uint8_t>& mine() {
    if (is_lent_) own_.assign(lent_.begin(), lent_.end());
    return own();
  }

  std::vector<uint8_t> own_;
  std::span<const uint8_t> lent_;
  bool is_lent_ = false;
};

}  // namespace flyball
