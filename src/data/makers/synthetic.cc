#include "data/makers/synthetic.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

// A grid of one channel, refined step by step.
struct Grid {
  int width = 0, height = 0;
  std::vector<float> cells;
  float& at(int x, int y) { return cells[static_cast<size_t>(y) * static_cast<size_t>(width) + x]; }
};

// One random word makes four small uniform numbers; the sum of two is noise enough.
class Grain {
 public:
  explicit Grain(Random& random) : random_(random) {}
  float operator()() {
    if (left_ == 0) word_ = random_(), left_ = 4;
    --left_;
    const int sum = static_cast<int>(word_ & 0xff) + static_cast<int>(word_ >> 8 & 0xff);
    word_ >>= 16;
    return static_cast<float>(sum - 255) * (1.0f / 255);
  }

 private:
  Random& random_;
  uint64_t word_ = 0;
  int left_ = 0;
};

// Twice as fine, by interpolation, plus new noise.
Grid refine(Grid& coarse, int width, int height, float amplitude, Grain& grain) {
  Grid fine{width, height, std::vector<float>(static_cast<size_t>(width) * height)};
  for (int y = 0; y < height; ++y) {
    const int y0 = std::min(y / 2, coarse.height - 1), y1 = std::min(y0 + y % 2, coarse.height - 1);
    for (int x = 0; x < width; ++x) {
      const int x0 = std::min(x / 2, coarse.width - 1), x1 = std::min(x0 + x % 2, coarse.width - 1);
      const float mean =
          0.25f * (coarse.at(x0, y0) + coarse.at(x1, y0) + coarse.at(x0, y1) + coarse.at(x1, y1));
      fine.at(x, y) = mean + amplitude * grain();
    }
  }
  return fine;
}

// Noise of all octaves; `decay` is the amplitude of one octave over that of the next coarser.
Grid fractal(PictureSize size, float amplitude, float decay, Random& random) {
  Grain grain(random);
  int octaves = 0;
  while ((size.width >> octaves) > 4 && (size.height >> octaves) > 4) ++octaves;
  Grid grid{1, 1, {0.0f}};
  for (int octave = octaves; octave >= 0; --octave, amplitude *= decay)
    grid = refine(grid, ((size.width - 1) >> octave) + 1, ((size.height - 1) >> octave) + 1,
                  amplitude, grain);
  return grid;
}

struct Ellipse {
  double x, y, a, b, cosine, sine;
  float shade[3];
  bool holds(double px, double py) const {
    const double u = ((px - x) * cosine + (py - y) * sine) / a;
    const double v = ((py - y) * cosine - (px - x) * sine) / b;
    return u * u + v * v < 1;
  }
};

// Sharp edges: objects in front of the noise.
void add_objects(PictureSize size, Grid (&channels)[3], Random& random) {
  for (int i = 0; i < 12; ++i) {
    const double angle = random.uniform(0, 3.1416), reach = size.width * 0.2;
    Ellipse e{random.uniform(0, size.width),
              random.uniform(0, size.height),
              random.uniform(2, reach),
              random.uniform(2, reach),
              std::cos(angle),
              std::sin(angle),
              {}};
    for (float& shade : e.shade) shade = static_cast<float>(random.uniform(-50, 50));
    const double outer = std::max(e.a, e.b);
    const int x0 = std::max(0, static_cast<int>(e.x - outer));
    const int x1 = std::min(size.width, static_cast<int>(e.x + outer) + 1);
    const int y0 = std::max(0, static_cast<int>(e.y - outer));
    const int y1 = std::min(size.height, static_cast<int>(e.y + outer) + 1);
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x)
        if (e.holds(x, y))
          for (int c = 0; c < 3; ++c) channels[c].at(x, y) += e.shade[c];
  }
}

}  // namespace

std::vector<uint8_t> draw_picture(uint64_t seed, int64_t index, int64_t label, PictureSize size) {
  Random random(mix_seed(mix_seed(seed, 3), static_cast<uint64_t>(index)));
  Random of_label(mix_seed(mix_seed(seed, 4), static_cast<uint64_t>(label)));
  const Grid light = fractal(size, 60, 0.83f, random);
  Grid tint[3];
  for (Grid& grid : tint) grid = fractal(size, 24, 0.62f, random);
  add_objects(size, tint, random);

  float base[3];
  for (float& value : base) value = static_cast<float>(of_label.uniform(80, 175));
  const double angle = of_label.uniform(0, 3.1416), wavelength = of_label.uniform(0.03, 0.12);
  const float phase = static_cast<float>(random.uniform(0, 6.2832));
  const double turn = 6.2832 / (wavelength * size.width);
  const float dx = static_cast<float>(turn * std::cos(angle));
  const float dy = static_cast<float>(turn * std::sin(angle));
  std::vector<uint8_t> rgb(static_cast<size_t>(size.width) * size.height * 3);
  for (size_t y = 0, i = 0; y < static_cast<size_t>(size.height); ++y)
    for (size_t x = 0; x < static_cast<size_t>(size.width); ++x, ++i) {
      const float wave =
          14 * std::sin(dx * static_cast<float>(x) + dy * static_cast<float>(y) + phase);
      for (size_t c = 0; c < 3; ++c)
        rgb[3 * i + c] = static_cast<uint8_t>(
            std::clamp(base[c] + wave + light.cells[i] + tint[c].cells[i], 0.0f, 255.0f));
    }
  return rgb;
}

}  // namespace flyball
