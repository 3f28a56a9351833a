#include "data/makers/digits.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "data/formats/idx.h"
#include "data/makers/glyphs.h"

namespace flyball {
namespace {

using Point = GlyphPoint;

// A random hand: how glyph coordinates become pixels.
class Hand {
 public:
  explicit Hand(Random& random) {
    const double angle = random.normal() * 0.13;
    const double width = random.uniform(11.0, 18.5), height = random.uniform(17.0, 21.0);
    const double slant = random.normal() * 0.18;
    a_ = width * std::cos(angle), b_ = height * (slant * std::cos(angle) - std::sin(angle));
    c_ = width * std::sin(angle), d_ = height * (slant * std::sin(angle) + std::cos(angle));
    x_ = kDigitSide / 2.0 + random.uniform(-2, 2);
    y_ = kDigitSide / 2.0 + random.uniform(-1.5, 1.5);
    for (Wave& wave : waves_) {
      wave = {random.uniform(0, 0.9), random.uniform(2, 6) * (random.below(2) ? 1 : -1),
              random.uniform(2, 6), random.uniform(0, 2 * std::numbers::pi)};
    }
  }

  Point operator()(Point p) const {
    const double u = p.x - 0.5, v = p.y - 0.5;
    double x = x_ + a_ * u + b_ * v, y = y_ + c_ * u + d_ * v;
    x += waves_[0].at(u, v) + waves_[1].at(u, v);
    y += waves_[2].at(u, v) + waves_[3].at(u, v);
    return {x, y};
  }

 private:
  struct Wave {
    double amplitude = 0, u = 0, v = 0, phase = 0;
    double at(double x, double y) const { return amplitude * std::sin(u * x + v * y + phase); }
  };
  double a_, b_, c_, d_, x_, y_;
  Wave waves_[4];
};

// Catmull-Rom through four points, t in [0, 1] between the middle ones.
Point spline(const Point& p0, const Point& p1, const Point& p2, const Point& p3, double t) {
  const auto along = [t](double a, double b, double c, double d) {
    return 0.5 *
           (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
  };
  return {along(p0.x, p1.x, p2.x, p3.x), along(p0.y, p1.y, p2.y, p3.y)};
}

class Canvas {
 public:
  // Draws a segment as a capsule whose ink fades over one pixel at its edge.
  void segment(Point from, Point to, double radius) {
    const double reach = radius + 0.5;
    const int x0 = clamp(std::min(from.x, to.x) - reach),
              x1 = clamp(std::max(from.x, to.x) + reach);
    const int y0 = clamp(std::min(from.y, to.y) - reach),
              y1 = clamp(std::max(from.y, to.y) + reach);
    const double dx = to.x - from.x, dy = to.y - from.y;
    const double inverse = 1 / std::max(1e-9, dx * dx + dy * dy);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) {
        const double px = x + 0.5 - from.x, py = y + 0.5 - from.y;
        const double t = std::clamp((px * dx + py * dy) * inverse, 0.0, 1.0);
        const double distance = std::hypot(px - t * dx, py - t * dy);
        float& ink = ink_[y * kDigitSide + x];
        ink = std::max(ink, static_cast<float>(std::clamp(reach - distance, 0.0, 1.0)));
      }
  }

  void finish(Random& random, DigitImage& image) const {
    const double ink = random.uniform(0.7, 1.0), noise = random.uniform(0.01, 0.07);
    for (size_t i = 0; i < image.size(); ++i) {
      // A sum of two uniforms is noise enough, at a tenth of the cost of a normal.
      const double grain = noise * 2.4 * (random.uniform() + random.uniform() - 1);
      image[i] =
          static_cast<uint8_t>(std::lround(255 * std::clamp(ink_[i] * ink + grain, 0.0, 1.0)));
    }
  }

 private:
  static int clamp(double v) {
    return std::clamp(static_cast<int>(std::floor(v)), 0, kDigitSide - 1);
  }
  float ink_[kDigitSide * kDigitSide] = {};
};

void draw_stroke(Canvas& canvas, const Hand& hand, std::span<const Point> points, double thickness,
                 Random& random) {
  const double swell = random.uniform(-0.3, 0.3), phase = random.uniform(0, 2 * std::numbers::pi);
  const size_t last = points.size() - 1;
  double along = 0;
  Point from = hand(points[0]);
  for (size_t i = 0; i < last; ++i)
    for (int step = 1; step <= 5; ++step) {
      const Point& before = points[i == 0 ? 0 : i - 1];
      const Point& after = points[std::min(last, i + 2)];
      const Point to = hand(spline(before, points[i], points[i + 1], after, step / 5.0));
      along += std::hypot(to.x - from.x, to.y - from.y);
      canvas.segment(from, to, thickness * (1 + swell * std::sin(along / 6 + phase)));
      from = to;
    }
}

}  // namespace

int draw_digit(uint64_t seed, Split split, int64_t index, DigitImage& image) {
  Random random(
      mix_seed(mix_seed(seed, split == Split::train ? 1 : 2), static_cast<uint64_t>(index)));
  const int label = static_cast<int>(random.below(10));
  const std::vector<Glyph>& variants = glyphs(label);
  const Glyph& glyph = variants[random.below(variants.size())];
  const Hand hand(random);
  const double thickness = random.uniform(0.7, 1.7), shake = random.uniform(0.01, 0.045);
  Canvas canvas;
  for (const GlyphStroke& stroke : glyph) {
    std::vector<Point> points = stroke;
    for (Point& p : points) p = {p.x + shake * random.normal(), p.y + shake * random.normal()};
    draw_stroke(canvas, hand, points, thickness, random);
  }
  canvas.finish(random, image);
  return label;
}

Status make_digits(const std::filesystem::path& folder, const DigitsOptions& options) {
  if (options.train < 1 || options.test < 1)
    return Error{Code::invalid_argument, "a set of digits needs at least one sample in each part",
                 ""};
  for (const Split split : {Split::train, Split::test}) {
    const size_t count = static_cast<size_t>(split == Split::train ? options.train : options.test);
    std::vector<uint8_t> images(count * kDigitSide * kDigitSide), labels(count);
    const size_t block = 256;  // samples per call, so that the calls themselves cost nothing
    parallel_for((count + block - 1) / block,
                 [&](size_t b) {
                   DigitImage image;
                   for (size_t i = b * block; i < std::min(count, (b + 1) * block); ++i) {
                     const int label =
                         draw_digit(options.seed, split, static_cast<int64_t>(i), image);
                     labels[i] = static_cast<uint8_t>(label);
                     std::copy(image.begin(), image.end(),
                               images.begin() + static_cast<ptrdiff_t>(i * image.size()));
                   }
                 },
                 options.threads);
    FLYBALL_CHECK(write_idx(folder, split, images, labels, kDigitSide, kDigitSide));
  }
  return {};
}

}  // namespace flyball
