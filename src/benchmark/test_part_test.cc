#include "benchmark/test_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/os/temp_folder.h"
#include "data/makers/make.h"
#include "data/pictures/detection_collate.h"
#include "data/pictures/picture_collate.h"
#include "data/text/text_dataset.h"

namespace flyball {
namespace {

using testing::HasSubstr;

/// Answers one or two tensors that a test makes of the minibatch.
class AnswersAs final : public Stepper {
 public:
  using Answer = std::function<void(const BatchView& batch, AnswersAs& out)>;
  explicit AnswersAs(Answer answer) : answer_(std::move(answer)) {}

  Result<StepResult> infer(const BatchView& batch) override {
    ++minibatches;
    samples += batch.count();
    tensors_ = {};
    used_ = 0;
    answer_(batch, *this);
    StepResult result;
    result.outputs = {{tensors_.data(), used_}, batch.count()};
    return result;
  }
  /// `numbers` of all samples, the first sample's first.
  void add(const char* name, std::vector<float> numbers, int64_t count) {
    numbers_.at(used_) = std::move(numbers);
    const std::vector<float>& held = numbers_.at(used_);
    tensors_.at(used_) = {name, DType::float32,
                          TensorShape{count, static_cast<int64_t>(held.size()) / count},
                          reinterpret_cast<const std::byte*>(held.data())};
    ++used_;
  }

  Result<StepResult> step(const BatchView& /*batch*/) override {
    return Error{Code::internal, "judging trains nothing", ""};
  }
  void begin_epoch() override { ++epochs; }
  Result<Checkpoint> checkpoint() override { return Error{Code::internal, "", ""}; }
  Status restore(const Checkpoint& /*checkpoint*/) override { return {}; }
  const std::vector<TensorSpec>& inputs() const override { return specs_; }
  const std::vector<TensorSpec>& targets() const override { return specs_; }
  int64_t parameter_count() const override { return 0; }
  const StepOptions& options() const override { return options_; }

  int minibatches = 0, epochs = 0;
  int64_t samples = 0;

 private:
  Answer answer_;
  std::array<TensorView, 2> tensors_;
  std::array<std::vector<float>, 2> numbers_;
  size_t used_ = 0;
  std::vector<TensorSpec> specs_;
  StepOptions options_;
};

/// The test part of a drawn set of this kind.
TestPart part_of(const TempFolder& scratch, const std::string& workload, const std::string& kind,
                 int64_t samples, Quality quality, const MakeOptions& make = {},
                 int image_size = 0) {
  const auto folder = scratch.path() / kind;
  EXPECT_TRUE(make_dataset(kind, samples, folder, make).ok());
  auto part = TestPart::open(workload, folder, quality, 4, image_size);
  EXPECT_TRUE(part.ok()) << part.error().message;
  return *std::move(part);
}

TEST(TestPart, AccuracyIsTheShareOfPicturesWhoseHighestLogitIsTheirClass) {
  const TempFolder scratch;
  TestPart part = part_of(scratch, "lenet5", "mnist", 60, Quality::accuracy);
  ASSERT_EQ(part.samples(), 10);  // minibatches of 4, 4 and 2
  int64_t seen = 0;
  const auto right_until = [&seen](int64_t right) {
    seen = 0;
    return AnswersAs([&seen, right](const BatchView& batch, AnswersAs& out) {
      std::vector<float> logits;
      for (const int64_t label : batch.values<int64_t>(label_tensor)) {
        std::vector<float> row(10, -1.0F);
        row[static_cast<size_t>(seen++ < right ? label : (label + 1) % 10)] = 2.0F;
        logits.insert(logits.end(), row.begin(), row.end());
      }
      out.add("logits", std::move(logits), batch.count());
    });
  };
  for (const int64_t right : {0, 7, 10}) {
    AnswersAs stepper = right_until(right);
    EXPECT_DOUBLE_EQ(*part.judge(stepper), static_cast<double>(right) / 10);
    EXPECT_EQ(stepper.samples, 10);
    EXPECT_EQ(stepper.minibatches, 3);
    EXPECT_EQ(stepper.epochs, 1) << "what it carried is forgotten first";
  }
}

TEST(TestPart, PerplexityIsThatOfTheWordThatComes) {
  const TempFolder scratch;
  TestPart part = part_of(scratch, "lstm", "wikitext", 80, Quality::perplexity);
  static constexpr size_t words = 50000;
  // Every word as likely, but for the one that comes: three times as likely as the others.
  const auto stepper_of = [](float more) {
    return AnswersAs([more](const BatchView& batch, AnswersAs& out) {
      const auto next = batch.values<int64_t>(next_tensor);
      size_t largest = 0;
      for (const int64_t word : next) largest = std::max(largest, static_cast<size_t>(word));
      ASSERT_LT(largest, words);
      std::vector<float> logits(next.size() * words, 100.0F);
      for (size_t i = 0; i < next.size(); ++i)
        logits[i * words + static_cast<size_t>(next[i])] += more;
      out.add("logits", std::move(logits), batch.count());
    });
  };
  AnswersAs even = stepper_of(0), surer = stepper_of(std::log(3.0F));
  EXPECT_NEAR(*part.judge(even), words, 1e-6 * words);
  EXPECT_NEAR(*part.judge(surer), (words + 2.0) / 3, 1e-5 * words);
}

/// All boxes of a picture as they are, each sure, and one that is no box.
AnswersAs boxes_as_they_are(float shift) {
  return AnswersAs([shift](const BatchView& batch, AnswersAs& out) {
    constexpr size_t classes = 3;
    const auto box = batch.values<float>(box_tensor);
    const auto label = batch.values<int64_t>(box_class_tensor);
    const auto mask = batch.values<bool>(box_mask_tensor);
    const size_t count = static_cast<size_t>(batch.count()), most = mask.size() / count;
    std::vector<float> boxes(count * 4 * most, 0.0F), scores(count * classes * most, 0.0F);
    for (size_t n = 0; n < count; ++n)
      for (size_t i = 0; i < most; ++i) {
        if (!mask[n * most + i]) continue;
        for (size_t corner = 0; corner < 4; ++corner)
          boxes[(n * 4 + corner) * most + i] = box[4 * (n * most + i) + corner] + shift;
        const auto own = static_cast<size_t>(label[n * most + i]);
        scores[(n * classes + own) * most + i] = 0.9F;
      }
    out.add("boxes", std::move(boxes), batch.count());
    out.add("scores", std::move(scores), batch.count());
  });
}

TEST(TestPart, BoxesAsTheyAreHaveAPrecisionOfOneAndOthersNone) {
  const TempFolder scratch;
  MakeOptions make;
  make.classes = 3;
  make.size = {96, 64};
  TestPart part = part_of(scratch, "yolo_v8n", "coco", 25, Quality::map50, make, 64);
  ASSERT_EQ(part.samples(), 5);
  AnswersAs right = boxes_as_they_are(0), elsewhere = boxes_as_they_are(200);
  EXPECT_GT(*part.judge(right), 0.95);  // boxes of one class that overlap may hide each other
  EXPECT_EQ(*part.judge(elsewhere), 0);
}

TEST(TestPart, WhatASetDoesNotTellIsNamed) {
  const TempFolder scratch;
  const auto folder = scratch.path() / "digits";
  ASSERT_TRUE(make_dataset("mnist", 60, folder).ok());
  const auto part = TestPart::open("lenet5", folder, Quality::perplexity, 4);
  ASSERT_FALSE(part.ok());
  EXPECT_THAT(part.error().message, HasSubstr("tells no perplexity"));
  EXPECT_FALSE(TestPart::open("lenet5", scratch.path() / "none", Quality::accuracy, 4).ok());
}

}  // namespace
}  // namespace flyball
