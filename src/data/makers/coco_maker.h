// COCO with shapes instead of photographs, for detectors without the data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/formats/coco_index.h"
#include "data/makers/make.h"

namespace flyball {

/// Raised whenever draw_shapes(), or how make_coco() writes it, changes.
constexpr int kShapesVersion = 1;
/// COCO's own number of categories.
constexpr int64_t kCocoCategories = 80;

/// A picture with what is to be found in it.
struct DrawnPicture {
  PictureSize size;
  std::vector<uint8_t> rgb;    ///< packed
  std::vector<CocoBox> boxes;  ///< the pixels of each shape, exactly
  std::vector<CocoBox> crowd;  ///< at most one: a group of shapes too small to count
};

/// Draws up to five shapes before a background of noise; the shape and its colour are the class:
/// eight of one and ten of the other, which repeat beyond 80 classes. One picture in 20 has none
/// and one in 20 a crowd besides. Sides lie on either axis. Depends on its arguments only.
DrawnPicture draw_shapes(uint64_t seed, int64_t index, int64_t classes, PictureSize size);

/// "red circle"; the id in the annotations, which as COCO's own are not without gaps.
std::string shape_name(int64_t label);
int64_t category_id(int64_t label);

/// train2017 and val2017 (a fifth of it, at least one) with annotations/instances_*.json.
Status make_coco(int64_t samples, const std::filesystem::path& out, const MakeOptions& options);

}  // namespace flyball
