// A workload that is nothing like pictures: token ids of variable length with a mask, two label
// tensors of which one is packed, a loss of its own and state that is carried within an epoch.
#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "base/random.h"
#include "data/loader/loader.h"
#include "workload/runtime.h"
#include "workload/torch_stepper.h"

namespace flyball {
namespace {

constexpr int64_t kSentenceWords = 20, kLongest = 9, kMarked = 14;

// Sentences of 2 to 9 words. `start` is where the greatest word is, `marks` where words from 14 on
// are, of which a sentence may have none.
class Sentences final : public Dataset {
 public:
  std::string kind() const override { return "sentences"; }
  int64_t size() const override { return 50; }
  int64_t classes() const override { return kSentenceWords; }
  std::array<int, 3> shape() const override { return {}; }
  std::vector<TensorSpec> parts() const override {
    return {
        {"ids", DType::int64, {-1}}, {"start", DType::int64, {}}, {"marks", DType::int64, {-1}}};
  }
  Status fetch(int64_t index, RawSample& sample) const override {
    Random random(static_cast<uint64_t>(index) + 1);
    sample.encoding = Encoding::parts;
    const auto ids = sample.parts.set<int64_t>(0, {2 + static_cast<int64_t>(random.below(8))});
    std::vector<int64_t> marks;
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = 2 + static_cast<int64_t>(random.below(kSentenceWords - 2));
      if (ids[i] >= kMarked) marks.push_back(static_cast<int64_t>(i));
    }
    sample.parts.set<int64_t>(1, {})[0] = std::ranges::max_element(ids) - ids.begin();
    std::ranges::copy(marks,
                      sample.parts.set<int64_t>(2, {static_cast<int64_t>(marks.size())}).begin());
    return {};
  }
  std::string name(int64_t index) const override { return "sentence " + std::to_string(index); }
  std::vector<std::filesystem::path> files() const override { return {}; }
};

// Rows padded to the longest of the minibatch; one word in eight is made unknown (1).
class SentenceCollate final : public Collate {
 public:
  std::vector<TensorSpec> layout() const override {
    return {{"ids", DType::int64, {kLongest}},
            {"mask", DType::boolean, {kLongest}},
            {"start", DType::int64, {}},
            {"marks", DType::int64, {}, RowLayout::packed, kLongest}};
  }
  Status add(const RawSample& sample, uint64_t seed, CollateScratch*,
             BatchBuffer& batch) const override {
    Random random(seed);
    const auto ids = sample.parts.get<int64_t>(0);
    const auto row = batch.row<int64_t>(0);
    const auto mask = batch.row<bool>(1);
    for (size_t i = 0; i < row.size(); ++i) {
      mask[i] = i < ids.size();
      row[i] = !mask[i] ? 0 : random.below(8) == 0 ? 1 : ids[i];
    }
    batch.row<int64_t>(2)[0] = sample.parts.get<int64_t>(1)[0];
    const auto marks = sample.parts.get<int64_t>(2);
    FLYBALL_ASSIGN(const auto rows, batch.append<int64_t>(3, static_cast<int64_t>(marks.size())));
    std::ranges::copy(marks, rows.begin());
    return {};
  }
  Status finish(BatchBuffer& batch) const override {
    int64_t longest = 0;
    const auto mask = batch.view().values<bool>("mask");
    for (size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) longest = std::max(longest, static_cast<int64_t>(i) % kLongest + 1);
    batch.trim(0, longest);
    batch.trim(1, longest);
    return {};
  }
};

// Two scores of each word.
class SentenceNetwork final : public Network {
 public:
  SentenceNetwork()
      : Network({{"ids", DType::int64, {-1}}, {"mask", DType::boolean, {-1}}},
                {{"start", DType::int64, {}}, {"marks", DType::int64, {}, RowLayout::packed}}) {
    words_ = register_module("words", torch::nn::Embedding(kSentenceWords, 8));
    scores_ = register_module("scores", torch::nn::Linear(8, 2));
  }
  void answer(const Tensors& batch, Tensors& outputs) override {
    const torch::Tensor scores = scores_->forward(words_->forward(batch["ids"]));
    outputs.add("start_logits", scores.select(2, 0).masked_fill(batch["mask"].logical_not(), -1e9));
    outputs.add("mark_logits", scores.select(2, 1));
    outputs.add("seen", torch::full({1}, seen_, torch::kInt64));
    seen_ += batch["ids"].size(0);
  }
  void losses(const Tensors& outputs, const Tensors& batch, Tensors& losses) override {
    const torch::Tensor& marks = outputs["mark_logits"];
    const torch::Tensor& offsets = batch["marks_offsets"];
    const int64_t samples = marks.size(0);
    const torch::Tensor counts = offsets.slice(0, 1) - offsets.slice(0, 0, samples);
    const torch::Tensor rows =
        at::repeat_interleave(at::arange(samples, offsets.options()), counts);
    const torch::Tensor wanted = at::zeros(marks.sizes(), marks.options());
    wanted.view(-1).index_fill_(0, rows * marks.size(1) + batch["marks"], 1.0);
    const torch::Tensor start = at::cross_entropy_loss(outputs["start_logits"], batch["start"]);
    const torch::Tensor mark =
        at::binary_cross_entropy_with_logits(marks, wanted, batch["mask"].to(torch::kFloat32));
    losses.add("loss", start + mark);
    losses.add("start_loss", start);
    losses.add("mark_loss", mark);
  }
  void begin_epoch() override { seen_ = 0; }

 private:
  torch::nn::Embedding words_{nullptr};
  torch::nn::Linear scores_{nullptr};
  int64_t seen_ = 0;
};

std::unique_ptr<Stepper> sentence_stepper(Phase phase) {
  StepOptions options;
  options.phase = phase;
  options.threads = 1;
  options.learning_rate = 0.05;
  set_threads(1);
  torch::manual_seed(4);
  return make_torch_stepper(std::make_shared<SentenceNetwork>(), options, torch::kCPU);
}

std::unique_ptr<Loader> sentence_loader(int workers) {
  auto loader = Loader::create(std::make_shared<Sentences>(), std::make_shared<SentenceCollate>(),
                               {.batch_size = 8, .workers = workers, .seed = 3});
  EXPECT_TRUE(loader.ok()) << loader.error().message;
  return *std::move(loader);
}

// Names, types, shapes and bytes.
void append(const BatchView& view, std::string& bits) {
  for (const TensorView& tensor : view.tensors) {
    bits += std::string(tensor.name) + dtype_name(tensor.dtype) + tensor.shape.text();
    bits.append(reinterpret_cast<const char*>(tensor.data),
                static_cast<size_t>(tensor.shape.elements()) * dtype_bytes(tensor.dtype));
  }
}

struct Bits {
  std::string batches, outputs;
  std::vector<double> losses;
  bool operator==(const Bits&) const = default;
};

Bits run(Phase phase, int workers, int epochs) {
  Bits bits;
  const auto loader = sentence_loader(workers);
  const auto stepper = sentence_stepper(phase);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    stepper->begin_epoch();
    loader->start_epoch(epoch);
    while (true) {
      const auto batch = loader->next();
      EXPECT_TRUE(batch.ok()) << batch.error().message;
      if (!batch.ok() || !batch->has_value()) break;
      append((*batch)->view, bits.batches);
      const auto result = stepper->step((*batch)->view);
      EXPECT_TRUE(result.ok()) << result.error().message;
      if (!result.ok()) return bits;
      append(result->outputs, bits.outputs);
      bits.losses.push_back(result->loss);
    }
  }
  return bits;
}

// The losses of the first epoch's minibatches from `first` on.
std::vector<double> losses_from(size_t first, Stepper& stepper) {
  const auto loader = sentence_loader(0);
  loader->start_epoch(0);
  std::vector<double> losses;
  size_t number = 0;
  for (auto batch = loader->next(); batch.ok() && *batch; batch = loader->next())
    if (number++ >= first) losses.push_back(stepper.step((*batch)->view)->loss);
  return losses;
}

TEST(Checkpoints, BringTheirRatesUnlessOthersAreAskedFor) {
  StepOptions options;
  options.threads = 1;
  options.optimizer = Optimizer::adamw;
  const auto made = [&options](std::optional<double> rate, std::optional<double> decay) {
    options.learning_rate = rate;
    options.weight_decay = decay;
    torch::manual_seed(4);
    return make_torch_stepper(std::make_shared<SentenceNetwork>(), options, torch::kCPU);
  };
  const auto first = made(3e-3, 0.2);
  losses_from(5, *first);
  auto checkpoint = *first->checkpoint();
  const auto expected = losses_from(0, *first);
  const auto goes_on = [&](Stepper& stepper) {
    EXPECT_TRUE(stepper.restore(checkpoint).ok());
    return losses_from(0, stepper);
  };
  const auto same = made({}, {}), faster = made(0.1, {});
  EXPECT_EQ(goes_on(*same), expected);
  EXPECT_EQ(same->options().learning_rate, 3e-3);
  EXPECT_EQ(same->options().weight_decay, 0.2);
  EXPECT_NE(goes_on(*faster), expected);
  EXPECT_EQ(faster->options().learning_rate, 0.1);
  EXPECT_EQ(faster->options().weight_decay, 0.2);
  // Of an earlier version, which did not keep them.
  checkpoint.facts.erase("learning rate");
  const auto usual = made({}, {});
  EXPECT_NE(goes_on(*usual), expected);
  EXPECT_FALSE(usual->options().learning_rate);
}

// One weight; its loss is a mean over the marks of all sentences, of which some have none.
class MarkNetwork final : public Network {
 public:
  MarkNetwork()
      : Network({{"ids", DType::int64, {-1}}}, {{"marks", DType::int64, {}, RowLayout::packed}}) {
    scale_ = register_parameter("scale", torch::full({1}, 0.5));
  }
  void answer(const Tensors& batch, Tensors& outputs) override {
    outputs.add("scaled", scale_ * batch["ids"].to(torch::kFloat32));
  }
  void losses(const Tensors&, const Tensors& batch, Tensors& losses) override {
    const torch::Tensor marks = batch["marks"].to(torch::kFloat32);
    marks_ = static_cast<double>(marks.numel());
    losses.add("loss", (scale_ * marks - 1).square().sum() / std::max(1.0, marks_));
  }
  double weight(int64_t) const override { return marks_; }

 private:
  torch::Tensor scale_;
  double marks_ = 0;
};

// As YOLO's, whose losses are means over the scores of boxes.
TEST(TokenBatches, PartsCountByWhatTheirLossesAreMeansOver) {
  const auto losses = [](int64_t parts) {
    StepOptions options;
    options.threads = 1;
    options.accumulate = parts;
    const auto stepper = make_torch_stepper(std::make_shared<MarkNetwork>(), options, torch::kCPU);
    return losses_from(0, *stepper);
  };
  const auto whole = losses(1);
  ASSERT_EQ(whole.size(), 7u);
  for (const int64_t parts : {2, 3}) {
    const auto split = losses(parts);
    for (size_t i = 0; i < whole.size(); ++i)
      EXPECT_NEAR(split[i], whole[i], 1e-4 * (1 + whole[i])) << parts << " " << i;
  }
}

TEST(TokenBatches, TrainingIsTheSameBitsWithAnyNumberOfWorkers) {
  const Bits inline_run = run(Phase::train, 0, 12);
  EXPECT_EQ(inline_run.losses.size(), 12 * 7u);
  for (const int workers : {1, 4}) EXPECT_EQ(run(Phase::train, workers, 12), inline_run) << workers;
  const auto& losses = inline_run.losses;
  EXPECT_LT(std::accumulate(losses.end() - 7, losses.end(), 0.0),
            0.6 * std::accumulate(losses.begin(), losses.begin() + 7, 0.0));
}

TEST(TokenBatches, InferenceIsTheSameBitsWithAnyNumberOfWorkers) {
  const Bits inline_run = run(Phase::infer, 0, 2);
  EXPECT_EQ(inline_run.losses, std::vector<double>(14, 0.0));
  for (const int workers : {1, 4}) EXPECT_EQ(run(Phase::infer, workers, 2), inline_run) << workers;
}

TEST(TokenBatches, RowsAreAsLongAsTheLongestAndMarksArePacked) {
  const auto loader = sentence_loader(1);
  const Sentences sentences;
  loader->start_epoch(0);
  const std::vector<int64_t> order = sample_order(50, 3, 0, true);
  size_t next = 0;
  std::map<int64_t, int> lengths;
  while (const auto batch = *loader->next()) {
    const BatchView& view = batch->view;
    const int64_t length = view.find("ids")->shape[1];
    ++lengths[length];
    int64_t longest = 0;
    RawSample raw;
    const auto offsets = view.values<int64_t>("marks_offsets");
    for (int64_t n = 0; n < view.count(); ++n) {
      ASSERT_TRUE(sentences.fetch(order[next++], raw).ok());
      longest = std::max(longest, raw.parts.view(0).shape[0]);
      const auto begin = static_cast<size_t>(offsets[static_cast<size_t>(n)]);
      const auto end = static_cast<size_t>(offsets[static_cast<size_t>(n) + 1]);
      EXPECT_TRUE(std::ranges::equal(view.values<int64_t>("marks").subspan(begin, end - begin),
                                     raw.parts.get<int64_t>(2)));
      const auto mask = view.values<bool>("mask").subspan(static_cast<size_t>(n * length),
                                                          static_cast<size_t>(length));
      EXPECT_EQ(std::ranges::count(mask, true), raw.parts.view(0).shape[0]);
    }
    EXPECT_EQ(length, longest);
  }
  EXPECT_EQ(next, 50u);
  EXPECT_GT(lengths.size(), 1u);  // or the test shows nothing
}

TEST(TokenBatches, StepsShowWhatTheWorkloadNames) {
  const auto loader = sentence_loader(0);
  loader->start_epoch(0);
  const BatchView view = (*loader->next())->view;
  const auto training = sentence_stepper(Phase::train);
  const auto trained = training->step(view);
  ASSERT_TRUE(trained.ok()) << trained.error().message;
  EXPECT_EQ(trained->outputs.values<double>("loss")[0], trained->loss);
  EXPECT_NEAR(trained->outputs.values<double>("start_loss")[0] +
                  trained->outputs.values<double>("mark_loss")[0],
              trained->loss, 1e-6);
  const auto serving = sentence_stepper(Phase::infer);
  const auto answers = serving->step({view.tensors.first(2), view.samples});  // ids and mask
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  const TensorShape words = view.find("ids")->shape;
  EXPECT_EQ(answers->outputs.find("start_logits")->shape, words);
  EXPECT_EQ(answers->outputs.find("mark_logits")->shape, words);
  const auto logits = answers->outputs.values<float>("start_logits");
  const auto mask = view.values<bool>("mask");
  for (size_t i = 0; i < mask.size(); ++i) EXPECT_EQ(logits[i] > -1e8f, mask[i]) << i;
  const auto unlabelled = training->step({view.tensors.first(2), view.samples});
  ASSERT_FALSE(unlabelled.ok());
  EXPECT_EQ(unlabelled.error().message, "the batch has no tensor 'start'");
}

TEST(TokenBatches, WhatIsCarriedLastsForAnEpoch) {
  const auto loader = sentence_loader(0);
  const auto stepper = sentence_stepper(Phase::infer);
  loader->start_epoch(0);
  const BatchView view = (*loader->next())->view;
  const auto seen = [&] { return stepper->step(view)->outputs.values<int64_t>("seen")[0]; };
  EXPECT_EQ(seen(), 0);
  EXPECT_EQ(seen(), 8);
  stepper->begin_epoch();
  EXPECT_EQ(seen(), 0);
}

}  // namespace
}  // namespace flyball
