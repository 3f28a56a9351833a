#include "workload/detection/assignment.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace flyball {
namespace {

constexpr double kInside = 1e-9;  // an anchor on the rim is not inside
constexpr double kFaint = 1e-9;   // agreement of which little is made

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// The mean of a side's bins, in strides.
double mean_bin(const float* logits, int64_t step) {
  float most = logits[0];
  for (int k = 1; k < kSideBins; ++k) most = std::max(most, logits[k * step]);
  float sum = 0, mean = 0;
  for (int k = 0; k < kSideBins; ++k) {
    const float weight = std::exp(logits[k * step] - most);
    sum += weight;
    mean += weight * static_cast<float>(k);
  }
  return mean / sum;
}

// An anchor inside of a box, with how well the two agree.
struct Pair {
  size_t box = 0;
  int64_t scale = 0, row = 0, column = 0;
  double overlap = 0, agreement = 0;
  bool wanted = false;  ///< among the best of its box

  auto place() const { return std::tuple(scale, row, column); }
};

// Cells whose middle lies strictly between low and high pixels: [first, last).
std::pair<int64_t, int64_t> cells_between(double low, double high, double stride, int64_t count) {
  auto first = static_cast<int64_t>(std::clamp(std::floor(low / stride - 0.5), 0.0, double(count)));
  while (first < count && (static_cast<double>(first) + 0.5) * stride - low <= kInside) ++first;
  int64_t last = first;
  while (last < count && high - (static_cast<double>(last) + 0.5) * stride > kInside) ++last;
  return {first, last};
}

class Matching {
 public:
  Matching(std::span<const ScaleView> scales, std::span<const Corners> boxes,
           std::span<const int64_t> labels, const AssignmentOptions& options)
      : scales_(scales), boxes_(boxes), labels_(labels), options_(options) {}

  std::vector<Assigned> run() {
    for (size_t box = 0; box < boxes_.size(); ++box) {
      const size_t begin = pairs_.size();
      add_inside(box);
      want_best(std::span(pairs_).subspan(begin));
    }
    give_each_to_one();
    return scored();
  }

 private:
  void add_inside(size_t box) {
    const Corners& own = boxes_[box];
    for (size_t s = 0; s < scales_.size(); ++s) {
      const ScaleView& scale = scales_[s];
      const auto [top, bottom] = cells_between(own.top, own.bottom, scale.stride, scale.height);
      const auto [left, right] = cells_between(own.left, own.right, scale.stride, scale.width);
      for (int64_t row = top; row < bottom; ++row)
        for (int64_t column = left; column < right; ++column)
          pairs_.push_back(pair(box, static_cast<int64_t>(s), row, column));
    }
  }

  Pair pair(size_t box, int64_t index, int64_t row, int64_t column) const {
    const ScaleView& scale = scales_[static_cast<size_t>(index)];
    const float logit = scale.classes[labels_[box] * scale.class_channel + row * scale.class_row +
                                      column * scale.class_cell];
    Pair made{box, index, row, column, 0, 0, false};
    made.overlap = std::max(0.0, complete_iou(boxes_[box], decode_box(scale, row, column)));
    made.agreement =
        std::pow(sigmoid(logit), options_.alpha) * std::pow(made.overlap, options_.beta);
    return made;
  }

  // The first of equal ones.
  void want_best(std::span<Pair> own) const {
    std::vector<Pair*> order;
    for (Pair& each : own)
      if (each.agreement > 0) order.push_back(&each);
    const size_t count = std::min(options_.top, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                      [](const Pair* a, const Pair* b) {
                        return std::pair(-a->agreement, a->place()) <
                               std::pair(-b->agreement, b->place());
                      });
    for (size_t i = 0; i < count; ++i) order[i]->wanted = true;
  }

  void give_each_to_one() {
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Pair& a, const Pair& b) { return a.place() < b.place(); });
    for (auto first = pairs_.begin(); first != pairs_.end();) {
      const auto last = std::find_if(
          first, pairs_.end(), [&](const Pair& other) { return other.place() != first->place(); });
      const auto wanted = std::count_if(first, last, [](const Pair& p) { return p.wanted; });
      if (wanted > 1) {
        const auto most = std::max_element(
            first, last, [](const Pair& a, const Pair& b) { return a.overlap < b.overlap; });
        for (auto other = first; other != last; ++other) other->wanted = other == most;
      }
      first = last;
    }
  }

  std::vector<Assigned> scored() const {
    struct Best {
      double agreement = 0, overlap = 0;
    };
    std::vector<Best> best(boxes_.size());
    for (const Pair& pair : pairs_) {
      if (!pair.wanted) continue;
      best[pair.box].agreement = std::max(best[pair.box].agreement, pair.agreement);
      best[pair.box].overlap = std::max(best[pair.box].overlap, pair.overlap);
    }
    std::vector<Assigned> assigned;
    for (const Pair& pair : pairs_) {
      if (!pair.wanted) continue;
      const Best& of_box = best[pair.box];
      const double score = pair.agreement / (of_box.agreement + kFaint) * of_box.overlap;
      assigned.push_back(
          {pair.scale, pair.row, pair.column, static_cast<int64_t>(pair.box), score});
    }
    return assigned;
  }

  std::span<const ScaleView> scales_;
  std::span<const Corners> boxes_;
  std::span<const int64_t> labels_;
  const AssignmentOptions& options_;
  std::vector<Pair> pairs_;
};

}  // namespace

Corners decode_box(const ScaleView& scale, int64_t row, int64_t column) {
  const float* cell = scale.sides + row * scale.side_row + column * scale.side_cell;
  const auto side = [&](int which) {
    return mean_bin(cell + which * kSideBins * scale.side_channel, scale.side_channel);
  };
  const double x = static_cast<double>(column) + 0.5, y = static_cast<double>(row) + 0.5;
  const auto pixels = [&](double cells) { return static_cast<float>(cells * scale.stride); };
  return {pixels(x - side(0)), pixels(y - side(1)), pixels(x + side(2)), pixels(y + side(3))};
}

std::vector<Assigned> assign_boxes(std::span<const ScaleView> scales,
                                   std::span<const Corners> boxes, std::span<const int64_t> labels,
                                   const AssignmentOptions& options) {
  return Matching(scales, boxes, labels, options).run();
}

}  // namespace flyball
