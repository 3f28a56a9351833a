// YOLOv8, size n (Ultralytics 2023; no paper): a CSP backbone and a pyramid of three scales, an
// anchor-free head that says boxes and classes apart. Depth 1/3, width 1/4.
#include <ATen/Functions.h>
#include <fmt/format.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include <cmath>

#include "data/pictures/detection_collate.h"
#include "data/pictures/picture_collate.h"
#include "workload/announce.h"
#include "workload/detection/assignment.h"
#include "workload/detection/yolo_loss.h"
#include "workload/networks.h"
#include "workload/networks/norm_silu.h"
#include "workload/networks/pooling.h"

namespace flyball {
namespace {

namespace nn = torch::nn;
constexpr double box_gain = 7.5, class_gain = 0.5, focal_gain = 1.5;

// Convolution, normalisation, SiLU. In evaluation the first two are one convolution.
class ConvUnit final : public nn::Module {
 public:
  ConvUnit(int64_t in, int64_t out, int64_t window, int64_t stride = 1)
      : stride_(stride), padding_(window / 2) {
    conv_ = register_module(
        "conv",
        nn::Conv2d(
            nn::Conv2dOptions(in, out, window).stride(stride).padding(window / 2).bias(false)));
    norm_ = register_module("bn",
                            nn::BatchNorm2d(nn::BatchNorm2dOptions(out).eps(1e-3).momentum(0.03)));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    if (is_training() || torch::GradMode::is_enabled())
      return norm_silu(*norm_, conv_->forward(input));
    fold();
    announce_made_of(weight_, conv_->weight, norm_->weight, norm_->bias);
    torch::Tensor x = at::conv2d(input, weight_, bias_, {stride_, stride_}, {padding_, padding_});
    return at::silu_(x);
  }
  // What was folded is of weights that training changes.
  void train(bool on) override {
    nn::Module::train(on);
    weight_.reset();
  }

 private:
  // Each tensor counts its changes: weights that were loaded since are folded anew.
  int64_t version() const {
    return conv_->weight._version() + norm_->weight._version() + norm_->bias._version() +
           norm_->running_mean._version() + norm_->running_var._version();
  }
  void fold() {
    if (weight_.defined() && version_ == version() && weight_.device() == conv_->weight.device())
      return;
    version_ = version();
    const torch::Tensor scale = norm_->weight / (norm_->running_var + norm_->options.eps()).sqrt();
    weight_ = (conv_->weight * scale.view({-1, 1, 1, 1}))
                  .contiguous(conv_->weight.suggest_memory_format());
    bias_ = norm_->bias - norm_->running_mean * scale;
  }

  int64_t stride_, padding_;
  nn::Conv2d conv_{nullptr};
  nn::BatchNorm2d norm_{nullptr};
  torch::Tensor weight_, bias_;  ///< folded
  int64_t version_ = 0;
};
using Unit = std::shared_ptr<ConvUnit>;

class YoloBottleneck final : public nn::Module {
 public:
  YoloBottleneck(int64_t width, bool adds) : adds_(adds) {
    first_ = register_module("cv1", std::make_shared<ConvUnit>(width, width, 3));
    second_ = register_module("cv2", std::make_shared<ConvUnit>(width, width, 3));
  }
  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = second_->forward(first_->forward(input));
    return adds_ ? x += input : x;
  }

 private:
  bool adds_;
  Unit first_, second_;
};

// Halves, of which one goes through bottlenecks; all that comes on the way is joined.
class C2f final : public nn::Module {
 public:
  C2f(int64_t in, int64_t out, int depth, bool adds) {
    split_ = register_module("cv1", std::make_shared<ConvUnit>(in, out, 1));
    join_ = register_module("cv2", std::make_shared<ConvUnit>((2 + depth) * out / 2, out, 1));
    nn::ModuleList list;
    for (int i = 0; i < depth; ++i) {
      blocks_.push_back(std::make_shared<YoloBottleneck>(out / 2, adds));
      list->push_back(blocks_.back());
    }
    register_module("m", list);
  }
  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor halves = split_->forward(input);
    std::vector<torch::Tensor> parts = {halves};
    torch::Tensor x = halves.narrow(1, halves.size(1) / 2, halves.size(1) / 2);
    for (const auto& block : blocks_) parts.push_back(x = block->forward(x));
    return join_->forward(at::cat(parts, 1));
  }

 private:
  Unit split_, join_;
  std::vector<std::shared_ptr<YoloBottleneck>> blocks_;
};

// Spatial pyramid: the largest of 5, 9 and 13 cells around, by one pool three times.
class Sppf final : public nn::Module {
 public:
  explicit Sppf(int64_t width) {
    narrow_ = register_module("cv1", std::make_shared<ConvUnit>(width, width / 2, 1));
    join_ = register_module("cv2", std::make_shared<ConvUnit>(2 * width, width, 1));
  }
  torch::Tensor forward(const torch::Tensor& input) {
    std::vector<torch::Tensor> parts = {narrow_->forward(input)};
    for (int i = 0; i < 3; ++i) parts.push_back(max_pool2d(parts.back(), 5, 1, 2));
    return join_->forward(at::cat(parts, 1));
  }

 private:
  Unit narrow_, join_;
};

// What one scale says of boxes, or of classes.
class Branch final : public nn::Module {
 public:
  Branch(int64_t in, int64_t width, int64_t out) {
    first_ = register_module("0", std::make_shared<ConvUnit>(in, width, 3));
    second_ = register_module("1", std::make_shared<ConvUnit>(width, width, 3));
    last_ = register_module("2", nn::Conv2d(nn::Conv2dOptions(width, out, 1)));
  }
  torch::Tensor forward(const torch::Tensor& input) {
    return last_->forward(second_->forward(first_->forward(input)));
  }
  void begin_with(double bias) { last_->bias.fill_(bias); }

 private:
  Unit first_, second_;
  nn::Conv2d last_{nullptr};
};

class YoloV8n final : public Network {
 public:
  explicit YoloV8n(const NetworkShape& shape)
      : Network({{image_tensor, DType::float32, shape.input}},
                {{box_tensor, DType::float32, {-1, 4}},
                 {box_class_tensor, DType::int64, {-1}},
                 {box_mask_tensor, DType::boolean, {-1}}}),
        classes_(shape.classes) {
    TORCH_CHECK(shape.input.rank() == 3 && shape.input[1] % 32 == 0 && shape.input[2] % 32 == 0,
                "images of ", shape.input.text(), ": height and width must be multiples of 32");
    make_body(shape.input[0]);
    make_head();
  }

  Status check(const BatchView& batch, bool training) const override {
    if (!training) return {};
    const auto mask = batch.values<bool>(box_mask_tensor);
    const auto labels = batch.values<int64_t>(box_class_tensor);
    for (size_t i = 0; i < labels.size() && i < mask.size(); ++i)
      if (mask[i] && (labels[i] < 0 || labels[i] >= classes_))
        return Error{
            Code::invalid_argument,
            fmt::format("a box of class {}, which is not in 0 to {}", labels[i], classes_ - 1),
            "give the stepper the classes of the dataset"};
    return {};
  }

  /// Training: raw outputs of each scale. Else "boxes" (N×4×anchors: left, top, right, bottom in
  /// pixels) and "scores" (N×classes×anchors, 0 to 1), before any suppression.
  void answer(const Tensors& batch, Tensors& outputs) override {
    const std::vector<DetectorScale> scales = forward(batch[image_tensor]);
    if (!is_training()) return decode(scales, outputs);
    for (size_t s = 0; s < scales.size(); ++s) {
      outputs.add(side_names[s], scales[s].sides);
      outputs.add(class_names[s], scales[s].classes);
    }
  }

  void losses(const Tensors& outputs, const Tensors& batch, Tensors& losses) override {
    std::vector<DetectorScale> scales;
    for (size_t s = 0; s < strides.size(); ++s)
      scales.push_back({outputs[side_names[s]], outputs[class_names[s]], strides[s]});
    const DetectorLosses each = detector_losses(
        scales, {batch[box_tensor], batch[box_class_tensor], batch[box_mask_tensor]});
    scores_ = each.scores;
    losses.add("loss", box_gain * each.box + class_gain * each.classes + focal_gain * each.focal);
    losses.add("box_loss", each.box);
    losses.add("class_loss", each.classes);
    losses.add("focal_loss", each.focal);
  }

  // The published losses are means over the scores of the boxes that are assigned; less than one
  // counts as one.
  double weight(int64_t) const override { return scores_; }

 private:
  static constexpr std::array<double, 3> strides = {8, 16, 32};
  static constexpr std::array<int64_t, 3> widths = {64, 128, 256};
  static constexpr std::array<const char*, 3> side_names = {"sides_8", "sides_16", "sides_32"};
  static constexpr std::array<const char*, 3> class_names = {"classes_8", "classes_16",
                                                             "classes_32"};

  template <class Module, class... Arguments>
  std::shared_ptr<Module> part(Arguments... arguments) {
    auto made = std::make_shared<Module>(arguments...);
    return register_module(fmt::format("model_{}", parts_++), made);
  }

  // In the order of the published listing, in which resampling and joining count as parts, too.
  void make_body(int64_t channels) {
    stem_ = part<ConvUnit>(channels, int64_t{16}, int64_t{3}, int64_t{2});
    int64_t width = 16;
    for (const int depth : {1, 2, 2, 1}) {
      down_.push_back(part<ConvUnit>(width, 2 * width, int64_t{3}, int64_t{2}));
      width *= 2;
      stages_.push_back(part<C2f>(width, width, depth, true));
    }
    pyramid_ = part<Sppf>(width);
    parts_ = 12;
    up_.push_back(part<C2f>(256 + 128, 128, 1, false));
    parts_ = 15;
    up_.push_back(part<C2f>(128 + 64, 64, 1, false));
    for (const int64_t in : {64, 128}) {
      again_.push_back(part<ConvUnit>(in, in, int64_t{3}, int64_t{2}));
      ++parts_;
      joined_.push_back(part<C2f>(in + 2 * in, 2 * in, 1, false));
    }
  }

  // All three as wide as the finest asks for.
  void make_head() {
    const int64_t box_width = std::max<int64_t>(widths[0] / 4, 4 * kSideBins);
    const int64_t class_width = std::max(widths[0], std::min<int64_t>(classes_, 100));
    nn::ModuleList boxes, classes;
    for (const int64_t width : widths) {
      boxes_.push_back(std::make_shared<Branch>(width, box_width, 4 * kSideBins));
      boxes->push_back(boxes_.back());
    }
    for (const int64_t width : widths) {
      say_.push_back(std::make_shared<Branch>(width, class_width, classes_));
      classes->push_back(say_.back());
    }
    register_module("cv2", boxes);
    register_module("cv3", classes);
    bins_ = register_buffer("dfl", torch::arange(kSideBins, torch::kFloat32));
    const torch::NoGradGuard no_grad;
    for (size_t s = 0; s < widths.size(); ++s) {
      boxes_[s]->begin_with(1);
      // As if five objects were in a picture of 640².
      const double cells = std::pow(640 / strides[s], 2);
      say_[s]->begin_with(std::log(5 / static_cast<double>(classes_) / cells));
    }
  }

  static torch::Tensor beside_larger(const torch::Tensor& coarse, const torch::Tensor& fine) {
    return at::cat({at::upsample_nearest2d(coarse, fine.sizes().slice(2)), fine}, 1);
  }

  std::vector<DetectorScale> forward(const torch::Tensor& image) {
    torch::Tensor x = stem_->forward(image);
    std::vector<torch::Tensor> scales;
    for (size_t i = 0; i < down_.size(); ++i)
      scales.push_back(x = stages_[i]->forward(down_[i]->forward(x)));
    const torch::Tensor coarse = pyramid_->forward(x);
    const torch::Tensor middle = up_[0]->forward(beside_larger(coarse, scales[2]));
    const torch::Tensor fine = up_[1]->forward(beside_larger(middle, scales[1]));
    const auto down = [this](size_t i, const torch::Tensor& from, const torch::Tensor& beside) {
      return joined_[i]->forward(at::cat({again_[i]->forward(from), beside}, 1));
    };
    const torch::Tensor second = down(0, fine, middle);
    const std::array features = {fine, second, down(1, second, coarse)};
    std::vector<DetectorScale> answers;
    for (size_t s = 0; s < features.size(); ++s)
      answers.push_back(
          {boxes_[s]->forward(features[s]), say_[s]->forward(features[s]), strides[s]});
    return answers;
  }

  // Of one scale: a row for x and one for y, of the middle of each cell in cells.
  static torch::Tensor anchors(const torch::Tensor& map) {
    const auto middles = [&](int64_t count) { return at::arange(count, map.options()) + 0.5; };
    const int64_t height = map.size(2), width = map.size(3);
    return at::stack({middles(width).expand({height, width}),
                      middles(height).unsqueeze(1).expand({height, width})})
        .flatten(1);
  }

  void decode(const std::vector<DetectorScale>& scales, Tensors& outputs) const {
    std::vector<torch::Tensor> sides, classes;
    for (const DetectorScale& scale : scales) {
      sides.push_back(scale.sides);
      classes.push_back(scale.classes);
    }
    const auto decoded = announced(
        "flyball::detector_decode", [&] { return boxes_and_scores(scales); }, sides, classes);
    outputs.add("boxes", decoded[0]);
    outputs.add("scores", decoded[1]);
  }

  std::vector<torch::Tensor> boxes_and_scores(const std::vector<DetectorScale>& scales) const {
    std::vector<torch::Tensor> boxes, scores;
    for (const DetectorScale& scale : scales) {
      const torch::Tensor sides = scale.sides.to(torch::kFloat32);
      const torch::Tensor shares = at::softmax(sides.reshape({sides.size(0), 4, kSideBins, -1}), 2);
      const torch::Tensor far = (shares * bins_.view({1, 1, kSideBins, 1})).sum(2);
      const torch::Tensor middle = anchors(sides);
      boxes.push_back(at::cat({middle - far.narrow(1, 0, 2), middle + far.narrow(1, 2, 2)}, 1) *
                      scale.stride);
      scores.push_back(scale.classes.to(torch::kFloat32).flatten(2));
    }
    return {at::cat(boxes, 2), at::cat(scores, 2).sigmoid_()};
  }

  int64_t classes_;
  int parts_ = 0;
  double scores_ = 1;  ///< that the last losses are means over
  Unit stem_;
  std::vector<Unit> down_, again_;
  std::vector<std::shared_ptr<C2f>> stages_, up_, joined_;
  std::shared_ptr<Sppf> pyramid_;
  std::vector<std::shared_ptr<Branch>> boxes_, say_;
  torch::Tensor bins_;  ///< the fixed numbers: 0 to 15
};

}  // namespace

std::shared_ptr<Network> make_yolo_v8n(const NetworkShape& shape) {
  return std::make_shared<YoloV8n>(shape);
}

}  // namespace flyball
