// The language model against PyTorch's nn.LSTM under equal weights: lstm_outputs.py printed the
// recorded numbers (Debian 12's python3-torch 1.13).
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>

#include "data/text/text_dataset.h"
#include "workload/networks.h"
#include "workload/networks/formula_weights_testing.h"
#include "workload/stepper.h"
#include "workload/workload.h"

namespace flyball {
namespace {

constexpr int64_t kVocabulary = 40;

// A minibatch of text in which word i of a row is a function of its place.
struct Text {
  int64_t rows, length;
  std::vector<int64_t> ids, next, windows;
  std::array<TensorView, 3> tensors;

  Text(int64_t row_count, int64_t window_length, int64_t window, int64_t first_row = 0)
      : rows(row_count), length(window_length) {
    const auto word = [](int64_t row, int64_t place) {
      return (7 * place + 11 * row) % kVocabulary;
    };
    for (int64_t row = first_row; row < first_row + rows; ++row) {
      for (int64_t i = 0; i < length; ++i) {
        ids.push_back(word(row, window * length + i));
        next.push_back(word(row, window * length + i + 1));
      }
      windows.push_back(1000 * row + window);
    }
    show();
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  void show() {
    const auto view = [](const char* name, const std::vector<int64_t>& numbers, TensorShape shape) {
      return TensorView{name, DType::int64, shape,
                        reinterpret_cast<const std::byte*>(numbers.data())};
    };
    tensors = {view(ids_tensor, ids, {rows, length}), view(next_tensor, next, {rows, length}),
               view(window_tensor, windows, {rows})};
  }
  BatchView view() const { return {tensors, rows}; }
};

Tensors on_torch(const Text& text) {
  Tensors batch;
  batch.add(ids_tensor, torch::tensor(text.ids).view({text.rows, text.length}));
  batch.add(next_tensor, torch::tensor(text.next).view({text.rows, text.length}));
  batch.add(window_tensor, torch::tensor(text.windows));
  return batch;
}

std::shared_ptr<Network> network_of_the_record() {
  const auto network = make_lstm({{5}, kVocabulary});
  const torch::NoGradGuard no_grad;
  uint32_t ordinal = 0;
  for (auto& item : network->named_parameters()) {
    const double scale = ordinal == 0 ? 0.5 : 0.1;
    fill_by_formula(item.value(), ++ordinal, [&](double u) { return scale * u; });
  }
  EXPECT_EQ(ordinal, 10u);
  return network;
}

TEST(Lstm, HasTheParametersOfItsParts) {
  const int64_t words = 29423, width = 256, gates = 4 * width;
  const int64_t layer = gates * width + gates * width + 2 * gates;
  const int64_t embedding = words * width;  // and the output's, as it is tied
  EXPECT_EQ((*find_workload("lstm"))->parameters, embedding + 2 * layer + words);
}

constexpr double kLosses[] = {3.724648, 3.722182};
constexpr float kLogits[2][3][6] = {
    {{-0.176183f, -0.247696f, -0.180172f, 0.094335f, 0.095337f, -0.069007f},
     {0.208054f, -0.090385f, -0.161692f, 0.087542f, 0.177011f, 0.126254f},
     {0.159694f, -0.158725f, -0.049238f, 0.158037f, 0.155359f, 0.176589f}},
    {{-0.065371f, -0.246467f, -0.274502f, -0.149986f, 0.105405f, 0.185467f},
     {-0.001357f, -0.014406f, -0.172615f, -0.049390f, 0.059739f, 0.148445f},
     {-0.000266f, -0.072653f, -0.234050f, -0.060918f, 0.043016f, 0.163150f}}};
constexpr double kWindowGradients[2][10] = {{0.183994, 0.467545, 0.134217, 0.139064, 0.139064,
                                             0.521088, 0.256386, 0.438935, 0.438935, 0.205446},
                                            {0.217953, 0.448779, 0.183611, 0.143786, 0.143786,
                                             0.549256, 0.369913, 0.399575, 0.399575, 0.209088}};

TEST(Lstm, AnswersAsPyTorchDoesWithTheStateCarried) {
  const auto network = network_of_the_record();
  network->eval();
  const torch::NoGradGuard no_grad;
  for (int64_t window = 0; window < 2; ++window) {
    const Text text(3, 5, window);
    const Tensors batch = on_torch(text);
    Tensors outputs;
    network->answer(batch, outputs);
    const torch::Tensor logits = outputs["logits"];
    ASSERT_EQ(logits.sizes(), (at::IntArrayRef{3, 5, kVocabulary}));
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t i = 0; i < 6; ++i)
        EXPECT_NEAR(logits[row][4][i].item<float>(), kLogits[window][row][i], 1e-4)
            << window << row;
  }
}

TEST(Lstm, LearnsAsPyTorchDoesThroughAWindowAndNoFurther) {
  const auto network = network_of_the_record();
  network->train();
  for (int64_t window = 0; window < 2; ++window) {
    const Text text(3, 5, window);
    const Tensors batch = on_torch(text);
    Tensors outputs, losses;
    network->answer(batch, outputs);
    network->losses(outputs, batch, losses);
    EXPECT_NEAR(losses["loss"].item<double>(), kLosses[window], 1e-5);
    losses["loss"].backward();
    size_t place = 0;
    for (const torch::Tensor& parameter : network->parameters()) {
      const double norm = parameter.grad().to(torch::kFloat64).norm().item<double>();
      EXPECT_NEAR(norm, kWindowGradients[window][place], 1e-4) << window << " " << place;
      ++place;
      parameter.mutable_grad().reset();
    }
  }
}

StepOptions options_of(Phase phase) {
  StepOptions options;
  options.phase = phase;
  options.threads = 1;
  options.classes = kVocabulary;
  options.shape = {5};
  options.learning_rate = 0.5;
  return options;
}

std::unique_ptr<Stepper> stepper_of(const StepOptions& options) {
  auto made = make_stepper("lstm", options);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return *std::move(made);
}

std::vector<float> logits_of(Stepper& stepper, const Text& text) {
  const auto answer = stepper.infer(text.view());
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  const auto values = answer->outputs.values<float>("logits");
  return {values.begin(), values.end()};
}

TEST(Lstm, StateFollowsTheTextWhateverTheRows) {
  const auto stepper = stepper_of(options_of(Phase::infer));
  const size_t row = 5 * kVocabulary;
  logits_of(*stepper, Text(3, 5, 0));
  const auto carried = logits_of(*stepper, Text(3, 5, 1));
  stepper->begin_epoch();
  const auto fresh = logits_of(*stepper, Text(3, 5, 1));
  EXPECT_NE(carried, fresh);
  // Only rows 1 and 2 go on, and what comes after row 0 is new text.
  stepper->begin_epoch();
  logits_of(*stepper, Text(3, 5, 0));
  const auto fewer = logits_of(*stepper, Text(2, 5, 1, 1));
  for (size_t i = 0; i < 2 * row; ++i) EXPECT_NEAR(fewer[i], carried[row + i], 1e-6);
  // A row of which nothing is known begins with zeros beside others that go on.
  stepper->begin_epoch();
  logits_of(*stepper, Text(2, 5, 0, 1));
  const auto mixed = logits_of(*stepper, Text(3, 5, 1));
  for (size_t i = 0; i < row; ++i) EXPECT_NEAR(mixed[i], fresh[i], 1e-6);
  for (size_t i = row; i < 3 * row; ++i) EXPECT_NEAR(mixed[i], carried[i], 1e-6);
}

TEST(Lstm, ShowsItsPerplexityAndLearns) {
  const auto stepper = stepper_of(options_of(Phase::train));
  double first = 0, last = 0;
  for (int64_t window = 0; window < 60; ++window) {
    const auto result = stepper->step(Text(3, 5, window).view());
    ASSERT_TRUE(result.ok()) << result.error().message;
    const double perplexity = result->outputs.values<double>("perplexity")[0];
    EXPECT_NEAR(perplexity, std::exp(result->loss), 1e-9 * perplexity);
    (window == 0 ? first : last) = perplexity;
  }
  EXPECT_NEAR(first, kVocabulary, 4);
  EXPECT_LT(last, 0.3 * first);
}

TEST(Lstm, PartsOfAMinibatchCarryTheirOwnRows) {
  StepOptions options = options_of(Phase::train);
  const auto whole = stepper_of(options);
  options.accumulate = 3;
  const auto parts = stepper_of(options);
  for (int64_t window = 0; window < 6; ++window) {
    const Text text(7, 5, window);
    const auto one = whole->step(text.view()), other = parts->step(text.view());
    ASSERT_TRUE(one.ok() && other.ok());
    EXPECT_NEAR(one->loss, other->loss, 2e-5) << window;
    EXPECT_NEAR(other->outputs.values<double>("perplexity")[0], std::exp(other->loss), 1e-6);
  }
}

TEST(Lstm, GoesOnFromACheckpointToTheBitWithWhatItCarries) {
  StepOptions options = options_of(Phase::train);
  options.optimizer = Optimizer::adam;
  options.learning_rate = 0.01;
  options.accumulate = 2;
  const auto first = stepper_of(options);
  for (int64_t window = 0; window < 3; ++window)
    ASSERT_TRUE(first->step(Text(3, 5, window).view()).ok());
  const Checkpoint kept = *first->checkpoint();
  options.seed = 5;
  const auto second = stepper_of(options);
  ASSERT_TRUE(second->restore(kept).ok());
  for (int64_t window = 3; window < 6; ++window) {
    const Text text(3, 5, window);
    EXPECT_EQ(first->step(text.view())->loss, second->step(text.view())->loss) << window;
  }
}

TEST(Lstm, WordsThatItDoesNotKnowAreNamed) {
  const auto stepper = stepper_of(options_of(Phase::train));
  Text text(3, 5, 0);
  text.ids[4] = kVocabulary;
  EXPECT_EQ(stepper->step(text.view()).error().message, "word 40 is not in 0 to 39");
  text.ids[4] = 0;
  text.next[2] = -1;
  EXPECT_EQ(stepper->step(text.view()).error().message, "word -1 is not in 0 to 39");
  EXPECT_TRUE(stepper->infer(text.view()).ok());
}

}  // namespace
}  // namespace flyball
