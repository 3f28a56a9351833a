// Seeded random numbers, equal on every platform and library version.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace flyball {

/// One step of SplitMix64 (Steele, Lea, Flood 2014): turns any seed into a well-mixed one.
inline uint64_t mix_seed(uint64_t seed) {
  seed += 0x9e3779b97f4a7c15u;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
  return seed ^ (seed >> 31);
}

/// A seed for one of several independent streams, e.g. (seed, epoch, sample).
inline uint64_t mix_seed(uint64_t seed, uint64_t stream) {
  return mix_seed(mix_seed(seed) ^ (stream * 0xd1342543de82ef95u + 1));
}

/// xoshiro256** (Blackman, Vigna 2018); satisfies UniformRandomBitGenerator.
class Random {
 public:
  using result_type = uint64_t;
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) word = seed = mix_seed(seed);
  }

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return ~uint64_t{0}; }
  uint64_t operator()() {
    const uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }
  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform integer in [0, n); n > 0.
  size_t below(size_t n) { return static_cast<size_t>(uniform() * static_cast<double>(n)); }
  /// Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  }
  /// Exponential with mean 1.
  double exponential() { return -std::log(1 - uniform()); }

  template <class T>
  void shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }
  /// k distinct indices out of [0, n), in random order; k is capped at n.
  std::vector<size_t> sample(size_t n, size_t k) {
    std::vector<size_t> all(n);
    std::iota(all.begin(), all.end(), size_t{0});
    if (k > n) k = n;
    for (size_t i = 0; i < k; ++i) std::swap(all[i], all[i + below(n - i)]);
    all.resize(k);
    return all;
  }

 private:
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t state_[4];
};

}  // namespace flyball
