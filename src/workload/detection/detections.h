// From a detector's answers to boxes, and how good they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workload/detection/corners.h"

namespace flyball {

struct Detection {
  Corners box;
  int64_t label = 0;
  float score = 0;
};

struct SuppressionOptions {
  float score = 0.001f;  ///< what is less sure is left out
  double overlap = 0.7;  ///< IoU above which two boxes of one class are one
  size_t most = 300;     ///< detections of a picture
};

/// Greedy non-maximum suppression within each class. Every anchor says its best class. `boxes`:
/// 4 × anchors (left, top, right, bottom), `scores`: classes × anchors, of one picture. The surest
/// first, of equal ones the earlier anchor.
std::vector<Detection> suppress(std::span<const float> boxes, std::span<const float> scores,
                                const SuppressionOptions& options = {});

struct TrueBox {
  Corners box;
  int64_t label = 0;
};

/// Detections of one picture beside what is there.
struct Judged {
  std::vector<Detection> found;
  std::vector<TrueBox> wanted;
};

/// Mean over the classes that are there of the average precision (COCO's: precision at 101 recalls,
/// each the best at that recall or a higher one). A detection is right when its IoU with a box of
/// its class, which no surer one has taken, is at least `overlap`: it takes the one it overlaps
/// most. NaN where no box is there.
double mean_average_precision(std::span<const Judged> pictures, double overlap = 0.5);

}  // namespace flyball
