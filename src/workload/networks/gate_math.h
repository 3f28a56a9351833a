// Exponentials and gates as loops that compilers turn into vector instructions.
#pragma once

#include <bit>
#include <cstdint>

namespace flyball {

/// e^x within 2 units in the last place on [-87, 88], beyond that its value there. It and the gates
/// are inlined always, so that each copy of a FLYBALL_WIDE function (base/simd.h) has them in its
/// own instructions.
inline __attribute__((always_inline)) float fast_exp(float x) {
  x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
  // The nearest whole number of halvings, by rounding in the last bits of a large number.
  constexpr float shift = 12582912.0f;  // 1.5 · 2^23
  const float halvings = (x * 1.44269504f + shift) - shift;
  const float rest = (x - halvings * 0.693359375f) + halvings * 2.12194440e-4f;
  // Cephes' polynomial of e^rest on ±ln 2 / 2.
  float p = 1.9875691500e-4f;
  p = p * rest + 1.3981999507e-3f;
  p = p * rest + 8.3334519073e-3f;
  p = p * rest + 4.1665795894e-2f;
  p = p * rest + 1.6666665459e-1f;
  p = p * rest + 5.0000001201e-1f;
  p = p * rest * rest + rest + 1.0f;
  const auto exponent = static_cast<uint32_t>(static_cast<int32_t>(halvings) + 127) << 23;
  return p * std::bit_cast<float>(exponent);
}

inline __attribute__((always_inline)) float fast_sigmoid(float x) {
  return 1.0f / (1.0f + fast_exp(-x));
}
inline __attribute__((always_inline)) float fast_tanh(float x) {
  return 2.0f / (1.0f + fast_exp(-2.0f * x)) - 1.0f;
}

}  // namespace flyball
