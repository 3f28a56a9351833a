// YOLOv8's loss on LibTorch. Inside the module only.
#pragma once

#include <torch/types.h>

#include <vector>

namespace flyball {

/// One scale's raw outputs: `sides` N×64×H×W (four sides in 16 bins), `classes` N×C×H×W.
struct DetectorScale {
  torch::Tensor sides, classes;
  double stride = 0;  ///< pixels from cell to cell
};

/// The boxes of a minibatch: `box` N×M×4 (left, top, right, bottom in pixels), `label` N×M, `mask`
/// N×M, false where there is none.
struct DetectorTargets {
  torch::Tensor box, label, mask;
};

/// Of boxes given by their corners, F×4: F numbers (Zheng et al. 2020). The weight of the aspect is
/// taken as constant.
torch::Tensor complete_iou(const torch::Tensor& found, const torch::Tensor& wanted);

/// Distribution focal loss (Li et al. 2020): `logits` F×4×16, `sides` F×4 in strides, held to 0 to
/// 14.99; the cross-entropy with both neighbouring bins, each by how near it is, as the mean of the
/// four sides: F numbers.
torch::Tensor distribution_focal(const torch::Tensor& logits, const torch::Tensor& sides);

/// Scalars, each over the sum of all assigned scores (at least 1), without gains.
struct DetectorLosses {
  torch::Tensor box;      ///< 1 − CIoU, by score
  torch::Tensor focal;    ///< of the distributions, by score
  torch::Tensor classes;  ///< binary cross-entropy of every anchor and class with the scores
  double scores = 1;      ///< that sum, at least 1: what all three are means over
};

/// With task-aligned assignment (assignment.h), which runs on the host: outputs elsewhere are
/// copied there for it.
DetectorLosses detector_losses(const std::vector<DetectorScale>& scales,
                               const DetectorTargets& targets);

}  // namespace flyball
