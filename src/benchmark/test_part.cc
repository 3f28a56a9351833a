#include "benchmark/test_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "data/formats/open.h"
#include "data/pictures/detection_collate.h"
#include "data/pictures/picture_collate.h"
#include "data/text/text_dataset.h"
#include "workload/detection/detections.h"
#include "workload/workload.h"

namespace flyball {
namespace {

constexpr const char* logits_tensor = "logits";
constexpr double half = 0.5;  ///< of two boxes' union

/// Adds up what one minibatch after the other shows.
class Score {
 public:
  virtual ~Score() = default;
  virtual void add(const BatchView& batch, const BatchView& answer) = 0;
  virtual double value() const = 0;
};

class Accuracy final : public Score {
 public:
  void add(const BatchView& batch, const BatchView& answer) override {
    const auto labels = batch.values<int64_t>(label_tensor);
    const auto logits = answer.values<float>(logits_tensor);
    const size_t classes = logits.size() / labels.size();
    for (size_t i = 0; i < labels.size(); ++i) {
      const auto row = logits.subspan(i * classes, classes);
      right_ += std::ranges::max_element(row) - row.begin() == labels[i] ? 1 : 0;
    }
    all_ += labels.size();
  }
  double value() const override { return static_cast<double>(right_) / static_cast<double>(all_); }

 private:
  size_t right_ = 0, all_ = 0;
};

class Perplexity final : public Score {
 public:
  void add(const BatchView& batch, const BatchView& answer) override {
    const auto next = batch.values<int64_t>(next_tensor);
    const auto logits = answer.values<float>(logits_tensor);
    const size_t classes = logits.size() / next.size();
    for (size_t i = 0; i < next.size(); ++i)
      nats_ += surprise(logits.subspan(i * classes, classes), static_cast<size_t>(next[i]));
    words_ += next.size();
  }
  double value() const override { return std::exp(nats_ / static_cast<double>(words_)); }

 private:
  /// −log of the probability of the word that came.
  static double surprise(std::span<const float> row, size_t word) {
    const double highest = *std::ranges::max_element(row);
    double sum = 0;
    for (const float logit : row) sum += std::exp(static_cast<double>(logit) - highest);
    return highest + std::log(sum) - static_cast<double>(row[word]);
  }

  double nats_ = 0;
  size_t words_ = 0;
};

class Precision50 final : public Score {
 public:
  void add(const BatchView& batch, const BatchView& answer) override {
    const auto mask = batch.values<bool>(box_mask_tensor);
    const auto box = batch.values<float>(box_tensor);
    const auto label = batch.values<int64_t>(box_class_tensor);
    const auto boxes = answer.values<float>("boxes"), scores = answer.values<float>("scores");
    const auto count = static_cast<size_t>(batch.count());
    const size_t most = mask.size() / count;
    const size_t own_boxes = boxes.size() / count, own_scores = scores.size() / count;
    for (size_t n = 0; n < count; ++n) {
      Judged picture;
      for (size_t i = n * most; i < (n + 1) * most; ++i)
        if (mask[i])
          picture.wanted.push_back(
              {{box[4 * i], box[4 * i + 1], box[4 * i + 2], box[4 * i + 3]}, label[i]});
      picture.found = suppress(boxes.subspan(n * own_boxes, own_boxes),
                               scores.subspan(n * own_scores, own_scores));
      judged_.push_back(std::move(picture));
    }
  }
  double value() const override { return mean_average_precision(judged_, half); }

 private:
  std::vector<Judged> judged_;
};

std::unique_ptr<Score> make_score(Quality quality) {
  switch (quality) {
    case Quality::accuracy:
      return std::make_unique<Accuracy>();
    case Quality::perplexity:
      return std::make_unique<Perplexity>();
    case Quality::map50:
      return std::make_unique<Precision50>();
  }
  return nullptr;
}

/// The tensor of a minibatch that the quality is told by.
const char* needed_tensor(Quality quality) {
  switch (quality) {
    case Quality::accuracy:
      return label_tensor;
    case Quality::perplexity:
      return next_tensor;
    case Quality::map50:
      return box_tensor;
  }
  return "";
}

}  // namespace

const char* quality_name(Quality quality) {
  switch (quality) {
    case Quality::accuracy:
      return "accuracy";
    case Quality::perplexity:
      return "perplexity";
    case Quality::map50:
      return "map50";
  }
  return "";
}

Result<Quality> parse_quality(const std::string& text) {
  for (const Quality quality : {Quality::accuracy, Quality::perplexity, Quality::map50})
    if (text == quality_name(quality)) return quality;
  return Error{Code::invalid_argument, fmt::format("there is no quality '{}'", text),
               "one of: accuracy, perplexity, map50"};
}

bool lower_is_better(Quality quality) {
  return quality == Quality::perplexity;
}

bool reaches(Quality quality, double value, double target) {
  return lower_is_better(quality) ? value <= target : value >= target;
}

Result<TestPart> TestPart::open(const std::string& workload, const std::filesystem::path& folder,
                                Quality quality, int64_t batch_size, int image_size) {
  FLYBALL_ASSIGN(const DatasetPtr set, open_dataset(folder, Split::test));
  FLYBALL_ASSIGN(const CollatePtr collate,
                 make_collate(workload, *set, {.training = false, .image_size = image_size}));
  const std::vector<TensorSpec> layout = collate->layout();
  if (std::ranges::find(layout, needed_tensor(quality), &TensorSpec::name) == layout.end())
    return Error{Code::invalid_argument,
                 fmt::format("a set of kind '{}' tells no {}", set->kind(), quality_name(quality)),
                 ""};
  LoaderOptions load;
  load.batch_size = batch_size;
  load.shuffle = false;
  if (auto strands = set->strands(batch_size); !strands.empty())
    load.order = [strands = std::move(strands)](int64_t) { return strands; };
  FLYBALL_ASSIGN(auto loader, Loader::create(set, collate, std::move(load)));
  return TestPart(quality, std::move(loader));
}

Result<double> TestPart::judge(Stepper& stepper) {
  const auto score = make_score(quality_);
  stepper.begin_epoch();
  loader_->start_epoch(0);
  while (true) {
    FLYBALL_ASSIGN(const auto batch, loader_->next());
    if (!batch) return score->value();
    FLYBALL_ASSIGN(const StepResult answer, stepper.infer(batch->view));
    score->add(batch->view, answer.outputs);
  }
}

}  // namespace flyball
