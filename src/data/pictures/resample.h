// Antialiased bilinear resampling, with Pillow's definition of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flyball {

/// The weights with which source samples make up each output sample along one axis.
struct Taps {
  std::vector<int> first;      ///< per output: index of the first source sample
  std::vector<float> weights;  ///< outputs × taps; they sum to 1 per output
  int taps = 0;                ///< weights per output; some may be 0
  int begin = 0, end = 0;      ///< source samples that any output needs: [begin, end)

  /// A triangle filter over `in_size` source samples that are scaled to `out_size`; it widens with
  /// the scale when shrinking (Pillow's BILINEAR). Only outputs [from, from + count) are made.
  /// No tap reaches outside the source. Keeps the memory of former calls.
  void make(int in_size, int out_size, int from, int count);
  /// Output i becomes output count − 1 − i.
  void mirror();
};

/// Where to write, and the affine map on the way: value × scale + offset, per channel.
struct PlaneSink {
  float* planes = nullptr;    ///< channels × height × width
  std::ptrdiff_t stride = 0;  ///< numbers from row to row; 0: the width
  std::ptrdiff_t plane = 0;   ///< from channel to channel; 0: height × stride
  int channels = 3;           ///< 3, or 1 to take the first only
  std::array<float, 3> scale{1, 1, 1};
  std::array<float, 3> offset{0, 0, 0};
};

/// Resamples packed 8-bit RGB into planes of floats. Keeps its buffers; for one thread.
class Resampler {
 public:
  /// `pixels` is the source sample (horizontal.begin, vertical.begin).
  void run(const uint8_t* pixels, size_t stride, const Taps& horizontal, const Taps& vertical,
           const PlaneSink& sink);

 private:
  std::vector<float> row_;     ///< one output row before the horizontal pass, packed
  std::vector<float> packed_;  ///< the same after it, four floats per pixel
};

}  // namespace flyball
