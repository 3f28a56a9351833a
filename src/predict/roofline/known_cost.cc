#include "predict/roofline/known_cost.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <string_view>

namespace flyball {
namespace {

// Networks of square images, layer by layer.
class ImageNet {
 public:
  ImageNet(double channels, double size) : channels_(channels), size_(size) {}
  Cost cost;

  void conv(double out, double kernel, double stride, double groups = 1) {
    const ConvShape shape{channels_, out, kernel, stride, size_, groups};
    cost += count_conv(shape);
    channels_ = out;
    size_ = shape.out_size();
  }
  void conv_relu(double out, double kernel, double stride) {
    conv(out, kernel, stride);
    activate(Activation::relu);
  }
  /// SiLU is exported as a sigmoid and a product.
  void conv_silu(double out, double kernel, double stride) {
    conv(out, kernel, stride);
    activate(Activation::sigmoid);
    cost += count_elementwise(elements());
  }
  void activate(Activation kind) { cost += count_activation(kind, elements()); }
  void max_pool(double kernel, double stride) {
    const double in = elements();
    size_ = std::ceil(size_ / stride);
    cost += count_max_pool(in, elements(), kernel * kernel);
  }
  void global_pool() {
    cost += count_global_pool(channels_, elements());
    size_ = 1;
  }
  void flatten() {
    cost += count_move(elements(), elements());
    channels_ = elements();
    size_ = 1;
  }
  void gemm(double out) {
    cost += count_gemm(elements(), out);
    channels_ = out;
  }
  /// Joins branches of so many channels in all.
  void concat(double channels) {
    channels_ = channels;
    cost += count_move(elements(), elements());
  }
  double elements() const { return channels_ * size_ * size_; }
  double channels() const { return channels_; }
  double size() const { return size_; }
  void rewind(double channels, double size) {
    channels_ = channels;
    size_ = size;
  }

 private:
  double channels_, size_;
};

void residual_block(ImageNet& net, double width, double stride, bool bottleneck) {
  const double channels = net.channels(), size = net.size();
  const double out = bottleneck ? 4 * width : width;
  if (bottleneck) {
    net.conv_relu(width, 1, 1);
    net.conv_relu(width, 3, stride);
    net.conv(out, 1, 1);
  } else {
    net.conv_relu(width, 3, stride);
    net.conv(out, 3, 1);
  }
  if (stride != 1 || channels != out) {  // projection of the shortcut
    net.rewind(channels, size);
    net.conv(out, 1, stride);
  }
  net.cost += count_elementwise(net.elements());
  net.activate(Activation::relu);
}

// ResNet at 224², batch norms folded into the convolutions, as exported for inference.
Cost resnet(std::initializer_list<int> blocks, bool bottleneck) {
  ImageNet net(3, 224);
  net.conv_relu(64, 7, 2);
  net.max_pool(3, 2);
  double width = 64;
  for (int count : blocks) {
    for (int block = 0; block < count; ++block)
      residual_block(net, width, block == 0 && width > 64 ? 2 : 1, bottleneck);
    width *= 2;
  }
  net.global_pool();
  net.flatten();
  net.gemm(1000);
  return net.cost;
}

Cost vgg11() {
  ImageNet net(3, 224);
  constexpr int pool = 0;
  for (int out : {64, pool, 128, pool, 256, 256, pool, 512, 512, pool, 512, 512, pool}) {
    if (out == pool)
      net.max_pool(2, 2);
    else
      net.conv_relu(out, 3, 1);
  }
  net.flatten();
  for (double out : {4096.0, 4096.0}) {
    net.gemm(out);
    net.activate(Activation::relu);
  }
  net.gemm(1000);
  return net.cost;
}

// One line of the table of MobileNetV3-Large (Howard et al., ICCV 2019).
struct Inverted {
  double kernel, expanded, out;
  double squeezed;  // channels of squeeze-and-excitation, 0: none
  Activation activation;
  double stride;
};

void inverted_residual(ImageNet& net, const Inverted& block) {
  const double channels = net.channels();
  if (block.expanded != channels) {
    net.conv(block.expanded, 1, 1);
    net.activate(block.activation);
  }
  net.conv(block.expanded, block.kernel, block.stride, block.expanded);
  net.activate(block.activation);
  if (block.squeezed > 0) {
    const double size = net.size();
    net.global_pool();
    net.conv_relu(block.squeezed, 1, 1);
    net.conv(block.expanded, 1, 1);
    net.activate(Activation::hard_sigmoid);
    net.rewind(block.expanded, size);
    net.cost += count_elementwise(net.elements());
  }
  net.conv(block.out, 1, 1);
  if (block.stride == 1 && channels == block.out) net.cost += count_elementwise(net.elements());
}

Cost mobilenet_v3_large() {
  constexpr Activation relu = Activation::relu, swish = Activation::hard_swish;
  constexpr std::array<Inverted, 15> blocks = {{{3, 16, 16, 0, relu, 1},
                                                {3, 64, 24, 0, relu, 2},
                                                {3, 72, 24, 0, relu, 1},
                                                {5, 72, 40, 24, relu, 2},
                                                {5, 120, 40, 32, relu, 1},
                                                {5, 120, 40, 32, relu, 1},
                                                {3, 240, 80, 0, swish, 2},
                                                {3, 200, 80, 0, swish, 1},
                                                {3, 184, 80, 0, swish, 1},
                                                {3, 184, 80, 0, swish, 1},
                                                {3, 480, 112, 120, swish, 1},
                                                {3, 672, 112, 168, swish, 1},
                                                {5, 672, 160, 168, swish, 2},
                                                {5, 960, 160, 240, swish, 1},
                                                {5, 960, 160, 240, swish, 1}}};
  ImageNet net(3, 224);
  net.conv(16, 3, 2);
  net.activate(swish);
  for (const Inverted& block : blocks) inverted_residual(net, block);
  net.conv(960, 1, 1);
  net.activate(swish);
  net.global_pool();
  net.flatten();
  net.gemm(1280);
  net.activate(swish);
  net.gemm(1000);
  return net.cost;
}

// YOLOv8's C2f: halves, of which one goes through bottlenecks of two convolutions, all joined.
void c2f(ImageNet& net, double out, int bottlenecks, bool shortcut) {
  const double half = out / 2;
  net.conv_silu(out, 1, 1);
  net.rewind(half, net.size());
  for (int i = 0; i < bottlenecks; ++i) {
    net.conv_silu(half, 3, 1);
    net.conv_silu(half, 3, 1);
    if (shortcut) net.cost += count_elementwise(net.elements());
  }
  net.concat((2 + bottlenecks) * half);
  net.conv_silu(out, 1, 1);
}

void yolo_backbone(ImageNet& net) {
  net.conv_silu(16, 3, 2);
  double width = 32;
  for (const int bottlenecks : {1, 2, 2, 1}) {
    net.conv_silu(width, 3, 2);
    c2f(net, width, bottlenecks, true);
    width *= 2;
  }
  net.conv_silu(128, 1, 1);  // spatial pyramid: one pool three times
  for (int i = 0; i < 3; ++i) net.max_pool(5, 1);
  net.concat(4 * 128);
  net.conv_silu(256, 1, 1);
}

// Boxes (64 channels: four sides in 16 bins) and 80 classes at one scale.
void yolo_head(ImageNet& net, double channels, double size) {
  for (const double out : {64.0, 80.0}) {
    net.rewind(channels, size);
    net.conv_silu(out, 3, 1);
    net.conv_silu(out, 3, 1);
    net.conv(out, 1, 1);
  }
  net.concat(64 + 80);
}

// At 640². The decoding of the boxes is counted without its last product (by the stride), which the
// published total does not hold.
Cost yolov8n() {
  ImageNet net(3, 640);
  yolo_backbone(net);
  const auto join = [&net](double channels, double size, double out) {
    net.rewind(channels, size);
    net.concat(channels);
    c2f(net, out, 1, false);
  };
  join(256 + 128, 40, 128);
  join(128 + 64, 80, 64);
  net.conv_silu(64, 3, 2);
  join(64 + 128, 40, 128);
  net.conv_silu(128, 3, 2);
  join(128 + 256, 20, 256);
  yolo_head(net, 64, 80);
  yolo_head(net, 128, 40);
  yolo_head(net, 256, 20);
  const double boxes = 80 * 80 + 40 * 40 + 20 * 20;
  Cost cost = net.cost;
  cost += count_move(144 * boxes, 144 * boxes);
  cost += count_move(64 * boxes, 64 * boxes);
  cost += count_activation(Activation::softmax, 64 * boxes);
  // The mean of each side's bins is a convolution of 16 channels over 4 × boxes.
  cost += Cost{0, (2 * 16 + 1) * 4 * boxes, 4 * 16, 4 * (64 + 4) * boxes};
  cost += 5.0 * count_elementwise(2 * boxes);  // corners, centres and sizes
  cost += count_move(4 * boxes, 4 * boxes);
  cost += count_activation(Activation::sigmoid, 80 * boxes);
  cost += count_move(84 * boxes, 84 * boxes);
  return cost;
}

// Softmax attention of all heads, without its projections.
Cost attention(double tokens, double width, double heads) {
  Cost cost = count_matmul(heads * tokens, tokens, width / heads);
  cost += count_activation(Activation::softmax, heads * tokens * tokens);
  cost += count_matmul(heads * tokens, width / heads, tokens);
  return cost;
}

Cost vit_b16() {
  const double tokens = 197, width = 768, heads = 12, hidden = 3072;
  Cost layer = count_matmul(tokens, 3 * width, width);
  layer += count_elementwise(3 * tokens * width);
  layer += attention(tokens, width, heads);
  layer += count_matmul(tokens, width, width);
  layer += count_matmul(tokens, hidden, width);
  layer += count_activation(Activation::erf, tokens * hidden);
  layer += count_matmul(tokens, width, hidden);
  layer += 4.0 * count_elementwise(tokens * width);   // two biases, two residuals
  layer += 5.0 * count_elementwise(tokens * hidden);  // bias, and GELU around its erf
  Cost cost = count_conv({3, width, 16, 16, 224});
  cost += 12.0 * layer;
  cost += count_gemm(width, 1000);
  return cost;
}

// 128 tokens; as published without biases, and without layer norms (the rules count none of their
// operators): the layers and the embeddings, whatever stands on them.
Cost bert_body(double layers, double width, double heads) {
  const double tokens = 128, hidden = 4 * width;
  const double scores = heads * tokens * tokens;
  Cost layer = 4.0 * count_matmul(tokens, width, width);  // query, key, value, output
  layer += 4.0 * count_move(tokens * width, tokens * width);
  layer += attention(tokens, width, heads);
  layer += 2.0 * count_elementwise(scores);  // scale and mask
  layer += count_matmul(tokens, hidden, width);
  layer += count_activation(Activation::erf, tokens * hidden);
  layer += 4.0 * count_elementwise(tokens * hidden);  // GELU around its erf
  layer += count_matmul(tokens, width, hidden);
  layer += 2.0 * count_elementwise(tokens * width);  // residuals
  Cost cost = layers * layer;
  cost += 2.0 * count_elementwise(tokens * width);  // the three embeddings' sum
  return cost;
}

Cost bert_large() {
  const double width = 1024;
  Cost cost = bert_body(24, width, 16);
  cost += count_gemm(width, width);  // pooler
  cost += count_activation(Activation::tanh, width);
  // What is left of the published total: the mask (128) and arithmetic of shapes.
  cost += count_elementwise(158);
  cost += count_move(3, 3);
  return cost;
}

// With the head that our network has: two scores of each token.
Cost bert_base() {
  Cost cost = bert_body(12, 768, 12);
  cost += count_matmul(128, 2, 768);
  return cost;
}

// Eight steps, 256 wide, 29,423 words. The work of the layers does not scale with the batch size,
// the output's does; 12,288 bytes of moves per sample are in the published total.
Cost lstm() {
  Cost cost = 2.0 * count_lstm_layer(256, 256, 8);
  cost += count_matmul(8, 29423, 256);
  cost.bytes += 12288;
  return cost;
}

struct Known {
  std::string_view name;
  Cost cost;
};

const std::vector<Known>& known_costs() {
  static const std::vector<Known> list = {
      {"resnet18", resnet({2, 2, 2, 2}, false)},
      {"resnet50", resnet({3, 4, 6, 3}, true)},
      {"mobilenet_v3", mobilenet_v3_large()},
      {"yolov8n", yolov8n()},
      {"bert_base", bert_base()},
      {"bert_large", bert_large()},
      {"lstm", lstm()},
      {"vgg11", vgg11()},
      {"vit_b16", vit_b16()},
  };
  return list;
}

std::string bare(std::string_view name) {
  std::string letters;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

}  // namespace

std::optional<Cost> known_cost(const std::string& workload) {
  for (const Known& known : known_costs())
    if (bare(known.name) == bare(workload)) return known.cost;
  return {};
}

std::vector<std::string> costed_workloads() {
  std::vector<std::string> names;
  for (const Known& known : known_costs()) names.emplace_back(known.name);
  return names;
}

}  // namespace flyball
