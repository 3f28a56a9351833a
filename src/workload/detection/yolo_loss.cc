#include "workload/detection/yolo_loss.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <numbers>

#include "workload/detection/assignment.h"

namespace flyball {
namespace {

torch::Tensor column(const torch::Tensor& rows, int64_t index) {
  return rows.select(-1, index);
}

// The outputs of one scale as the assignment reads them.
struct HostScale {
  explicit HostScale(const DetectorScale& scale)
      : sides(on_host(scale.sides)), classes(on_host(scale.classes)), stride(scale.stride) {}

  ScaleView of(int64_t sample) const {
    ScaleView view;
    view.height = sides.size(2), view.width = sides.size(3);
    view.stride = stride;
    view.sides = sides.data_ptr<float>() + sample * sides.stride(0);
    view.classes = classes.data_ptr<float>() + sample * classes.stride(0);
    view.side_channel = sides.stride(1), view.side_row = sides.stride(2);
    view.side_cell = sides.stride(3), view.class_channel = classes.stride(1);
    view.class_row = classes.stride(2), view.class_cell = classes.stride(3);
    return view;
  }
  static torch::Tensor on_host(const torch::Tensor& tensor) {
    return tensor.detach().to(torch::kCPU, torch::kFloat32);
  }
  torch::Tensor sides, classes;
  double stride;
};

struct HostTargets {
  explicit HostTargets(const DetectorTargets& targets)
      : box(targets.box.to(torch::kCPU).contiguous()),
        label(targets.label.to(torch::kCPU).contiguous()),
        mask(targets.mask.to(torch::kCPU).contiguous()) {}

  void of(int64_t sample, std::vector<Corners>& boxes, std::vector<int64_t>& labels) const {
    const int64_t most = label.size(1);
    for (int64_t i = sample * most; i < (sample + 1) * most; ++i) {
      if (!mask.data_ptr<bool>()[i]) continue;
      const float* own = box.data_ptr<float>() + 4 * i;
      boxes.push_back({own[0], own[1], own[2], own[3]});
      labels.push_back(label.data_ptr<int64_t>()[i]);
    }
  }
  torch::Tensor box, label, mask;
};

// The anchors of one scale that are to find a box, as columns.
struct Positives {
  std::vector<int64_t> sample, row, column, label;
  std::vector<float> score, target;  ///< target: four sides in strides

  void add(int64_t n, const Assigned& a, const Corners& box, int64_t its_label, double stride) {
    sample.push_back(n);
    row.push_back(a.row);
    column.push_back(a.column);
    label.push_back(its_label);
    score.push_back(static_cast<float>(a.score));
    const double x = static_cast<double>(a.column) + 0.5, y = static_cast<double>(a.row) + 0.5;
    for (const double side : {x - box.left / stride, y - box.top / stride, box.right / stride - x,
                              box.bottom / stride - y})
      target.push_back(static_cast<float>(side));
  }
};

template <class T>
torch::Tensor tensor_of(const std::vector<T>& numbers, torch::Device device) {
  const torch::Tensor host =
      torch::from_blob(const_cast<T*>(numbers.data()), {static_cast<int64_t>(numbers.size())},
                       torch::TensorOptions(c10::CppTypeToScalarType<T>::value));
  return host.to(device, host.scalar_type(), false, true);  // a copy, wherever
}

std::vector<Positives> assign_all(const std::vector<DetectorScale>& scales,
                                  const DetectorTargets& targets) {
  const HostTargets wanted(targets);
  const std::vector<HostScale> outputs(scales.begin(), scales.end());
  const int64_t samples = wanted.label.size(0);
  std::vector<std::vector<Corners>> boxes(static_cast<size_t>(samples));
  std::vector<std::vector<int64_t>> labels(boxes.size());
  std::vector<std::vector<Assigned>> assigned(boxes.size());
  at::parallel_for(0, samples, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const auto i = static_cast<size_t>(n);
      wanted.of(n, boxes[i], labels[i]);
      std::vector<ScaleView> views;
      for (const HostScale& scale : outputs) views.push_back(scale.of(n));
      assigned[i] = assign_boxes(views, boxes[i], labels[i]);
    }
  });
  std::vector<Positives> positives(scales.size());
  for (int64_t n = 0; n < samples; ++n)
    for (const Assigned& a : assigned[static_cast<size_t>(n)]) {
      const auto scale = static_cast<size_t>(a.scale), box = static_cast<size_t>(a.box);
      positives[scale].add(n, a, boxes[static_cast<size_t>(n)][box],
                           labels[static_cast<size_t>(n)][box], scales[scale].stride);
    }
  return positives;
}

// Boxes around anchors, in strides, whose anchor is the origin: overlaps need no more.
torch::Tensor around_anchor(const torch::Tensor& sides) {
  return at::cat({sides.narrow(-1, 0, 2).neg(), sides.narrow(-1, 2, 2)}, -1);
}

}  // namespace

torch::Tensor complete_iou(const torch::Tensor& found, const torch::Tensor& wanted) {
  constexpr double epsilon = 1e-7;
  const torch::Tensor low = at::maximum(found.narrow(-1, 0, 2), wanted.narrow(-1, 0, 2));
  const torch::Tensor high = at::minimum(found.narrow(-1, 2, 2), wanted.narrow(-1, 2, 2));
  const torch::Tensor both = (high - low).clamp_min(0).prod(-1);
  const torch::Tensor found_size = found.narrow(-1, 2, 2) - found.narrow(-1, 0, 2);
  const torch::Tensor wanted_size = wanted.narrow(-1, 2, 2) - wanted.narrow(-1, 0, 2);
  const torch::Tensor iou = both / (found_size.prod(-1) + wanted_size.prod(-1) - both + epsilon);
  const torch::Tensor hull = at::maximum(found.narrow(-1, 2, 2), wanted.narrow(-1, 2, 2)) -
                             at::minimum(found.narrow(-1, 0, 2), wanted.narrow(-1, 0, 2));
  const torch::Tensor apart = (found.narrow(-1, 0, 2) + found.narrow(-1, 2, 2) -
                               wanted.narrow(-1, 0, 2) - wanted.narrow(-1, 2, 2)) /
                              2;
  const auto turn = [](const torch::Tensor& size) {
    return at::atan(column(size, 0) / (column(size, 1) + epsilon));
  };
  const torch::Tensor aspect =
      (turn(found_size) - turn(wanted_size)).square() * (4 / (std::numbers::pi * std::numbers::pi));
  torch::Tensor weight;
  {
    const torch::NoGradGuard constant;
    weight = aspect / (aspect - iou + (1 + epsilon));
  }
  return iou - apart.square().sum(-1) / (hull.square().sum(-1) + epsilon) - aspect * weight;
}

torch::Tensor distribution_focal(const torch::Tensor& logits, const torch::Tensor& sides) {
  const torch::Tensor held = sides.clamp(0, kSideBins - 1 - 0.01);
  const torch::Tensor low = held.to(torch::kInt64);
  const torch::Tensor to_high = held - low, to_low = 1 - to_high;
  const torch::Tensor log_shares = at::log_softmax(logits, -1);
  const auto entropy = [&](const torch::Tensor& bin) {
    return -log_shares.gather(-1, bin.unsqueeze(-1)).squeeze(-1);
  };
  return (entropy(low) * to_low + entropy(low + 1) * to_high).mean(-1);
}

DetectorLosses detector_losses(const std::vector<DetectorScale>& scales,
                               const DetectorTargets& targets) {
  const std::vector<Positives> positives = assign_all(scales, targets);
  const torch::Device device = scales.front().sides.device();
  double total = 0;
  torch::Tensor classes;
  std::vector<torch::Tensor> logits, wanted, scores;
  for (size_t s = 0; s < scales.size(); ++s) {
    const Positives& own = positives[s];
    // Of anchors and classes without a score: −log(1 − sigmoid(x)) = softplus(x).
    torch::Tensor sum = at::softplus(scales[s].classes.to(torch::kFloat32)).sum();
    if (!own.score.empty()) {
      const torch::Tensor n = tensor_of(own.sample, device), y = tensor_of(own.row, device);
      const torch::Tensor x = tensor_of(own.column, device), c = tensor_of(own.label, device);
      const torch::Tensor score = tensor_of(own.score, device);
      sum = sum - (scales[s].classes.index({n, c, y, x}).to(torch::kFloat32) * score).sum();
      logits.push_back(scales[s].sides.permute({0, 2, 3, 1}).index({n, y, x}));
      wanted.push_back(tensor_of(own.target, device).view({-1, 4}));
      scores.push_back(score);
      for (const float each : own.score) total += each;
    }
    classes = classes.defined() ? classes + sum : sum;
  }
  total = std::max(total, 1.0);
  const double share = 1 / total;
  if (scores.empty()) {
    const torch::Tensor none = at::zeros({}, classes.options());
    return {none, none, classes * share, total};
  }
  const torch::Tensor bins = at::cat(logits).to(torch::kFloat32).view({-1, 4, kSideBins});
  const torch::Tensor sides = at::cat(wanted), score = at::cat(scores);
  const torch::Tensor steps = at::arange(kSideBins, bins.options());
  const torch::Tensor found = (at::softmax(bins, -1) * steps).sum(-1);
  const torch::Tensor overlap = complete_iou(around_anchor(found), around_anchor(sides));
  return {((1 - overlap) * score).sum() * share,
          (distribution_focal(bins, sides) * score).sum() * share, classes * share, total};
}

}  // namespace flyball
