#include "workload/stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>
#include "base/random.h"
#include "data/pictures/picture_collate.h"
#include "workload/workload.h"

namespace flyball {
namespace {

// How many samples the logits are right about, top 1, in evaluation mode.
int64_t correct(Stepper& stepper, const BatchView& batch) {
  const auto answers = stepper.infer(batch);
  EXPECT_TRUE(answers.ok());
  const auto logits = answers->outputs.values<float>("logits");
  const auto labels = batch.values<int64_t>("label");
  const size_t classes = logits.size() / labels.size();
  int64_t right = 0;
  for (size_t n = 0; n < labels.size(); ++n) {
    const auto row = logits.subspan(n * classes, classes);
    right += std::ranges::max_element(row) - row.begin() == labels[n];
  }
  return right;
}

// A minibatch whose classes are told apart by where the bright square is.
struct Batch {
  std::vector<float> samples;
  std::vector<int64_t> labels;
  TensorShape shape;
  mutable std::optional<PictureBatch> pictures;

  BatchView view() const { return pictures.emplace(samples, labels, shape).view(); }
};

Batch squares(int64_t count, TensorShape shape, int64_t classes, uint64_t seed) {
  const int64_t channels = shape[0], height = shape[1], width = shape[2];
  Batch batch{{}, {}, shape, {}};
  Random random(seed);
  for (int64_t n = 0; n < count; ++n) {
    const auto label = static_cast<int64_t>(random.below(static_cast<size_t>(classes)));
    batch.labels.push_back(label);
    for (int64_t i = 0; i < channels * height * width; ++i) {
      const int64_t row = i / width % height, column = i % width;
      const bool inside = row / 7 == label / 4 % 4 && column / 7 == label % 4;
      batch.samples.push_back(static_cast<float>((inside ? 1.0 : 0.0) + 0.1 * random.normal()));
    }
  }
  return batch;
}

StepOptions one_thread() {
  StepOptions options;
  options.threads = 1;
  return options;
}

std::vector<double> losses(const StepOptions& options, int steps) {
  auto stepper = make_stepper("lenet5", options);
  EXPECT_TRUE(stepper.ok());
  std::vector<double> result;
  for (int i = 0; i < steps; ++i)
    result.push_back((*stepper)->step(squares(16, {1, 28, 28}, 10, 7 + i % 4).view())->loss);
  return result;
}

TEST(Stepper, Lenet5HasItsParameters) {
  auto stepper = make_stepper("lenet5", one_thread());
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  EXPECT_EQ((*stepper)->parameter_count(), 61706);
  EXPECT_EQ((*stepper)->parameter_count(), (*find_workload("lenet5"))->parameters);
  EXPECT_EQ((*stepper)->options().classes, 10);
}

TEST(Stepper, LossFallsAndTheNetworkLearns) {
  auto stepper = *make_stepper("lenet5", one_thread());
  const Batch unseen = squares(64, {1, 28, 28}, 10, 99);
  const int64_t before = correct(*stepper, unseen.view());
  double first = 0, last = 0;
  for (int i = 0; i < 200; ++i) {
    last = stepper->step(squares(16, {1, 28, 28}, 10, 7 + i % 20).view())->loss;
    if (i == 0) first = last;
  }
  EXPECT_NEAR(first, std::log(10.0), 0.3);
  EXPECT_LT(last, 0.2 * first);
  EXPECT_GT(correct(*stepper, unseen.view()), std::max<int64_t>(before, 60));
}

TEST(Stepper, AdamLearnsToo) {
  StepOptions options = one_thread();
  options.optimizer = Optimizer::adam;
  options.learning_rate = 1e-3;
  const auto result = losses(options, 120);
  EXPECT_LT(result.back(), 0.2 * result.front());
}

TEST(Stepper, SameSeedSameNumbers) {
  StepOptions options = one_thread();
  const auto once = losses(options, 8);
  EXPECT_EQ(once, losses(options, 8));
  options.seed = 2;
  EXPECT_NE(once, losses(options, 8));
}

TEST(Stepper, LayoutAndPrecisionChangeLittle) {
  StepOptions options = one_thread();
  const auto plain = losses(options, 8);
  options.channels_last = true;
  const auto other_layout = losses(options, 8);
  options.channels_last = false;
  options.precision = Precision::bf16;
  const auto half = losses(options, 8);
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NEAR(plain[i], other_layout[i], 1e-4) << i;
    EXPECT_NEAR(plain[i], half[i], 0.05) << i;
  }
  EXPECT_NE(plain, half);
}

// Without batch norm and dropout the parts' gradients add up to the whole's, but for rounding.
TEST(Stepper, PartsOfAMinibatchLearnAsTheWhole) {
  StepOptions options = one_thread();
  const auto whole = losses(options, 8);
  for (const int64_t parts : {2, 5, 16, 100}) {
    options.accumulate = parts;
    const auto split = losses(options, 8);
    for (size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(split[i], whole[i], 2e-6) << parts;
    EXPECT_NE(split, whole) << parts;  // other rounding: it was split
  }
}

// What a training does from here on, as losses to the bit.
std::vector<double> go_on(Stepper& stepper, int64_t first, int64_t steps) {
  std::vector<double> result;
  for (int64_t i = first; i < first + steps; ++i)
    result.push_back(
        stepper.step(squares(4, {3, 32, 32}, 4, 7 + static_cast<uint64_t>(i)).view())->loss);
  return result;
}

// MobileNetV3 has batch norm and dropout: buffers and random numbers belong to the checkpoint.
TEST(Checkpoints, TrainingGoesOnToTheBit) {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adamw}) {
    StepOptions options = one_thread();
    options.optimizer = optimizer;
    options.learning_rate = optimizer == Optimizer::sgd ? 0.01 : 1e-3;
    options.shape = {3, 32, 32};
    options.classes = 4;
    auto first = *make_stepper("mobilenet_v3", options);
    go_on(*first, 0, 3);
    const auto checkpoint = first->checkpoint();
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    const auto expected = go_on(*first, 3, 3);
    options.seed = 9;  // other weights and random numbers, all to be replaced
    auto second = *make_stepper("mobilenet_v3", options);
    go_on(*second, 5, 1);
    const auto kept = decode_checkpoint(encode_checkpoint(*checkpoint));
    ASSERT_TRUE(kept.ok()) << kept.error().message;
    const Status restored = second->restore(*kept);
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    EXPECT_EQ(go_on(*second, 3, 3), expected);
  }
}

TEST(Checkpoints, OfAnotherTrainingAreRefusedAndChangeNothing) {
  auto lenet = *make_stepper("lenet5", one_thread());
  StepOptions options = one_thread();
  options.classes = 11;
  auto wider = *make_stepper("lenet5", options);
  options = one_thread();
  options.optimizer = Optimizer::adam;
  auto adam = *make_stepper("lenet5", options);
  const auto batch = squares(16, {1, 28, 28}, 10, 3);
  const Checkpoint own = *lenet->checkpoint();
  EXPECT_EQ(lenet->restore(*wider->checkpoint()).error().message,
            "the checkpoint has parameters '61791' and this training '61706'");
  EXPECT_EQ(lenet->restore(*adam->checkpoint()).error().message,
            "the checkpoint has optimizer 'adam' and this training 'sgd'");
  Checkpoint lacking = own;
  lacking.tensors.erase(lacking.tensors.begin());
  EXPECT_EQ(lenet->restore(lacking).error().message,
            "the checkpoint has no 'parameter conv1.weight'");
  Checkpoint other = own;
  other.tensors[0].shape = {6, 25};
  EXPECT_EQ(lenet->restore(other).error().message,
            "the checkpoint has another shape or type of 'parameter conv1.weight'");
  auto fresh = *make_stepper("lenet5", one_thread());
  EXPECT_EQ(lenet->step(batch.view())->loss, fresh->step(batch.view())->loss);
}

TEST(Stepper, InferenceChangesNothing) {
  StepOptions options = one_thread();
  options.phase = Phase::infer;
  auto stepper = *make_stepper("lenet5", options);
  const Batch batch = squares(64, {1, 28, 28}, 10, 3);
  const int64_t before = correct(*stepper, batch.view());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(stepper->step(batch.view())->loss, 0);
  EXPECT_EQ(correct(*stepper, batch.view()), before);
}

TEST(Stepper, TakesOtherShapesAndClasses) {
  StepOptions options = one_thread();
  options.shape = {3, 32, 32};
  options.classes = 100;
  auto stepper = *make_stepper("lenet5", options);
  EXPECT_TRUE(stepper->step(squares(5, {3, 32, 32}, 16, 1).view()).ok());
}

TEST(Stepper, BadOptionsAreNamed) {
  const auto complaint = [](const std::string& name, const auto& change) {
    StepOptions options = one_thread();
    change(options);
    auto stepper = make_stepper(name, options);
    return stepper.ok() ? std::string("accepted") : stepper.error().message;
  };
  const auto nothing = [](StepOptions&) {};
  EXPECT_EQ(complaint("lenet", nothing), "there is no workload 'lenet'");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.batch_size = 0; }),
            "batch size 0 is not above zero");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.learning_rate = NAN; }),
            "learning rate nan is not above zero");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.momentum = 1; }), "momentum 1 is not in [0, 1)");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.weight_decay = -1; }),
            "weight decay -1 is below zero");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.accumulate = 0; }),
            "0 parts of a minibatch are too few");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.threads = -1; }), "-1 threads are too few");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.classes = -3; }), "-3 classes are too few");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.device = "tpu"; }), "there is no device 'tpu'");
  EXPECT_EQ(complaint("lenet5", [](auto& o) { o.device = "cuda:x"; }),
            "there is no device 'cuda:x'");
  EXPECT_NE(complaint("lenet5", [](auto& o) { o.device = "cuda:99"; }), "accepted");
  EXPECT_NE(complaint("lenet5", [](auto& o) { o.shape = {1, 4, 4}; }), "accepted");
  EXPECT_EQ(complaint("lenet5",
                      [](auto& o) {
                        o.shape = {1, 0, 4};
                      }),
            "input shape 1×0×4 is empty");
}

TEST(Stepper, BadBatchesAreNamed) {
  auto stepper = *make_stepper("lenet5", one_thread());
  Batch batch = squares(4, {1, 28, 28}, 10, 3);
  EXPECT_TRUE(stepper->step(batch.view()).ok());
  batch.labels[2] = 10;
  EXPECT_EQ(stepper->step(batch.view()).error().message, "label 10 is not in 0 to 9");
  batch.labels.pop_back();
  EXPECT_EQ(stepper->step(batch.view()).error().message, "'label' has 3 rows for 4 samples");
  EXPECT_EQ(stepper->step(squares(2, {3, 28, 28}, 10, 1).view()).error().message,
            "'image' of 3×28×28 does not fit a network for 1×28×28");
  EXPECT_EQ(stepper->step(BatchView{}).error().message, "the batch holds no sample");
  batch.labels.clear();
  EXPECT_EQ(stepper->step(batch.view()).error().message, "the batch has no tensor 'label'");
  EXPECT_TRUE(stepper->infer(batch.view()).ok());
}

TEST(Stepper, WhatTheAllocatorRefusesIsOutOfMemory) {
  StepOptions options = one_thread();
  options.shape = {1, 1 << 20, 1 << 20};  // its first linear layer would take 500 TB
  auto stepper = make_stepper("lenet5", options);
  ASSERT_FALSE(stepper.ok());
  EXPECT_EQ(stepper.error().code, Code::out_of_memory) << stepper.error().message;
}

TEST(Stepper, InferenceAnswersWithoutLabels) {
  StepOptions options = one_thread();
  options.phase = Phase::infer;
  auto stepper = *make_stepper("lenet5", options);
  Batch batch = squares(4, {1, 28, 28}, 10, 3);
  const auto with = stepper->step(batch.view());
  ASSERT_TRUE(with.ok());
  const auto logits = with->outputs.values<float>("logits");
  const std::vector<float> first(logits.begin(), logits.end());
  ASSERT_EQ(with->outputs.find("logits")->shape, (TensorShape{4, 10}));
  batch.labels.clear();
  const auto without = stepper->step(batch.view());
  ASSERT_TRUE(without.ok()) << without.error().message;
  EXPECT_TRUE(std::ranges::equal(first, without->outputs.values<float>("logits")));
}

TEST(Stepper, AnswersOfReducedPrecisionComeAsFloats) {
  StepOptions options = one_thread();
  options.phase = Phase::infer;
  const Batch batch = squares(4, {1, 28, 28}, 10, 3);
  const auto logits = [&] {
    auto stepper = *make_stepper("lenet5", options);
    const auto answers = stepper->step(batch.view());
    EXPECT_TRUE(answers.ok());
    const auto values = answers->outputs.values<float>("logits");
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> exact = logits();
  options.precision = Precision::bf16;
  const std::vector<float> reduced = logits();
  EXPECT_NE(exact, reduced);
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(exact[i], reduced[i], 0.02) << i;
}

TEST(Stepper, TrainingShowsItsLossAndInferenceInBetweenChangesNothing) {
  auto undisturbed = *make_stepper("lenet5", one_thread());
  auto disturbed = *make_stepper("lenet5", one_thread());
  for (int i = 0; i < 4; ++i) {
    const Batch batch = squares(16, {1, 28, 28}, 10, 7 + i);
    const auto result = undisturbed->step(batch.view());
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->outputs.values<double>("loss")[0], result->loss);
    EXPECT_EQ(disturbed->step(batch.view())->loss, result->loss);
    ASSERT_TRUE(disturbed->infer(batch.view()).ok());
  }
}

TEST(Stepper, MinibatchesAreInPinnedMemoryWhereThereIsCuda) {
  EXPECT_FALSE(batch_allocator("cpu"));
  StepOptions options = one_thread();
  options.device = "cuda";
  const bool cuda = make_stepper("lenet5", options).ok();
  EXPECT_EQ(batch_allocator("cuda")(16) != nullptr, cuda);
}

TEST(Workloads, AllCanBeMade) {
  for (const Workload& workload : workloads()) {
    StepOptions options = one_thread();
    options.phase = Phase::infer;  // without the optimizer's memory, of 1.3 GB for BERT-large
    auto stepper = make_stepper(workload.name, options);
    ASSERT_TRUE(stepper.ok()) << workload.name << ": " << stepper.error().message;
    EXPECT_EQ((*stepper)->parameter_count(), workload.parameters) << workload.name;
    EXPECT_FALSE(workload.phases.empty());
    EXPECT_GT(workload.samples, 0);
  }
}

TEST(Options, NamesAndBack) {
  for (Optimizer optimizer : {Optimizer::sgd, Optimizer::adam, Optimizer::adamw})
    EXPECT_EQ(*parse_optimizer(optimizer_name(optimizer)), optimizer);
  for (Precision precision : {Precision::fp32, Precision::bf16})
    EXPECT_EQ(*parse_precision(precision_name(precision)), precision);
  EXPECT_FALSE(parse_optimizer("lbfgs").ok());
  EXPECT_FALSE(parse_precision("fp8").ok());
}

}  // namespace
}  // namespace flyball
