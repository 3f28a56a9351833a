// Handwritten-like digits, drawn: for a machine without MNIST.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "base/status.h"
#include "data/dataset.h"

namespace flyball {

constexpr int kDigitSide = 28;
/// Raised whenever draw_digit() draws something else: sets that are kept are drawn again.
constexpr int kDigitsVersion = 1;
using DigitImage = std::array<uint8_t, kDigitSide * kDigitSide>;

/// Draws sample `index` of a split: ink is bright on dark, as in MNIST. Several glyphs per digit,
/// drawn as strokes of varying thickness under a random affine map, an elastic wobble and noise.
/// Depends on its arguments only. Returns the label, 0 to 9.
int draw_digit(uint64_t seed, Split split, int64_t index, DigitImage& image);

struct DigitsOptions {
  int64_t train = 60'000;
  int64_t test = 10'000;
  uint64_t seed = 1;
  size_t threads = 0;  ///< 0: all cores; the files do not depend on it
};

/// Draws both splits and writes them as the four IDX files of MNIST.
Status make_digits(const std::filesystem::path& folder, const DigitsOptions& options = {});

}  // namespace flyball
