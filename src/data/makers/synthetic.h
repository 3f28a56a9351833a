// Pictures that no camera took, for data sets in a true format without the data.
#pragma once

#include <cstdint>
#include <vector>

namespace flyball {

/// Raised whenever draw_picture(), or how make_dataset() writes its pictures, changes: sets that
/// are kept are drawn again.
constexpr int kPicturesVersion = 1;

struct PictureSize {
  int width = 500, height = 375;
};

/// Draws packed RGB with structure at all scales (noise whose amplitude falls with its frequency,
/// as in photographs) and edges, so that JPEG coders work on it as on a photograph. What depends on
/// `label` (colour, direction of a grating) is visible to a network. Depends on its arguments only.
std::vector<uint8_t> draw_picture(uint64_t seed, int64_t index, int64_t label, PictureSize size);

}  // namespace flyball
