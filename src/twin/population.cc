#include "twin/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

using Bound = PopulationKind::Bound;
using Structure = PopulationKind::Structure;

constexpr double word_bytes = 4;  ///< bytes of a number

struct Range {
  double low, high;
};
/// Of a network's blocks: how many, how wide (channels, or width of a token), and how many places a
/// sample has (pixels on a side, tokens, time steps).
struct Shape {
  Range blocks, width, places;
};

/// From small networks (LeNet, word models) to ResNet-50, YOLO and BERT-large; a kind's ranges are
/// where that bound is the likely one on a board of tens of TFLOP/s and 200 GB/s.
Shape shape_of(PopulationKind kind) {
  static const std::array<std::array<Shape, 4>, 3> shapes = {{
      {{{{16, 40}, {96, 256}, {28, 56}},
        {{12, 40}, {16, 48}, {80, 160}},
        {{30, 80}, {24, 96}, {4, 14}},
        {{8, 24}, {32, 128}, {14, 28}}}},
      {{{{8, 24}, {512, 1024}, {128, 384}},
        {{6, 16}, {96, 192}, {384, 768}},
        {{6, 24}, {64, 256}, {8, 48}},
        {{4, 12}, {128, 384}, {32, 96}}}},
      {{{{2, 4}, {1024, 2048}, {32, 96}},
        {{2, 4}, {1024, 2048}, {4, 12}},
        {{1, 4}, {128, 512}, {16, 96}},
        {{1, 3}, {128, 512}, {4, 16}}}},
  }};
  return shapes[static_cast<size_t>(kind.structure)][static_cast<size_t>(kind.bound)];
}

double log_uniform(Random& random, Range range) {
  return std::exp(random.uniform(std::log(range.low), std::log(range.high)));
}
int64_t whole(Random& random, Range range) {
  return std::max<int64_t>(1, std::llround(log_uniform(random, range)));
}

/// Writes down the operators of one minibatch as an eager framework runs them.
class Drawn {
 public:
  Drawn(int64_t batch, Phase phase) : batch_(batch), train_(phase == Phase::train) {}

  void convolution(int64_t in, int64_t out, int64_t size, int64_t kernel, bool depthwise) {
    const double outputs = per_batch(out * size * size);
    const double weights = static_cast<double>((depthwise ? 1 : in) * out * kernel * kernel);
    const double window = weights / static_cast<double>(out);
    add("conv2d", depthwise ? LayerKind::depthwise : LayerKind::convolution,
        {batch_, out, size, size}, 2 * outputs * window,
        word_bytes * (weights + per_batch(in * size * size) + outputs), 1, weights);
    each("batch_norm", LayerKind::normalisation, out * size * size, 4, 2);
    each("relu", LayerKind::elementwise, out * size * size, 1, 2);
  }
  void linear(int64_t rows, int64_t in, int64_t out) {
    const double weights = static_cast<double>(in * out);
    add("linear", LayerKind::matrix, {batch_, rows, out}, 2 * per_batch(rows) * weights,
        word_bytes * (weights + per_batch(rows * (in + out))), 1, weights);
  }
  void product(int64_t heads, int64_t m, int64_t k, int64_t n) {
    add("matmul", LayerKind::attention, {batch_, heads, m, n}, 2 * per_batch(heads * m * k * n),
        word_bytes * per_batch(heads * (m * k + k * n + m * n)), 1, 0);
  }
  void lstm(int64_t steps, int64_t width) {
    const double weights = 8.0 * static_cast<double>(width * width);
    add("lstm", LayerKind::recurrent, {batch_, steps, width}, 2 * per_batch(steps) * weights,
        word_bytes *
            (weights + static_cast<double>(steps) * weights / 2 + per_batch(2 * steps * width)),
        2 + static_cast<double>(steps), weights);
  }
  void each(const char* op, LayerKind kind, int64_t numbers, double flop, double passes) {
    add(op, kind, {batch_, numbers}, flop * per_batch(numbers),
        word_bytes * passes * per_batch(numbers), 1, 0);
  }

  std::vector<Layer> finish() {
    if (!train_) return std::move(layers_);
    const std::vector<Layer> forward = layers_;
    for (auto layer = forward.rbegin(); layer != forward.rend(); ++layer) {
      Layer back = *layer;
      const double more = layer->parameters > 0 || layer->kind == LayerKind::attention ? 2 : 1.5;
      back.op += "_backward";
      back.flop *= more;
      back.bytes *= more;
      back.kernels *= more > 1.5 ? 2 : 1;
      back.parameters = back.activation_bytes = 0;
      layers_.push_back(std::move(back));
    }
    for (const Layer& layer : forward)  // gradients added up, zeroed; a step with momentum
      if (layer.parameters > 0)
        layers_.push_back({layer.name,
                           "sgd",
                           LayerKind::optimizer,
                           {static_cast<int64_t>(layer.parameters)},
                           0,
                           4 * layer.parameters,
                           12 * word_bytes * layer.parameters,
                           5,
                           0});
    return std::move(layers_);
  }

 private:
  double per_batch(int64_t numbers) const { return static_cast<double>(batch_ * numbers); }
  void add(const char* op, LayerKind kind, std::vector<int64_t> shape, double flop, double bytes,
           double kernels, double parameters) {
    double outputs = 1;
    for (const int64_t size : shape) outputs *= static_cast<double>(size);
    layers_.push_back({fmt::format("{}", layers_.size()), op, kind, std::move(shape), parameters,
                       flop, bytes, kernels, train_ ? word_bytes * outputs : 0});
  }

  int64_t batch_;
  bool train_;
  std::vector<Layer> layers_;
};

void draw_convolutions(Drawn& net, Random& random, int64_t blocks, int64_t width, int64_t size) {
  const bool light = random.uniform() < 0.35;  // MobileNet's blocks
  int64_t in = 3;
  for (int64_t i = 0; i < blocks; ++i) {
    if (i == blocks / 2 && size > 7) size /= 2, width *= 2;
    if (light) net.convolution(in, in, size, 3, true);
    net.convolution(in, width, size, light ? 1 : 3, false);
    in = width;
  }
}

void draw_attention(Drawn& net, Random& random, int64_t blocks, int64_t width, int64_t tokens) {
  const int64_t heads = std::max<int64_t>(1, width / 64);
  const int64_t inner = width * static_cast<int64_t>(2 + 2 * random.below(2));
  for (int64_t i = 0; i < blocks; ++i) {
    for (int side = 0; side < 4; ++side) net.linear(tokens, width, width);
    net.product(heads, tokens, width / heads, tokens);
    net.each("softmax", LayerKind::elementwise, heads * tokens * tokens, 7, 2);
    net.product(heads, tokens, tokens, width / heads);
    net.linear(tokens, width, inner);
    net.each("gelu", LayerKind::elementwise, tokens * inner, 8, 2);
    net.linear(tokens, inner, width);
    for (int side = 0; side < 2; ++side)
      net.each("layer_norm", LayerKind::normalisation, tokens * width, 5, 4);
  }
}

LayerTable draw_layers(PopulationKind kind, uint64_t seed, Phase phase, int64_t batch) {
  Random random(seed);  // the same draws at every batch size and in both phases
  const Shape shape = shape_of(kind);
  const int64_t blocks = whole(random, shape.blocks), width = whole(random, shape.width),
                places = whole(random, shape.places);
  Drawn net(batch, phase);
  if (kind.structure == Structure::convolution)
    draw_convolutions(net, random, blocks, width, places);
  if (kind.structure == Structure::attention) draw_attention(net, random, blocks, width, places);
  if (kind.structure == Structure::recurrent) {
    for (int64_t i = 0; i < blocks; ++i) net.lstm(places, width);
    net.linear(places, width, whole(random, {1000, 30000}));
  }
  LayerTable table;
  table.phase = phase;
  table.batch_size = static_cast<double>(batch);
  table.layers = net.finish();
  return table;
}

TwinData draw_data(PopulationKind kind, Random& random) {
  const bool pictures = kind.structure == Structure::convolution;
  const double heavy = kind.bound == Bound::loader ? 8 : 1;
  TwinData data;
  data.samples = log_uniform(random, {5000, 200000});
  data.sample_bytes = pictures ? log_uniform(random, {3e3, 3e5}) : log_uniform(random, {200, 5e3});
  data.preprocess_mcycles =
      heavy * (pictures ? log_uniform(random, {2, 25}) : log_uniform(random, {0.05, 5}));
  data.input_bytes = pictures ? 3.0 * 224 * 224 * word_bytes : log_uniform(random, {100, 2e4});
  return data;
}

/// `count` values of an axis, evenly spread from a fifth of the highest on, as it lists them.
std::vector<double> spread(const std::vector<double>& listed, size_t count) {
  const double high = *std::ranges::max_element(listed), low = 0.2 * high;
  std::vector<double> taken;
  for (size_t i = 0; i < count; ++i) {
    const double wanted =
        low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1);
    const double nearest =
        *std::ranges::min_element(listed, {}, [&](double v) { return std::abs(v - wanted); });
    if (std::ranges::find(taken, nearest) == taken.end()) taken.push_back(nearest);
  }
  std::ranges::sort(taken);
  return taken;
}

}  // namespace

std::string PopulationKind::name() const {
  constexpr std::array bounds = {"compute", "memory", "launch", "loader"};
  constexpr std::array structures = {"convolution", "attention", "recurrent"};
  return fmt::format("{}-{}", bounds[static_cast<size_t>(bound)],
                     structures[static_cast<size_t>(structure)]);
}

PopulationKind population_kind(size_t index) {
  const size_t at = index % population_kinds;
  return {static_cast<Bound>(at / 3), static_cast<Structure>(at % 3)};
}

TwinWorkload population_workload(size_t index, uint64_t seed, Phase phase) {
  const PopulationKind kind = population_kind(index);
  const uint64_t own = mix_seed(seed, 2 * index);
  TwinWorkload workload;
  workload.name = fmt::format("{}__{:03}", kind.name(), index);
  for (const int64_t batch : {8, 16}) {
    workload.layers.push_back(draw_layers(kind, own, phase, batch));
    workload.layers.back().workload = workload.name;
  }
  Random random(mix_seed(own));
  workload.data = draw_data(kind, random);
  workload.data.resident = phase == Phase::infer;  // as the papers measured it
  workload.data.samples = phase == Phase::infer ? 0 : workload.data.samples;
  return workload;
}

std::string population_board(size_t index, uint64_t seed) {
  constexpr std::array boards = {"nano",      "xavier_nx", "xavier_agx",
                                 "orin_nano", "orin_nx",   "orin_agx"};
  Random random(mix_seed(seed, 2 * index + 1));
  return boards[random.below(boards.size())];
}

std::vector<Axis> population_grid(const TwinBoard& board) {
  std::vector<Axis> grid;
  for (const Axis& axis : board.axes) {
    const bool clock = axis.name == axis::cpu_mhz || axis.name == axis::gpu_mhz;
    Axis taken = axis;
    taken.values = spread(axis.values, clock ? 7 : 3);
    grid.push_back(std::move(taken));
  }
  return grid;
}

Result<WorkloadTable> population_table(size_t index, uint64_t seed, Phase phase) {
  FLYBALL_ASSIGN(const TwinBoard board, find_twin_board(population_board(index, seed)));
  FLYBALL_ASSIGN(const Twin twin, Twin::make(board, population_workload(index, seed, phase)));
  std::vector<Axis> axes = population_grid(board);
  axes.insert(
      axes.begin(),
      named_axis(axis::batch_size, phase == Phase::train ? std::vector<double>{16}
                                                         : std::vector<double>{1, 4, 16, 32, 64}));
  const Space grid = Space::grid(axes);
  WorkloadTable table;
  table.device = board.id;
  table.workload = twin.workload().name;
  table.phase = phase;
  table.power_total = twin_power_total(board);
  for (Axis& axis : axes) axis.values.clear();
  table.space = Space(axes);
  for (size_t i = 0; i < grid.size(); ++i) {
    FLYBALL_ASSIGN(const TwinConfiguration configuration,
                   twin_configuration(grid.trial(i, table.workload, phase)));
    TwinOptions options;
    options.seed = mix_seed(mix_seed(seed, index), 2 * i + (phase == Phase::infer ? 1 : 0));
    const auto run = twin.simulate(configuration, options);
    if (!run && run.error().code == Code::infeasible) continue;  // more memory than it has
    if (!run) return run.error();
    FLYBALL_ASSIGN(const double watts, twin_power_of(board, run->power, table.power_total));
    table.add(grid.row(i), run->mean_ms(twin.workload().loader_workers), watts,
              TwinRun::provenance);
  }
  if (table.size() == 0)
    return Error{Code::infeasible, table.title() + ": it does not fit into memory", ""};
  return table;
}

}  // namespace flyball
