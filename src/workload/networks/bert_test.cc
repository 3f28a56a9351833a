// BERT against PyTorch's own multi-head attention and encoder, under weights that a formula gives:
// bert_outputs.py printed the recorded numbers (Debian 12's python3-torch 1.13).
#include "workload/networks/bert.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "data/text/question_collate.h"
#include "workload/networks/attention.h"
#include "workload/networks/dropout.h"
#include "workload/networks/formula_weights_testing.h"
#include "workload/runtime.h"
#include "workload/torch_stepper.h"
#include "workload/workload.h"

namespace flyball {
namespace {

constexpr int64_t kRows = 2, kTokens = 16, kWords = 100;
constexpr BertShape kSmall{
    .vocabulary = kWords, .layers = 2, .width = 64, .heads = 4, .hidden = 256, .dropout = 0};

// Rows of 16 and 11 tokens, as bert_outputs.py makes them.
struct Rows {
  std::vector<int64_t> ids, types, mask, start, end;
  std::vector<TensorView> tensors;

  explicit Rows(int64_t tokens = kTokens) {
    for (int64_t row = 0; row < kRows; ++row)
      for (int64_t place = 0; place < tokens; ++place) {
        ids.push_back((place * 7 + 13 * row) % kWords);
        types.push_back(place >= 5 + row);
        mask.push_back(place < (row == 0 ? tokens : 11));
      }
    start = {3, 0}, end = {5, 0};
    const auto add = [&](const char* name, const std::vector<int64_t>& values, TensorShape shape) {
      tensors.push_back(
          {name, DType::int64, shape, reinterpret_cast<const std::byte*>(values.data())});
    };
    add(ids_tensor, ids, {kRows, tokens});
    add(types_tensor, types, {kRows, tokens});
    add(mask_tensor, mask, {kRows, tokens});
    add(start_tensor, start, {kRows});
    add(end_tensor, end, {kRows});
  }
  BatchView view() const { return {tensors, kRows}; }
  torch::Tensor tensor(const std::vector<int64_t>& values) const {
    return torch::tensor(values).view({kRows, -1});
  }
};

void set_weights(Network& network) {
  const torch::NoGradGuard no_grad;
  uint32_t ordinal = 0;
  for (torch::Tensor& weight : network.parameters())
    fill_by_formula(weight, ++ordinal, [](double u) { return 0.3 * u; });
}

void expect_near(const torch::Tensor& values, int64_t length, const std::array<float, 6>& first,
                 double sum) {
  const torch::Tensor flat = values.slice(0, 0, length).flatten();
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_NEAR(flat[i].item<float>(), first[static_cast<size_t>(i)], 1e-4) << i;
  EXPECT_NEAR(flat.abs().sum().item<double>(), sum, 1e-4 * static_cast<double>(flat.numel()));
}

TEST(Bert, AttentionAgreesWithPyTorchsOwn) {
  const Rows rows;
  const auto network = make_bert(kSmall);
  set_weights(*network);
  network->eval();
  const torch::NoGradGuard no_grad;
  const auto weights = network->named_parameters();
  const torch::Tensor sum = at::embedding(weights["words.weight"], rows.tensor(rows.ids)) +
                            at::embedding(weights["types.weight"], rows.tensor(rows.types)) +
                            weights["places.weight"].slice(0, 0, kTokens);
  const torch::Tensor x =
      at::layer_norm(sum, {64}, weights["norm.weight"], weights["norm.bias"], 1e-12);
  for (const auto& item : network->named_modules())
    if (auto* attention = item.value()->as<SelfAttention>(); attention) {
      const torch::Tensor y = attention->forward(x, padding_scores(rows.tensor(rows.mask), 4));
      expect_near(y[0], 16, {1.121607f, 0.561923f, 0.138998f, 0.102175f, 0.343286f, -0.011890f},
                  390.69330);
      expect_near(y[1], 11, {1.074049f, 0.491211f, 0.101190f, -0.160012f, 0.311292f, 0.046962f},
                  257.76926);
      return;  // the first layer's
    }
  FAIL() << "no attention";
}

TEST(Bert, OutputsAgreeWithPyTorchsEncoder) {
  const Rows rows;
  const auto network = make_bert(kSmall);
  set_weights(*network);
  for (const bool training : {false, true}) {
    network->train(training);
    Tensors batch, outputs;
    batch.add(ids_tensor, rows.tensor(rows.ids));
    batch.add(types_tensor, rows.tensor(rows.types));
    batch.add(mask_tensor, rows.tensor(rows.mask));
    network->answer(batch, outputs);
    const torch::Tensor marks =
        at::stack({outputs["start_logits"], outputs["end_logits"]}, -1).detach();
    expect_near(marks[0], 16,
                {-0.179042f, -0.295975f, -0.159703f, -0.296354f, -0.174131f, -0.300623f}, 7.31644);
    expect_near(marks[1], 11,
                {-0.188538f, -0.290784f, -0.179631f, -0.290045f, -0.168787f, -0.285259f}, 4.97609);
  }
}

// BERT-large is counted with the other workloads (stepper_test.cc).
TEST(Bert, BaseHasThePublishedParameters) {
  const Workload& base = **find_workload("bert_base");
  EXPECT_EQ(base.parameters, 108'893'186);
  EXPECT_EQ((*find_workload("bert_large"))->parameters, 334'094'338);
  EXPECT_EQ(base.shape.classes, 30522);
}

std::unique_ptr<Stepper> small_stepper(StepOptions options, BertShape shape = kSmall) {
  options.threads = 1;
  set_threads(1);
  torch::manual_seed(4);
  return make_torch_stepper(make_bert(shape), options, torch::kCPU);
}

TEST(Bert, LossFallsOnATinySetAndIsTheMeanOfBoth) {
  const Rows rows;
  BertShape shape = kSmall;
  shape.dropout = 0.1;
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    StepOptions options;
    options.precision = precision;
    options.channels_last = true;  // is for pictures, and changes nothing here
    const auto stepper = small_stepper(options, shape);
    std::vector<double> losses;
    for (int i = 0; i < 60; ++i) {
      const auto result = stepper->step(rows.view());
      ASSERT_TRUE(result.ok()) << result.error().message;
      losses.push_back(result->loss);
      EXPECT_NEAR((result->outputs.values<double>("start_loss")[0] +
                   result->outputs.values<double>("end_loss")[0]) /
                      2,
                  result->loss, 1e-2);
    }
    EXPECT_NEAR(losses.front(), std::log(16), 0.5);
    EXPECT_LT(losses.back(), 0.3 * losses.front());
    const auto answer = stepper->infer(rows.view());
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->outputs.find("start_logits")->shape, (TensorShape{kRows, kTokens}));
  }
}

// Padding has no say in what the other tokens answer.
TEST(Bert, AnswersDoNotDependOnPadding) {
  Rows rows;
  StepOptions options;
  options.phase = Phase::infer;
  const auto stepper = small_stepper(options);
  const auto logits = [&] {
    const auto result = stepper->infer(rows.view());
    EXPECT_TRUE(result.ok());
    const auto values = result->outputs.values<float>("end_logits").subspan(kTokens, 11);
    return std::vector<float>(values.begin(), values.end());
  };
  const auto before = logits();
  for (size_t i = kTokens + 11; i < 2 * kTokens; ++i) rows.ids[i] = 77;
  EXPECT_EQ(logits(), before);
  rows.ids[kTokens + 3] = 77;
  EXPECT_NE(logits(), before);
}

TEST(Bert, BadRowsAreNamed) {
  StepOptions options;
  const auto stepper = small_stepper(options);
  const auto fault = [&](const Rows& rows) {
    const auto result = stepper->step(rows.view());
    return result.ok() ? "" : result.error().message;
  };
  Rows rows;
  rows.ids[3] = kWords;
  EXPECT_EQ(fault(rows), "'ids' holds 100, which is not in 0 to 99");
  rows.ids[3] = 0, rows.types[0] = -1;
  EXPECT_EQ(fault(rows), "'types' holds -1, which is not in 0 to 1");
  rows.types[0] = 0, rows.end[1] = kTokens;
  EXPECT_EQ(fault(rows), "'end' holds 16, which is not in 0 to 15");
  EXPECT_EQ(fault(Rows(513)), "rows of 513 tokens, and BERT has 512 places");
  Rows uneven;
  uneven.tensors[2].shape = {kRows, kTokens - 1};
  EXPECT_NE(fault(uneven).find("'mask' is"), std::string::npos);
}

TEST(Dropout, LeavesOutItsShareAndKeepsTheMean) {
  torch::manual_seed(3);
  const torch::Tensor ones = torch::ones({1000, 500}).requires_grad_();
  const torch::Tensor kept = dropout(ones, 0.1);
  const double zeros = (kept == 0).sum().item<double>();
  EXPECT_NEAR(zeros / 500'000, 0.1, 0.002);  // 4.7 standard deviations
  EXPECT_NEAR(kept.max().item<double>(), 1 / 0.9, 1e-6);
  // No row or column has more than its share.
  EXPECT_LT((kept == 0).sum(1).max().item<double>(), 90);
  EXPECT_LT((kept == 0).sum(0).max().item<double>(), 160);
  kept.sum().backward();
  EXPECT_TRUE(ones.grad().equal(kept.detach()));  // the same ones, in the same measure
  EXPECT_FALSE(dropout(ones, 0.1).equal(kept));
  EXPECT_TRUE(dropout(ones, 0).is_same(ones));
}

TEST(Dropout, IsTheSameWithAnyNumberOfThreadsAndSeed) {
  const torch::Tensor x = torch::rand({300, 400}), sum = torch::rand({300, 400});
  std::vector<torch::Tensor> results;
  for (const int count : {1, 2}) {
    set_threads(count);
    torch::manual_seed(9);
    const torch::Tensor alone = dropout(x, 0.3);
    results.push_back(alone);
    torch::manual_seed(9);
    EXPECT_TRUE(add_dropout(sum, x, 0.3).allclose(sum + alone));
  }
  set_threads(1);
  EXPECT_TRUE(results[0].equal(results[1]));
  const torch::Tensor transposed = x.t().requires_grad_();
  dropout(transposed, 0.3).sum().backward();
  EXPECT_EQ(transposed.grad().sizes(), transposed.sizes());
}

}  // namespace
}  // namespace flyball
