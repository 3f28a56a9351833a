// Minibatches of pictures with boxes: "image" (float32, 3×S×S, values 0–1), and for each picture
// its boxes, padded to the most of the minibatch: "box" (float32, M×4: left, top, right, bottom in
// pixels of the S×S image), "box_class" (int64, M) and "box_mask" (boolean, M: false is padding).
#pragma once

#include "base/status.h"
#include "data/collate.h"
#include "data/pictures/jpeg.h"

namespace flyball {

inline constexpr const char* box_tensor = "box";
inline constexpr const char* box_class_tensor = "box_class";
inline constexpr const char* box_mask_tensor = "box_mask";

/// What becomes of each picture, in this order.
struct DetectionOptions {
  int size = 640;     ///< side of the image that it is fitted into
  bool flip = false;  ///< mirror left-right with its boxes, probability one half
  /// Colour jitter, uniform: hue turned by up to so much of a turn, saturation and brightness
  /// multiplied by 1 ± up to so much. 0: as it is.
  double hue = 0, saturation = 0, brightness = 0;
};

/// A side of the square is a multiple of it: YOLO halves it five times.
inline constexpr int coarsest_stride = 32;

/// YOLO's: 640², for training a flip and a jitter of 0.015, 0.7 and 0.4.
DetectionOptions usual_detection(bool training);

/// A picture of width × height within a square: scaled until it touches, the rest is left and right
/// or above and below.
struct Letterbox {
  int width = 0, height = 0;  ///< of the picture in the square
  int left = 0, top = 0;      ///< where it begins
};
Letterbox letterbox(int width, int height, int size);

/// Is a JPEG one that boxes can be found in: colour or grey, of the size that its annotations (of
/// CocoSet's parts) say?
Status check_detection(const JpegInfo& info, const RawSample& sample);

/// Errors: a dataset without boxes, options out of range.
Result<CollatePtr> make_detection_collate(const Dataset& dataset, const DetectionOptions& options);
/// With the usual options.
Result<CollatePtr> open_detection_collate(const Dataset& dataset, const CollateOptions& options);

}  // namespace flyball
