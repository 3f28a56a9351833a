// Loops of independent chains of arithmetic, one for each vector width and precision that a CPU may
// have: what they attain is its peak. No library is needed, so that any board can run them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace flyball {

struct PeakKernel {
  std::string isa;          ///< "avx512", "avx2", "sse2", "neon", "plain"
  std::string precision;    ///< "fp32", "fp64", "fp16", "bf16", "int8"
  int bits = 0;             ///< width of a vector; 0: what the compiler makes of plain C++
  double op_per_round = 0;  ///< multiplications and additions count one each
  /// Runs the rounds on this thread; the result keeps them from being left out.
  double (*run)(size_t rounds) = nullptr;
  /// Reads `n` floats, a multiple of 256, and does `k` multiplications and additions on each, and
  /// one addition: (2k + 1)·n FLOP over 4n bytes. Null where there is none in this precision.
  double (*sweep)(const float* data, size_t n, int k) = nullptr;
};

/// Those that this CPU can run, the widest last of each precision.
std::vector<PeakKernel> peak_kernels();
/// The widest of fp32, which has a sweep.
PeakKernel widest_fp32();

namespace peaks {
// Each in a file of its own; empty where the CPU is another one.
std::vector<PeakKernel> plain();
std::vector<PeakKernel> x86();
std::vector<PeakKernel> arm();
}  // namespace peaks

}  // namespace flyball
