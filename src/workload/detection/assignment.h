// Which anchor of a detector answers for which box: task-aligned assignment (Feng et al. 2021,
// TOOD, as YOLOv8 has it).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workload/detection/corners.h"

namespace flyball {

/// The raw outputs of one scale for one picture: height × width cells, each an anchor in the middle
/// of stride × stride pixels. Tensors may lie in memory in any order.
struct ScaleView {
  int64_t height = 0, width = 0;
  double stride = 0;               ///< pixels from cell to cell
  const float* sides = nullptr;    ///< logits of 4 × 16 bins: left, top, right, bottom
  const float* classes = nullptr;  ///< logits of all classes
  /// Steps in memory from channel to channel, row to row and cell to cell, of either.
  int64_t side_channel = 0, side_row = 0, side_cell = 0;
  int64_t class_channel = 0, class_row = 0, class_cell = 0;
};

inline constexpr int kSideBins = 16;  ///< a side's distance from the anchor: 0 to 15 strides

/// What the anchor of a cell says: its bins' mean for each side (distribution focal loss, Li et al.
/// 2020), in pixels of the picture.
Corners decode_box(const ScaleView& scale, int64_t row, int64_t column);

/// An anchor that is to find a box.
struct Assigned {
  int64_t scale = 0, row = 0, column = 0;
  int64_t box = 0;   ///< which one
  double score = 0;  ///< what its class is to say, 0 to 1
};

struct AssignmentOptions {
  size_t top = 10;     ///< anchors for each box
  double alpha = 0.5;  ///< power of the class score
  double beta = 6;     ///< power of the overlap
};

/// For each box the `top` anchors inside of it that agree best, by score^alpha · CIoU^beta; an
/// anchor that several want goes to the box inside of which it overlaps most. Scores are that
/// agreement, scaled so that a box's best anchor gets the best overlap of its anchors, less where
/// even the best agreement is not far above 1e-9, as before any training. Anchors without overlap
/// are nobody's. In the order of scales, rows and columns.
std::vector<Assigned> assign_boxes(std::span<const ScaleView> scales,
                                   std::span<const Corners> boxes, std::span<const int64_t> labels,
                                   const AssignmentOptions& options = {});

}  // namespace flyball
