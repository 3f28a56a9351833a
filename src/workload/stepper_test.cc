#include "workload/stepper.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "workload/workload.h"

namespace flyball {
namespace {

// A minibatch whose classes are told apart by where the bright square is.
struct Batch {
  std::vector<float> samples;
  std::vector<int64_t> labels;
  std::array<int64_t, 3> shape;

  BatchView view() const { return {samples, labels, shape}; }
};

Batch squares(int64_t count, std::array<int64_t, 3> shape, int64_t classes, uint64_t seed) {
  const auto [channels, height, width] = shape;
  Batch batch{{}, {}, shape};
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
    result.push_back(*(*stepper)->step(squares(16, {1, 28, 28}, 10, 7 + i % 4).view()));
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
  const int64_t before = *stepper->correct(unseen.view());
  double first = 0, last = 0;
  for (int i = 0; i < 200; ++i) {
    last = *stepper->step(squares(16, {1, 28, 28}, 10, 7 + i % 20).view());
    if (i == 0) first = last;
  }
  EXPECT_NEAR(first, std::log(10.0), 0.3);
  EXPECT_LT(last, 0.2 * first);
  EXPECT_GT(*stepper->correct(unseen.view()), std::max<int64_t>(before, 60));
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

TEST(Stepper, InferenceChangesNothing) {
  StepOptions options = one_thread();
  options.phase = Phase::infer;
  auto stepper = *make_stepper("lenet5", options);
  const Batch batch = squares(64, {1, 28, 28}, 10, 3);
  const int64_t before = *stepper->correct(batch.view());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*stepper->step(batch.view()), 0);
  EXPECT_EQ(*stepper->correct(batch.view()), before);
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
  EXPECT_EQ(stepper->step(batch.view()).error().message,
            "3136 numbers do not make 3 samples of 1×28×28");
  EXPECT_EQ(stepper->step(squares(2, {3, 28, 28}, 10, 1).view()).error().message,
            "samples of 3×28×28 do not fit a network for 1×28×28");
  EXPECT_FALSE(stepper->step(BatchView{{}, {}, {1, 28, 28}}).ok());
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
    auto stepper = make_stepper(workload.name, one_thread());
    ASSERT_TRUE(stepper.ok()) << workload.name << ": " << stepper.error().message;
    EXPECT_EQ((*stepper)->parameter_count(), workload.parameters) << workload.name;
    EXPECT_FALSE(workload.phases.empty());
    EXPECT_GT(workload.samples, 0);
  }
}

TEST(Options, NamesAndBack) {
  for (Optimizer optimizer : {Optimizer::sgd, Optimizer::adam})
    EXPECT_EQ(*parse_optimizer(optimizer_name(optimizer)), optimizer);
  for (Precision precision : {Precision::fp32, Precision::bf16})
    EXPECT_EQ(*parse_precision(precision_name(precision)), precision);
  EXPECT_FALSE(parse_optimizer("lbfgs").ok());
  EXPECT_FALSE(parse_precision("fp8").ok());
}

}  // namespace
}  // namespace flyball
