#include "predict/roofline/counting.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <string_view>

namespace flyball {
namespace {

constexpr double word = 4;  // bytes of an fp32 element

// Networks of square images, layer by layer.
class ImageNet {
 public:
  ImageNet(double channels, double size) : channels_(channels), size_(size) {}
  Cost cost;

  void conv(double out, double kernel, double stride) {
    const ConvShape shape{channels_, out, kernel, stride, size_};
    cost += count_conv(shape);
    channels_ = out;
    size_ = shape.out_size();
  }
  void conv_relu(double out, double kernel, double stride) {
    conv(out, kernel, stride);
    relu();
  }
  void relu() { cost += count_activation(Activation::relu, elements()); }
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
  net.relu();
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
    net.relu();
  }
  net.gemm(1000);
  return net.cost;
}

Cost vit_b16() {
  const double tokens = 197, width = 768, heads = 12, hidden = 3072;
  Cost layer = count_matmul(tokens, 3 * width, width);
  layer += count_elementwise(3 * tokens * width);
  layer += count_matmul(heads * tokens, tokens, width / heads);
  layer += count_activation(Activation::softmax, heads * tokens * tokens);
  layer += count_matmul(heads * tokens, width / heads, tokens);
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

struct Known {
  std::string_view name;
  Cost cost;
};

// A published total at batch size 1 with its parameter bytes.
Cost published(double flop, double parameter_bytes, double total_bytes) {
  return {0, flop, parameter_bytes, total_bytes - parameter_bytes};
}

const std::vector<Known>& known_costs() {
  static const std::vector<Known> list = [] {
    // LSTM: two layers whose work does not scale with the batch size, and the output MatMul that
    // does; 12,288 bytes of moves per sample are in the published total.
    Cost lstm = 2.0 * count_lstm_layer(256, 256, 8);
    lstm += count_matmul(8, 29423, 256);
    lstm.bytes += 12288;
    return std::vector<Known>{
        {"resnet18", resnet({2, 2, 2, 2}, false)},
        {"resnet50", resnet({3, 4, 6, 3}, true)},
        {"mobilenet_v3", published(449137560, 21805088, 102976672)},
        {"yolov8n", published(8839855200, 12584704, 539346304)},
        {"bert_large", published(79136298142, 1213726720, 2601011072)},
        {"lstm", lstm},
        {"vgg11", vgg11()},
        {"vit_b16", vit_b16()},
    };
  }();
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

Cost& Cost::operator+=(const Cost& other) {
  fixed_flop += other.fixed_flop;
  flop += other.flop;
  fixed_bytes += other.fixed_bytes;
  bytes += other.bytes;
  return *this;
}

Cost operator*(double times, const Cost& cost) {
  return {times * cost.fixed_flop, times * cost.flop, times * cost.fixed_bytes, times * cost.bytes};
}

double ConvShape::out_size() const {
  return std::ceil(size / stride);
}

Cost count_conv(const ConvShape& shape) {
  const double side = shape.out_size();
  const double in = shape.in_channels * shape.size * shape.size;
  const double out = shape.out_channels * side * side;
  const double taps = shape.in_channels / shape.groups * shape.kernel * shape.kernel;
  return {0, 2 * out * taps + out, word * shape.out_channels * taps, word * (in + out)};
}

Cost count_gemm(double in, double out) {
  return {0, 2 * in * out, word * in * out, word * (in + out)};
}

Cost count_matmul(double m, double n, double k) {
  return {0, 2 * m * n * k, word * k * n, word * (m * k + m * n)};
}

Cost count_activation(Activation kind, double out) {
  constexpr std::array<double, 8> flops = {1, 4, 4, 5, 5, 5, 7, 8};
  return {0, flops[static_cast<size_t>(kind)] * out, 0, 2 * word * out};
}

Cost count_batch_norm(double channels, double out) {
  return {0, 2 * out, 2 * word * channels, 2 * word * out};
}

Cost count_max_pool(double in, double out, double kernel_area) {
  return {0, (kernel_area - 1) * out, 0, word * (in + out)};
}

Cost count_average_pool(double in, double out, double kernel_area) {
  return {0, kernel_area * out, 0, word * (in + out)};
}

Cost count_global_pool(double channels, double in) {
  return {0, in, 0, word * (in + channels)};
}

Cost count_elementwise(double out) {
  return {0, out, 0, 3 * word * out};
}

Cost count_move(double in, double out) {
  return {0, 0, 0, word * (in + out)};
}

Cost count_constant_of_shape(double out) {
  return {0, 0, 0, word * out};
}

Cost count_lstm_layer(double inputs, double hidden, double steps) {
  return {
      steps * (4 * inputs * hidden + 4 * hidden * hidden + 4 * hidden + 17 * hidden + 3 * hidden),
      0, word * (4 * hidden * (inputs + hidden) + steps * (inputs + hidden) + 2 * hidden), 0};
}

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

Work minibatch_work(const Cost& cost, Phase phase, double batch) {
  const double passes = phase == Phase::train ? 3 : 1;
  return {passes * cost.flop_at(batch), passes * cost.bytes_at(batch)};
}

}  // namespace flyball
