#include "workload/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include <algorithm>
#include <fstream>

#include "base/temp_folder.h"
#include "data/pictures/picture_collate.h"
#include "workload/stepper.h"

namespace flyball {
namespace {

using testing::HasSubstr;

// A linear classifier of 1×2×2 pictures, as torch.jit.script() saves it.
std::string save(const TempFolder& folder, const std::string& forward, int64_t classes = 3,
                 bool trainable = true) {
  torch::jit::Module module("linear");
  torch::manual_seed(1);
  const auto weight = torch::randn({classes, 4}).mul_(0.1).requires_grad_(trainable);
  module.register_parameter("weight", weight, false);
  module.define(forward);
  const std::string path = (folder / "model.pt").string();
  module.save(path);
  return "script:" + path;
}

constexpr const char* linear = R"(
def forward(self, x):
    return torch.matmul(torch.flatten(x, 1), torch.t(self.weight))
)";

StepOptions small() {
  StepOptions options;
  options.threads = 1;
  options.shape = {1, 2, 2};
  options.classes = 3;
  options.learning_rate = 0.1;
  return options;
}

struct Pictures {
  std::vector<float> samples{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  std::vector<int64_t> labels{0, 1, 2};
  PictureBatch batch{samples, labels, {1, 2, 2}};
  BatchView view() const { return batch.view(); }
};

TEST(Script, TrainsAndServes) {
  const TempFolder folder;
  const std::string name = save(folder, linear);
  auto stepper = make_stepper(name, small());
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  EXPECT_EQ((*stepper)->parameter_count(), 12);
  const Pictures pictures;
  const double first = (*stepper)->step(pictures.view())->loss;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE((*stepper)->step(pictures.view()).ok());
  EXPECT_LT((*stepper)->step(pictures.view())->loss, 0.3 * first);
  const auto answers = (*stepper)->infer(pictures.view());
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  const auto logits = answers->outputs.values<float>("logits");
  ASSERT_EQ(logits.size(), 9u);
  for (size_t n = 0; n < 3; ++n) {
    const auto row = logits.subspan(3 * n, 3);
    EXPECT_EQ(std::ranges::max_element(row) - row.begin(), pictures.labels[n]);
  }
  StepOptions serving = small();
  serving.phase = Phase::infer;
  auto served = make_stepper(name, serving);
  ASSERT_TRUE(served.ok());
  EXPECT_TRUE((*served)->step(pictures.view()).ok());
}

TEST(Script, TakesTheFirstOfATuple) {
  const TempFolder folder;
  const std::string name = save(folder, R"(
def forward(self, x):
    return (torch.matmul(torch.flatten(x, 1), torch.t(self.weight)), x)
)");
  auto stepper = make_stepper(name, small());
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  EXPECT_TRUE((*stepper)->step(Pictures().view()).ok());
}

TEST(Script, AnswersOfAnotherShapeAreNamed) {
  const TempFolder folder;
  const std::string name = save(folder, R"(
def forward(self, x):
    return x * torch.sum(self.weight)
)");
  auto stepper = make_stepper(name, small());
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  const auto step = (*stepper)->step(Pictures().view());
  ASSERT_FALSE(step.ok());
  EXPECT_THAT(step.error().message, HasSubstr("classes logits are wanted"));
}

TEST(Script, FewerOutputsThanClassesIsAnError) {
  const TempFolder folder;
  auto stepper = make_stepper(save(folder, linear, 2), small());
  ASSERT_TRUE(stepper.ok());
  EXPECT_FALSE((*stepper)->step(Pictures().view()).ok());
}

TEST(Script, FilesThatAreNoneAreNamed) {
  const TempFolder folder;
  const auto absent = make_stepper("script:" + (folder / "absent.pt").string(), small());
  ASSERT_FALSE(absent.ok());
  EXPECT_THAT(absent.error().message, HasSubstr("absent.pt"));
  std::ofstream(folder / "text.pt") << "no TorchScript";
  const auto text = make_stepper("script:" + (folder / "text.pt").string(), small());
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, HasSubstr("text.pt"));
  EXPECT_THAT(text.error().hint, HasSubstr("torch.jit.script"));
}

TEST(Script, WithNothingToTrainItOnlyServes) {
  const TempFolder folder;
  const std::string name = save(folder, linear, 3, false);
  const auto trained = make_stepper(name, small());
  ASSERT_FALSE(trained.ok());
  EXPECT_THAT(trained.error().message, HasSubstr("no parameters to train"));
  StepOptions serving = small();
  serving.phase = Phase::infer;
  EXPECT_TRUE(make_stepper(name, serving).ok());
}

TEST(Script, MoreClassesInTheDataThanItAnswersAreNamed) {
  const TempFolder folder;
  StepOptions options = small();
  options.classes = 5;
  const auto stepper = make_stepper(save(folder, linear), options);
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  const auto step = (*stepper)->step(Pictures().batch.view());
  ASSERT_FALSE(step.ok());
  EXPECT_THAT(step.error().message, HasSubstr("answers 3 classes and the data has 5"));
}

TEST(Script, NeedsTheClassesOfItsData) {
  const TempFolder folder;
  StepOptions options = small();
  options.classes = 0;
  EXPECT_FALSE(make_stepper(save(folder, linear), options).ok());
}

}  // namespace
}  // namespace flyball
