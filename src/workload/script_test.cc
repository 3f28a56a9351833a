#include "workload/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include <algorithm>
#include <fstream>

#include "base/os/temp_folder.h"
#include "data/pictures/picture_collate.h"
#include "workload/stepper.h"
#include "workload/trace.h"

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

StepOptions small_step() {
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
  auto stepper = make_stepper(name, small_step());
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
  StepOptions serving = small_step();
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
  auto stepper = make_stepper(name, small_step());
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  EXPECT_TRUE((*stepper)->step(Pictures().view()).ok());
}

TEST(Script, AnswersOfAnotherShapeAreNamed) {
  const TempFolder folder;
  const std::string name = save(folder, R"(
def forward(self, x):
    return x * torch.sum(self.weight)
)");
  auto stepper = make_stepper(name, small_step());
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  const auto step = (*stepper)->step(Pictures().view());
  ASSERT_FALSE(step.ok());
  EXPECT_THAT(step.error().message, HasSubstr("classes logits are wanted"));
}

TEST(Script, FewerOutputsThanClassesIsAnError) {
  const TempFolder folder;
  auto stepper = make_stepper(save(folder, linear, 2), small_step());
  ASSERT_TRUE(stepper.ok());
  EXPECT_FALSE((*stepper)->step(Pictures().view()).ok());
}

TEST(Script, FilesThatAreNoneAreNamed) {
  const TempFolder folder;
  const auto absent = make_stepper("script:" + (folder / "absent.pt").string(), small_step());
  ASSERT_FALSE(absent.ok());
  EXPECT_THAT(absent.error().message, HasSubstr("absent.pt"));
  std::ofstream(folder / "text.pt") << "no TorchScript";
  const auto text = make_stepper("script:" + (folder / "text.pt").string(), small_step());
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, HasSubstr("text.pt"));
  EXPECT_THAT(text.error().hint, HasSubstr("torch.jit.script"));
}

TEST(Script, WithNothingToTrainItOnlyServes) {
  const TempFolder folder;
  const std::string name = save(folder, linear, 3, false);
  const auto trained = make_stepper(name, small_step());
  ASSERT_FALSE(trained.ok());
  EXPECT_THAT(trained.error().message, HasSubstr("no parameters to train"));
  StepOptions serving = small_step();
  serving.phase = Phase::infer;
  EXPECT_TRUE(make_stepper(name, serving).ok());
}

TEST(Script, MoreClassesInTheDataThanItAnswersAreNamed) {
  const TempFolder folder;
  StepOptions options = small_step();
  options.classes = 5;
  const auto stepper = make_stepper(save(folder, linear), options);
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  const auto step = (*stepper)->step(Pictures().batch.view());
  ASSERT_FALSE(step.ok());
  EXPECT_THAT(step.error().message, HasSubstr("answers 3 classes and the data has 5"));
}

// A module of two inputs with a loss of its own: words and a mask, scored against spans.
struct Spans {
  std::vector<int64_t> ids{0, 1, 2, 3, 2, 1}, start{1, 0};
  std::vector<float> weight{1, 0.5f};
  std::vector<TensorView> tensors;
  Spans() {
    const auto view = [](const char* name, const auto& numbers, TensorShape shape) {
      return TensorView{name, dtype_of<std::decay_t<decltype(numbers[0])>>(), shape,
                        reinterpret_cast<const std::byte*>(numbers.data())};
    };
    tensors = {view("ids", ids, {2, 3}), view("start", start, {2}), view("weight", weight, {2})};
  }
  BatchView view() const { return {tensors, 2}; }
};

StepOptions of_spans() {
  StepOptions options = small_step();
  options.shape = {3};
  options.learning_rate = 0.5;
  options.batch = {
      {"ids", DType::int64, {3}}, {"start", DType::int64, {}}, {"weight", DType::float32, {}}};
  return options;
}

std::string save_module(const TempFolder& folder, const std::string& name,
                        const std::string& forward, bool weight) {
  torch::jit::Module module("own");
  torch::manual_seed(1);
  if (weight) module.register_parameter("table", torch::randn({4, 1}).requires_grad_(true), false);
  module.define(forward);
  const std::string path = (folder / name).string();
  module.save(path);
  return path;
}

constexpr const char* word_scores = R"(
def forward(self, ids):
    return {"scores": self.table[ids].squeeze(2), "twice": 2 * self.table[ids]}
)";
constexpr const char* span_loss = R"(
def forward(self, answer: Dict[str, Tensor], start, weight):
    return torch.mean(weight * -torch.log_softmax(answer["scores"], 1).gather(1, start.unsqueeze(1)).squeeze(1))
)";

TEST(Script, TakesItsInputsByNameAndALossOfItsOwn) {
  const TempFolder folder;
  const std::string name = "script:" + save_module(folder, "words.pt", word_scores, true);
  StepOptions options = of_spans();
  options.loss = save_module(folder, "loss.pt", span_loss, false);
  auto made = make_stepper(name, options);
  ASSERT_TRUE(made.ok()) << made.error().message << made.error().hint;
  EXPECT_EQ((*made)->inputs().size(), 1u);
  EXPECT_EQ((*made)->targets().size(), 2u);
  const Spans spans;
  const auto first = (*made)->step(spans.view());
  ASSERT_TRUE(first.ok()) << first.error().message;
  const double before = first->loss;
  for (int i = 0; i < 50; ++i) ASSERT_TRUE((*made)->step(spans.view()).ok());
  EXPECT_LT((*made)->step(spans.view())->loss, 0.7 * before);
  const auto answer = (*made)->infer(spans.view());
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->outputs.find("scores")->shape, (TensorShape{2, 3}));
  EXPECT_EQ(answer->outputs.find("twice")->shape, (TensorShape{2, 3, 1}));
  options.accumulate = 2;
  EXPECT_TRUE((*make_stepper(name, options))->step(spans.view()).ok());
}

// `scale` is not trained; `table` and `again` are one tensor.
std::string save_tied(const TempFolder& folder) {
  torch::jit::Module module("tied");
  torch::manual_seed(1);
  const auto table = torch::randn({3, 4}).mul_(0.1).requires_grad_(true);
  module.register_parameter("scale", torch::ones({4}).requires_grad_(false), false);
  module.register_parameter("table", table, false);
  module.register_parameter("again", table, false);
  module.define(R"(
def forward(self, x):
    return torch.matmul(torch.flatten(x, 1) * self.scale, torch.t(self.table + self.again))
)");
  const std::string path = (folder / "tied.pt").string();
  module.save(path);
  return "script:" + path;
}

TEST(Script, TiedWeightsTrainAlikeInPartsOfAMinibatch) {
  const TempFolder folder;
  const std::string name = save_tied(folder);
  const Pictures pictures;
  std::vector<double> losses;
  for (const int64_t parts : {1, 3}) {
    StepOptions options = small_step();
    options.accumulate = parts;
    auto made = make_stepper(name, options);
    ASSERT_TRUE(made.ok()) << made.error().message;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE((*made)->step(pictures.view()).ok());
    losses.push_back((*made)->step(pictures.view())->loss);
  }
  EXPECT_NEAR(losses[0], losses[1], 1e-5);
}

TEST(Script, WhatIsNotTrainedAndASecondNameCountNothing) {
  const TempFolder folder;
  const std::string name = save_tied(folder);
  StepOptions options = small_step();
  options.optimizer = Optimizer::adam;
  auto made = make_stepper(name, options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ((*made)->parameter_count(), 12);
  const Pictures pictures;
  ASSERT_TRUE((*made)->step(pictures.view()).ok());
  Checkpoint kept = *(*made)->checkpoint();
  std::vector<std::string> names;
  for (const StoredTensor& tensor : kept.tensors) names.push_back(tensor.name);
  EXPECT_THAT(names, testing::ElementsAre("parameter p0", "parameter p1", "first moment of p1",
                                          "second moment of p1", "random state"));
  // Earlier versions kept these, too.
  for (const char* more : {"parameter p2", "first moment of p0", "second moment of p2"})
    kept.tensors.push_back({more, DType::float32, {1}, "0000"});
  const Status restored = (*make_stepper(name, options))->restore(kept);
  EXPECT_TRUE(restored.ok()) << restored.error().message;

  const auto parameters = [&](Phase phase) {
    options.phase = phase;
    double sum = 0;
    const auto graph = trace_step(name, options);
    EXPECT_TRUE(graph.ok());
    for (const Operation& operation : *graph) sum += operation.parameters;
    return sum;
  };
  EXPECT_EQ(parameters(Phase::train), 12);
  EXPECT_EQ(parameters(Phase::infer), 16);
}

TEST(Script, TheCauseOfAFailureWithinItIsTold) {
  const TempFolder folder;
  StepOptions options = of_spans();
  options.phase = Phase::infer;
  const auto made = make_stepper(
      "script:" + save_module(folder, "folds.pt",
                              "\ndef forward(self, ids):\n    return ids.reshape(-1, 1000003)\n",
                              false),
      options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto answer = (*made)->infer(Spans().view());
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message, HasSubstr("the script: shape '[-1, 1000003]' is invalid"));
}

TEST(Script, InputsAndLossesThatDoNotFitAreNamed) {
  const TempFolder folder;
  const std::string words = "script:" + save_module(folder, "words.pt", word_scores, true);
  const std::string two = "script:" + save_module(folder, "two.pt", R"(
def forward(self, ids, mask):
    return self.table[ids] * mask
)",
                                                  true);
  const auto complaint = [&](const std::string& script, const auto& change) {
    StepOptions options = of_spans();
    change(options);
    const auto made = make_stepper(script, options);
    if (!made.ok()) return made.error().message;
    const auto step = (*made)->step(Spans().view());
    return step.ok() ? std::string("accepted") : step.error().message;
  };
  const auto nothing = [](StepOptions&) {};
  EXPECT_THAT(complaint(words, nothing), HasSubstr("no 'label' for the cross-entropy"));
  EXPECT_THAT(complaint(two, nothing), HasSubstr("takes 'mask', which is not in the data"));
  EXPECT_THAT(complaint(two, [](auto& o) { o.inputs = {"ids"}; }),
              HasSubstr("takes 2 tensors (ids, mask) and gets 1"));
  EXPECT_THAT(complaint(words, [](auto& o) { o.inputs = {"words"}; }),
              HasSubstr("the script takes 'words'"));
  EXPECT_THAT(complaint(words, [&](auto& o) { o.loss = (folder / "no.pt").string(); }),
              HasSubstr("there is no TorchScript file"));
  const auto with_loss = [&](const std::string& forward) {
    return complaint(words,
                     [&](auto& o) { o.loss = save_module(folder, "loss.pt", forward, false); });
  };
  EXPECT_EQ(with_loss(span_loss), "accepted");
  EXPECT_THAT(with_loss("\ndef forward(self, answer: Dict[str, Tensor], end):\n    return end\n"),
              HasSubstr("the loss takes 'end', which is not in the data"));
  EXPECT_THAT(with_loss("\ndef forward(self, answer: Dict[str, Tensor]):\n"
                        "    return answer[\"scores\"]\n"),
              HasSubstr("gives no tensor of one number"));
  EXPECT_THAT(with_loss("\ndef forward(self, answer: Dict[str, Tensor], weight):\n"
                        "    return torch.mean(weight)\n"),
              HasSubstr("does not depend on what is trained"));
}

TEST(Script, NeedsTheClassesOfItsData) {
  const TempFolder folder;
  StepOptions options = small_step();
  options.classes = 0;
  EXPECT_FALSE(make_stepper(save(folder, linear), options).ok());
}

}  // namespace
}  // namespace flyball
