#include "workload/detection/detections.h"

#include <algorithm>
#include <limits>
#include <map>

namespace flyball {
namespace {

bool surer(const Detection& a, const Detection& b) {
  return a.score > b.score;
}

// Every anchor's best class, where it is sure enough.
std::vector<Detection> sure_ones(std::span<const float> boxes, std::span<const float> scores,
                                 float least) {
  const size_t anchors = boxes.size() / 4, classes = anchors == 0 ? 0 : scores.size() / anchors;
  std::vector<float> best(anchors, -1.0f);
  std::vector<int64_t> label(anchors, 0);
  for (size_t c = 0; c < classes; ++c)
    for (size_t i = 0; i < anchors; ++i) {
      const float score = scores[c * anchors + i];
      if (score > best[i]) best[i] = score, label[i] = static_cast<int64_t>(c);
    }
  std::vector<Detection> sure;
  for (size_t i = 0; i < anchors; ++i)
    if (best[i] >= least)
      sure.push_back(
          {{boxes[i], boxes[anchors + i], boxes[2 * anchors + i], boxes[3 * anchors + i]},
           label[i],
           best[i]});
  return sure;
}

// One detection of a class, in the order of its score: right or not.
struct Verdict {
  float score;
  bool right;
};

void judge(const Judged& picture, int64_t label, double overlap, std::vector<Verdict>& verdicts) {
  std::vector<Detection> found;
  for (const Detection& each : picture.found)
    if (each.label == label) found.push_back(each);
  std::stable_sort(found.begin(), found.end(), surer);
  std::vector<bool> taken(picture.wanted.size(), false);
  for (const Detection& each : found) {
    double most = overlap;
    size_t best = picture.wanted.size();
    for (size_t i = 0; i < picture.wanted.size(); ++i) {
      if (taken[i] || picture.wanted[i].label != label) continue;
      const double iou = box_iou(each.box, picture.wanted[i].box);
      if (iou < most || (iou == most && best < picture.wanted.size())) continue;
      most = iou, best = i;
    }
    const bool right = best < picture.wanted.size();
    if (right) taken[best] = true;
    verdicts.push_back({each.score, right});
  }
}

double average_precision(std::vector<Verdict> verdicts, int64_t wanted) {
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const Verdict& a, const Verdict& b) { return a.score > b.score; });
  std::vector<double> precision, recall;
  int64_t right = 0;
  for (const Verdict& verdict : verdicts) {
    right += verdict.right;
    precision.push_back(static_cast<double>(right) / static_cast<double>(precision.size() + 1));
    recall.push_back(static_cast<double>(right) / static_cast<double>(wanted));
  }
  for (size_t i = precision.size(); i > 1; --i)
    precision[i - 2] = std::max(precision[i - 2], precision[i - 1]);
  double sum = 0;
  for (int step = 0; step <= 100; ++step) {
    const auto at = std::lower_bound(recall.begin(), recall.end(), step / 100.0);
    if (at != recall.end()) sum += precision[static_cast<size_t>(at - recall.begin())];
  }
  return sum / 101;
}

}  // namespace

std::vector<Detection> suppress(std::span<const float> boxes, std::span<const float> scores,
                                const SuppressionOptions& options) {
  std::vector<Detection> sure = sure_ones(boxes, scores, options.score);
  std::stable_sort(sure.begin(), sure.end(), surer);
  std::vector<Detection> kept;
  for (const Detection& each : sure) {
    if (kept.size() == options.most) break;
    const bool again = std::any_of(kept.begin(), kept.end(), [&](const Detection& other) {
      return other.label == each.label && box_iou(other.box, each.box) > options.overlap;
    });
    if (!again) kept.push_back(each);
  }
  return kept;
}

double mean_average_precision(std::span<const Judged> pictures, double overlap) {
  std::map<int64_t, int64_t> wanted;
  for (const Judged& picture : pictures)
    for (const TrueBox& box : picture.wanted) ++wanted[box.label];
  if (wanted.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const auto& [label, count] : wanted) {
    std::vector<Verdict> verdicts;
    for (const Judged& picture : pictures) judge(picture, label, overlap, verdicts);
    sum += average_precision(std::move(verdicts), count);
  }
  return sum / static_cast<double>(wanted.size());
}

}  // namespace flyball
