// What a compiler makes of plain C++, for CPUs whose vectors nobody wrote a kernel for.
#include <array>

#include "roofs/microbench/peak_kernels.h"

namespace flyball::peaks {
namespace {

constexpr int plain_chains = 8;

template <class T>
double run(size_t rounds) {
  volatile T factor = T(0.999), term = T(0.001);
  const T a = factor, b = term;
  std::array<T, plain_chains> chain;
  for (int i = 0; i < plain_chains; ++i) chain[static_cast<size_t>(i)] = static_cast<T>(i);
  for (size_t round = 0; round < rounds; ++round)
    for (T& x : chain) x = x * a + b;
  double sum = 0;
  for (const T x : chain) sum += static_cast<double>(x);
  return sum;
}

double sweep(const float* data, size_t n, int k) {
  volatile float factor = 0.999F, term = 0.001F;
  const float a = factor, b = term;
  float sum = 0;
  for (size_t at = 0; at + plain_chains <= n; at += plain_chains) {
    std::array<float, plain_chains> x;
    for (size_t i = 0; i < plain_chains; ++i) x[i] = data[at + i];
    for (int j = 0; j < k; ++j)
      for (float& value : x) value = value * a + b;
    sum += ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  }
  return static_cast<double>(sum);
}

}  // namespace

std::vector<PeakKernel> plain() {
  return {{"plain", "fp32", 0, 2.0 * plain_chains, run<float>, sweep},
          {"plain", "fp64", 0, 2.0 * plain_chains, run<double>, nullptr}};
}

}  // namespace flyball::peaks
