#include "twin/eager.h"

#include <algorithm>

#include "cost/networks.h"

namespace flyball {
namespace {

using Kind = LayerKind;

constexpr double word = 4;  ///< bytes of a number
const std::string no_gradient = "assign";

/// Writes down one operator after the other; sizes are per sample unless named otherwise.
class Eager {
 public:
  Eager(int64_t batch, Phase phase)
      : batch_(batch), b_(static_cast<double>(batch)), train_(phase == Phase::train) {}

  int64_t convolution(int64_t in, int64_t out, int64_t size, int64_t kernel, int64_t stride = 1,
                      int64_t groups = 1, bool bias = false) {
    const int64_t to = (size + stride - 1) / stride;
    const int64_t inputs_of_one = in / groups * kernel * kernel;
    const double window = static_cast<double>(inputs_of_one);
    const double weights = static_cast<double>(out) * window;
    const double outputs = b_ * static_cast<double>(out * to * to);
    tensors_.push_back(weights);
    if (bias) tensors_.push_back(static_cast<double>(out));
    add("conv2d", groups > 1 ? Kind::depthwise : Kind::convolution, {batch_, out, to, to},
        2 * outputs * window,
        word * (weights + b_ * static_cast<double>(in * size * size) + outputs), bias ? 2 : 1,
        weights + (bias ? static_cast<double>(out) : 0));
    return to;
  }
  void norm(const char* op, int64_t channels, int64_t each) {
    for (int i = 0; i < 2; ++i) tensors_.push_back(static_cast<double>(channels));
    const double n = b_ * static_cast<double>(channels * each);
    const bool twice = train_ && std::string(op) == "batch_norm";
    add(op, Kind::normalisation, {batch_, channels, each}, 4 * n, word * n * (twice ? 3 : 2), 1,
        2 * static_cast<double>(channels));
  }
  void batch_norm(int64_t channels, int64_t size) { norm("batch_norm", channels, size * size); }
  void each(const char* op, int64_t numbers, double inputs = 1, double flop = 1,
            Kind kind = Kind::elementwise) {
    const double n = b_ * static_cast<double>(numbers);
    add(op, kind, {batch_, numbers}, flop * n, word * n * (inputs + 1));
  }
  void move(const char* op, int64_t numbers) { each(op, numbers, 1, 0, Kind::move); }
  void plus(int64_t numbers) { each("add", numbers, 2); }
  void pool(int64_t channels, int64_t from, int64_t to, int64_t kernel) {
    add("pool", Kind::pooling, {batch_, channels, to, to},
        b_ * static_cast<double>(kernel * kernel * channels * to * to),
        word * b_ * static_cast<double>(channels * (from * from + to * to)));
  }
  void linear(int64_t rows, int64_t in, int64_t out, bool tied = false) {
    const double weights = static_cast<double>(in * out), n = b_ * static_cast<double>(rows);
    if (!tied) tensors_.push_back(weights);
    tensors_.push_back(static_cast<double>(out));
    add("linear", Kind::matrix, {batch_, rows, out}, 2 * n * weights,
        word * (weights + n * static_cast<double>(in + out)), 1,
        (tied ? 0 : weights) + static_cast<double>(out));
  }
  void product(int64_t heads, int64_t m, int64_t k, int64_t n) {
    add("matmul", Kind::attention, {batch_, heads, m, n},
        2 * b_ * static_cast<double>(heads * m * k * n),
        word * b_ * static_cast<double>(heads * (m * k + k * n + m * n)));
  }
  void embedding(int64_t rows, int64_t words, int64_t width, double kernels = 1) {
    const double weights = static_cast<double>(words * width);
    tensors_.push_back(weights);
    add("embedding", Kind::embedding, {batch_, rows, width}, 0,
        2 * word * b_ * static_cast<double>(rows * width), kernels, weights);
  }
  void lstm(int64_t steps, int64_t in, int64_t hidden) {
    const double weights = static_cast<double>(4 * hidden * (in + hidden + 2));
    for (const int64_t n : {4 * hidden * in, 4 * hidden * hidden, 4 * hidden, 4 * hidden})
      tensors_.push_back(static_cast<double>(n));
    const double s = static_cast<double>(steps), h = static_cast<double>(hidden);
    add("lstm", Kind::recurrent, {batch_, steps, hidden},
        8 * b_ * s * h * static_cast<double>(in + hidden),
        word * (weights + b_ * s * static_cast<double>(in + hidden) + s * 4 * h * h), 2 + s,
        weights);
  }
  void dropout(int64_t numbers) {
    if (train_) each("dropout", numbers, 2);
  }
  bool train() const { return train_; }

  /// The backward pass in the opposite order, then gradients, zeroing and SGD with momentum.
  std::vector<Layer> finish() {
    if (!train_) return std::move(layers_);
    each("cross_entropy", 1000, 2, 8);
    for (size_t i = layers_.size(); i-- > 0;)
      if (layers_[i].op != no_gradient) backward(Layer(layers_[i]));
    for (const double n : tensors_) {
      weights("accumulate", 0, 3 * n, 1, n);
      weights("zero", 0, n, 1, n);
      weights("sgd", 4 * n, 8 * n, 3, n);
    }
    return std::move(layers_);
  }

 private:
  void add(const char* op, Kind kind, std::vector<int64_t> shape, double flop, double bytes,
           double kernels = 1, double parameters = 0) {
    double outputs = 1;
    for (const int64_t size : shape) outputs *= static_cast<double>(size);
    layers_.push_back({std::to_string(layers_.size()), op, kind, std::move(shape), parameters, flop,
                       bytes, kernels, train_ ? word * outputs : 0});
  }
  void weights(const char* op, double flop, double numbers, double kernels, double n) {
    layers_.push_back(
        {"", op, Kind::optimizer, {static_cast<int64_t>(n)}, 0, flop, word * numbers, kernels, 0});
  }
  /// Products have a gradient by either side; the rest goes back through what it went forth. Nobody
  /// asks for the gradient of the pictures, so the first convolution's is too much by that; the
  /// constants of boards were calibrated with it.
  void backward(Layer layer) {
    const bool product = layer.kind == Kind::convolution || layer.kind == Kind::depthwise ||
                         layer.kind == Kind::matrix || layer.kind == Kind::attention ||
                         layer.kind == Kind::recurrent;
    const bool plus = layer.op == "add";
    layer.op += "_backward";
    layer.parameters = layer.activation_bytes = 0;
    if (product) {
      layer.flop *= 2;
      layer.bytes *= 2;
      layer.kernels *= 2;
    } else if (plus) {
      layer.flop = layer.bytes = layer.kernels = 0;
    } else if (layer.kind != Kind::move) {
      layer.bytes *= layer.kind == Kind::normalisation ? 5.0 / 3 : 1.5;
    }
    layers_.push_back(std::move(layer));
  }

  int64_t batch_;
  double b_;
  bool train_;
  std::vector<Layer> layers_;
  std::vector<double> tensors_;  ///< numbers of each tensor that is learned
};

void resnet(Eager& net, const std::vector<int>& blocks, int widening) {
  int64_t size = net.convolution(3, 64, 224, 7, 2), in = 64;
  net.batch_norm(64, size);
  net.each("relu", 64 * size * size);
  net.pool(64, size, 56, 3);
  size = 56;
  for (size_t stage = 0; stage < blocks.size(); ++stage)
    for (int block = 0; block < blocks[stage]; ++block) {
      const int64_t width = int64_t{64} << stage, out = width * widening;
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      const int64_t from = size;
      const auto unit = [&](int64_t a, int64_t b, int64_t kernel, int64_t step, bool active) {
        size = net.convolution(a, b, size, kernel, step);
        net.batch_norm(b, size);
        if (active) net.each("relu", b * size * size);
      };
      if (widening == 1) {
        unit(in, width, 3, stride, true);
        unit(width, width, 3, 1, false);
      } else {
        unit(in, width, 1, 1, true);
        unit(width, width, 3, stride, true);
        unit(width, out, 1, 1, false);
      }
      if (stride == 2 || in != out) {
        net.convolution(in, out, from, 1, stride);
        net.batch_norm(out, size);
      }
      net.plus(out * size * size);
      net.each("relu", out * size * size);
      in = out;
    }
  net.pool(in, size, 1, size);
  net.linear(1, in, 1000);
}

/// MobileNetV3-Large: kernel, expanded, out, squeeze-and-excitation, hard swish, stride.
void mobilenet_v3(Eager& net) {
  struct Block {
    int64_t kernel, wide, out;
    bool squeeze, swish;
    int64_t stride;
  };
  constexpr Block blocks[] = {
      {3, 16, 16, false, false, 1}, {3, 64, 24, false, false, 2}, {3, 72, 24, false, false, 1},
      {5, 72, 40, true, false, 2},  {5, 120, 40, true, false, 1}, {5, 120, 40, true, false, 1},
      {3, 240, 80, false, true, 2}, {3, 200, 80, false, true, 1}, {3, 184, 80, false, true, 1},
      {3, 184, 80, false, true, 1}, {3, 480, 112, true, true, 1}, {3, 672, 112, true, true, 1},
      {5, 672, 160, true, true, 2}, {5, 960, 160, true, true, 1}, {5, 960, 160, true, true, 1}};
  const auto active = [&](bool swish, int64_t n) {
    net.each(swish ? "hardswish" : "relu", n, 1, swish ? 5 : 1);
  };
  int64_t size = net.convolution(3, 16, 224, 3, 2), in = 16;
  net.batch_norm(16, size);
  active(true, 16 * size * size);
  for (const Block& block : blocks) {
    if (block.wide != in) {
      net.convolution(in, block.wide, size, 1);
      net.batch_norm(block.wide, size);
      active(block.swish, block.wide * size * size);
    }
    size = net.convolution(block.wide, block.wide, size, block.kernel, block.stride, block.wide);
    net.batch_norm(block.wide, size);
    active(block.swish, block.wide * size * size);
    if (block.squeeze) {
      int64_t narrow = std::max<int64_t>(8, (block.wide / 4 + 4) / 8 * 8);
      if (10 * narrow < 9 * (block.wide / 4)) narrow += 8;  // never by more than a tenth down
      net.pool(block.wide, size, 1, size);
      net.convolution(block.wide, narrow, 1, 1, 1, 1, true);
      net.each("relu", narrow);
      net.convolution(narrow, block.wide, 1, 1, 1, 1, true);
      net.each("hardsigmoid", block.wide, 1, 4);
      net.each("mul", block.wide * size * size);
    }
    net.convolution(block.wide, block.out, size, 1);
    net.batch_norm(block.out, size);
    if (block.stride == 1 && in == block.out) net.plus(block.out * size * size);
    in = block.out;
  }
  net.convolution(in, 960, size, 1);
  net.batch_norm(960, size);
  active(true, 960 * size * size);
  net.pool(960, size, 1, size);
  net.linear(1, 960, 1280);
  active(true, 1280);
  net.linear(1, 1280, 1000);
}

class Yolo {
 public:
  explicit Yolo(Eager& net) : net_(net) {}

  void run() {
    int64_t size = unit(3, 16, 640, 3, 2);
    size = unit(16, 32, size, 3, 2);
    stage(32, 32, size, 1);
    size = unit(32, 64, size, 3, 2);
    stage(64, 64, size, 2);
    size = unit(64, 128, size, 3, 2);
    stage(128, 128, size, 2);
    size = unit(128, 256, size, 3, 2);
    stage(256, 256, size, 1);
    unit(256, 128, size, 1);
    for (int i = 0; i < 3; ++i) net_.pool(128, size, size, 5);
    net_.move("cat", 512 * size * size);
    unit(512, 256, size, 1);
    up(256, 384, 128, 40);
    up(128, 192, 64, 80);
    down(64, 192, 128, 80);
    down(128, 384, 256, 40);
    for (const auto& [width, side] : {std::pair<int64_t, int64_t>{64, 80}, {128, 40}, {256, 20}})
      for (const int64_t out : {64, 80}) {
        unit(width, out, side, 3);
        unit(out, out, side, 3);
        net_.convolution(out, out, side, 1, 1, 1, true);
        if (out == 80) net_.move("cat", 144 * side * side);
      }
    const int64_t anchors = 80 * 80 + 40 * 40 + 20 * 20;
    if (net_.train())
      loss(anchors);
    else  // boxes out of distributions
      for (int i = 0; i < 15; ++i) net_.each("head", anchors * 84, 2, 2);
  }

 private:
  /// Anchors are assigned to the boxes of a picture, of which the fullest one of a batch has 20 or
  /// so, without gradients: masks, scores, overlaps and a top-k that scatters ten times, each of
  /// boxes × anchors. The loss of classes is over all anchors, those of boxes over the few
  /// assigned.
  void loss(int64_t anchors) {
    constexpr int64_t boxes = 20, classes = 80, distances = 64, assigned = 70;
    for (int i = 0; i < 60; ++i) net_.each(no_gradient.c_str(), anchors * boxes, 2, 2);
    net_.move("permute", anchors * classes);
    net_.move("permute", anchors * distances);
    net_.each("softmax", anchors * distances, 1, 7);
    net_.each("binary_cross_entropy", anchors * classes, 2, 8);
    net_.each("sum", anchors * classes);
    for (int i = 0; i < 60; ++i) net_.each("box_loss", 4 * assigned, 2, 4);
  }
  int64_t unit(int64_t in, int64_t out, int64_t size, int64_t kernel, int64_t stride = 1) {
    const int64_t to = net_.convolution(in, out, size, kernel, stride);
    net_.batch_norm(out, to);
    net_.each("silu", out * to * to, 1, 5);
    return to;
  }
  void stage(int64_t in, int64_t out, int64_t size, int repeats) {
    unit(in, out, size, 1);
    const int64_t half = out / 2;
    for (int i = 0; i < repeats; ++i) {
      unit(half, half, size, 3);
      unit(half, half, size, 3);
      net_.plus(half * size * size);
    }
    net_.move("cat", (2 + repeats) * half * size * size);
    unit((2 + repeats) * half, out, size, 1);
  }
  void up(int64_t from, int64_t joined, int64_t out, int64_t size) {
    net_.move("upsample", from * size * size);
    net_.move("cat", joined * size * size);
    stage(joined, out, size, 1);
  }
  void down(int64_t in, int64_t joined, int64_t out, int64_t size) {
    const int64_t to = unit(in, in, size, 3, 2);
    net_.move("cat", joined * to * to);
    stage(joined, out, to, 1);
  }
  Eager& net_;
};

struct Transformer {
  int layers;
  int64_t width, tokens, heads;
};

/// One attention layer and its perceptron; `joined`: queries, keys and values by one product.
void encoder(Eager& net, const Transformer& t, bool joined) {
  const int64_t plane = t.tokens * t.width, scores = t.heads * t.tokens * t.tokens;
  if (joined) {
    net.norm("layer_norm", t.width, t.tokens);
    net.linear(t.tokens, t.width, 3 * t.width);
    net.move("permute", 3 * plane);
  }
  for (int i = 0; !joined && i < 3; ++i) {
    net.linear(t.tokens, t.width, t.width);
    net.move("permute", plane);
  }
  net.product(t.heads, t.tokens, t.width / t.heads, t.tokens);
  net.each("scale", scores);
  if (!joined) net.each("mask", scores);
  net.each("softmax", scores, 1, 7);
  if (!joined) net.dropout(scores);
  net.product(t.heads, t.tokens, t.tokens, t.width / t.heads);
  net.move("permute", plane);
  net.linear(t.tokens, t.width, t.width);
  if (!joined) net.dropout(plane);
  net.plus(plane);
  net.norm("layer_norm", t.width, t.tokens);
  net.linear(t.tokens, t.width, 4 * t.width);
  net.each("gelu", 4 * plane, 1, 8);
  net.linear(t.tokens, 4 * t.width, t.width);
  if (!joined) net.dropout(plane);
  net.plus(plane);
  if (!joined) net.norm("layer_norm", t.width, t.tokens);
}

void bert(Eager& net, const Transformer& t) {
  net.embedding(t.tokens, 30522 + 512 + 2, t.width, 3);
  net.plus(t.tokens * t.width);
  net.plus(t.tokens * t.width);
  net.norm("layer_norm", t.width, t.tokens);
  for (int i = 0; i < t.layers; ++i) encoder(net, t, false);
  net.linear(t.tokens, t.width, 2);
}

/// Of pictures of 32 × 32, as BoFL's of CIFAR-10: four patches and the class.
void vit_b16(Eager& net) {
  const Transformer t{12, 768, 5, 12};
  net.convolution(3, t.width, 32, 16, 16, 1, true);
  net.move("cat", t.tokens * t.width);
  net.plus(t.tokens * t.width);
  for (int i = 0; i < t.layers; ++i) encoder(net, t, true);
  net.norm("layer_norm", t.width, t.tokens);
  net.linear(1, t.width, 1000);
}

/// Two layers of 256 over eight words; the output product shares the embedding's weights.
void lstm(Eager& net) {
  constexpr int64_t width = 256, words = 29423, steps = 8;
  net.embedding(steps, words, width);
  for (int i = 0; i < 2; ++i) {
    net.lstm(steps, width, width);
    net.dropout(steps * width);
  }
  net.linear(steps, width, words, true);
}

/// Reviews of 256 words, read forth and back.
void bilstm(Eager& net) {
  constexpr int64_t width = 100, hidden = 256, steps = 256;
  net.embedding(steps, 25000, width);
  for (const int64_t in : {width, 2 * hidden})
    for (int direction = 0; direction < 2; ++direction) net.lstm(steps, in, hidden);
  net.dropout(2 * hidden);
  net.linear(1, 2 * hidden, 2);
}

void lenet5(Eager& net) {
  net.convolution(1, 6, 28, 5, 1, 1, true);
  net.each("relu", 6 * 28 * 28);
  net.pool(6, 28, 14, 2);
  net.convolution(6, 16, 10, 5, 1, 1, true);
  net.each("relu", 16 * 10 * 10);
  net.pool(16, 10, 5, 2);
  net.linear(1, 400, 120);
  net.each("relu", 120);
  net.linear(1, 120, 84);
  net.each("relu", 84);
  net.linear(1, 84, 10);
}

void vgg11(Eager& net) {
  int64_t size = 224, in = 3;
  for (const int64_t out : {64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0}) {
    if (out == 0) {
      net.pool(in, size, size / 2, 2);
      size /= 2;
      continue;
    }
    net.convolution(in, out, size, 3, 1, 1, true);
    net.each("relu", out * size * size);
    in = out;
  }
  net.linear(1, 25088, 4096);
  net.each("relu", 4096);
  net.linear(1, 4096, 4096);
  net.each("relu", 4096);
  net.linear(1, 4096, 1000);
}

struct Known {
  const char* name;
  void (*run)(Eager&);
};

const std::vector<Known>& known() {
  static const std::vector<Known> networks = {{"lenet5", lenet5},
                                              {"vgg11", vgg11},
                                              {"resnet18",
                                               [](Eager& net) {
                                                 resnet(net, {2, 2, 2, 2}, 1);
                                               }},
                                              {"resnet50",
                                               [](Eager& net) {
                                                 resnet(net, {3, 4, 6, 3}, 4);
                                               }},
                                              {"mobilenet_v3", mobilenet_v3},
                                              {"yolo_v8n", [](Eager& net) { Yolo(net).run(); }},
                                              {"bert_base",
                                               [](Eager& net) {
                                                 bert(net, {12, 768, 384, 12});
                                               }},
                                              {"bert_large",
                                               [](Eager& net) {
                                                 bert(net, {24, 1024, 384, 16});
                                               }},
                                              {"lstm", lstm},
                                              {"bilstm", bilstm},
                                              {"vit_b16", vit_b16}};
  return networks;
}

}  // namespace

std::optional<LayerTable> eager_layers(const std::string& workload, Phase phase, int64_t batch) {
  if (batch < 1) return {};
  for (const Known& network : known()) {
    if (!same_network(network.name, workload)) continue;
    Eager net(batch, phase);
    network.run(net);
    LayerTable table;
    table.workload = network.name;
    table.phase = phase;
    table.batch_size = static_cast<double>(batch);
    table.layers = net.finish();
    return table;
  }
  return {};
}

std::vector<std::string> eager_networks() {
  std::vector<std::string> names;
  for (const Known& network : known()) names.emplace_back(network.name);
  return names;
}

}  // namespace flyball
