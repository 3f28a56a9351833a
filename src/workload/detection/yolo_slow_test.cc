// YOLOv8n learns to find drawn shapes, from files to mean average precision.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/os/temp_folder.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/makers/make.h"
#include "data/pictures/detection_collate.h"
#include "workload/detection/detections.h"
#include "workload/stepper.h"

namespace flyball {
namespace {

constexpr int kSide = 160, kClasses = 3;

std::unique_ptr<Loader> loader_of(const std::filesystem::path& folder, Split split) {
  const auto set = *open_dataset(folder, split);
  const bool training = split == Split::train;
  DetectionOptions options = usual_detection(training);
  options.size = kSide;
  auto loader = Loader::create(set, *make_detection_collate(*set, options),
                               {.batch_size = 8, .workers = 1, .shuffle = training});
  EXPECT_TRUE(loader.ok());
  return *std::move(loader);
}

// What a minibatch holds, and what was found in it.
void judge(const BatchView& batch, const BatchView& answers, std::vector<Judged>& judged) {
  const auto mask = batch.values<bool>(box_mask_tensor);
  const auto box = batch.values<float>(box_tensor);
  const auto label = batch.values<int64_t>(box_class_tensor);
  const auto most = mask.size() / static_cast<size_t>(batch.count());
  const auto boxes = answers.values<float>("boxes"), scores = answers.values<float>("scores");
  const auto count = static_cast<size_t>(batch.count());
  for (size_t n = 0; n < count; ++n) {
    Judged picture;
    for (size_t i = n * most; i < (n + 1) * most; ++i)
      if (mask[i])
        picture.wanted.push_back(
            {{box[4 * i], box[4 * i + 1], box[4 * i + 2], box[4 * i + 3]}, label[i]});
    const size_t own_boxes = boxes.size() / count, own_scores = scores.size() / count;
    picture.found = suppress(boxes.subspan(n * own_boxes, own_boxes),
                             scores.subspan(n * own_scores, own_scores));
    judged.push_back(std::move(picture));
  }
}

double precision_on(Loader& loader, Stepper& stepper) {
  std::vector<Judged> judged;
  loader.start_epoch(0);
  while (const auto batch = *loader.next()) {
    const auto answers = stepper.infer(batch->view);
    EXPECT_TRUE(answers.ok()) << answers.error().message;
    if (!answers.ok()) return 0;
    judge(batch->view, answers->outputs, judged);
  }
  return mean_average_precision(judged, 0.5);
}

TEST(YoloV8n, LearnsToFindDrawnShapes) {
  const TempFolder folder;
  ASSERT_TRUE(
      make_dataset("coco", 256, folder.path(), {.classes = kClasses, .size = {160, 120}}).ok());
  StepOptions options;
  options.shape = {3, kSide, kSide};
  options.classes = kClasses;
  options.optimizer = Optimizer::adam;
  options.learning_rate = 2e-3;
  const auto stepper = *make_stepper("yolo_v8n", options);
  const auto training = loader_of(folder.path(), Split::train);
  const auto test = loader_of(folder.path(), Split::test);
  const double untrained = precision_on(*test, *stepper);
  EXPECT_LT(untrained, 0.1);
  double precision = 0;
  for (int epoch = 0; epoch < 40 && precision < 0.5; ++epoch) {
    training->start_epoch(epoch);
    double sum = 0;
    int steps = 0;
    while (const auto batch = *training->next()) {
      const auto result = stepper->step(batch->view);
      ASSERT_TRUE(result.ok()) << result.error().message;
      sum += result->loss;
      ++steps;
    }
    if (epoch % 2 == 1) precision = precision_on(*test, *stepper);
    std::printf("epoch %d: loss %.3f, mAP@0.5 %.3f\n", epoch, sum / steps, precision);
    std::fflush(stdout);
  }
  EXPECT_GE(precision, 0.5);
}

}  // namespace
}  // namespace flyball
