// Networks that take minutes to learn: VGG-11 a few pictures, the language model what drawn text
// holds, which words like to follow which.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/os/temp_folder.h"
#include "base/random.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/makers/make.h"
#include "data/pictures/picture_collate.h"
#include "data/text/text_dataset.h"
#include "workload/stepper.h"

namespace flyball {
namespace {

constexpr int64_t kBatch = 16;

std::unique_ptr<Loader> loader_of(const DatasetPtr& set) {
  return *Loader::create(
      set, *open_text_collate(*set, {.training = true}),
      {.batch_size = kBatch, .order = [set](int64_t) { return set->strands(kBatch); }});
}

// Calls each(view) for the minibatches of an epoch.
template <class Each>
void for_each_batch(Loader& loader, const Each& each) {
  loader.start_epoch(0);
  while (true) {
    const auto batch = loader.next();
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    if (!*batch) return;
    each((*batch)->view);
  }
}

// Of the test part, by how often each word comes in the training part; one is added for each word.
double unigram_perplexity(const DatasetPtr& training, const DatasetPtr& test) {
  std::vector<double> counts(static_cast<size_t>(training->classes()), 1);
  double total = static_cast<double>(counts.size());
  for_each_batch(*loader_of(training), [&](const BatchView& batch) {
    for (const int64_t id : batch.values<int64_t>(next_tensor))
      ++counts[static_cast<size_t>(id)], ++total;
  });
  double nats = 0, words = 0;
  for_each_batch(*loader_of(test), [&](const BatchView& batch) {
    for (const int64_t id : batch.values<int64_t>(next_tensor))
      nats -= std::log(counts[static_cast<size_t>(id)] / total), ++words;
  });
  return std::exp(nats / words);
}

double perplexity_on(Stepper& stepper, const DatasetPtr& test) {
  double nats = 0, words = 0;
  stepper.begin_epoch();
  for_each_batch(*loader_of(test), [&](const BatchView& batch) {
    const auto answer = stepper.infer(batch);
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    const auto logits = answer->outputs.values<float>("logits");
    const auto next = batch.values<int64_t>(next_tensor);
    const size_t classes = logits.size() / next.size();
    for (size_t i = 0; i < next.size(); ++i) {
      double sum = 0;
      const auto row = logits.subspan(i * classes, classes);
      for (const float logit : row) sum += std::exp(static_cast<double>(logit));
      nats += std::log(sum) - row[static_cast<size_t>(next[i])];
      ++words;
    }
  });
  return std::exp(nats / words);
}

// How many of the pictures the highest logit names.
size_t told_right(Stepper& stepper, const BatchView& batch, const std::vector<int64_t>& labels) {
  const auto answer = stepper.infer(batch);
  EXPECT_TRUE(answer.ok());
  const auto logits = answer->outputs.values<float>("logits");
  const size_t classes = logits.size() / labels.size();
  size_t right = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto row = logits.subspan(i * classes, classes);
    right += std::ranges::max_element(row) - row.begin() == labels[i] ? 1 : 0;
  }
  return right;
}

// Without batch norm SGD takes long to begin, and half of what it learns on is dropped each time.
TEST(Vgg11Learning, TellsAFewPicturesApart) {
  StepOptions options;
  options.optimizer = Optimizer::adam;
  options.learning_rate = 1e-4;
  options.shape = {3, 32, 32};
  options.classes = 4;
  const auto stepper = *make_stepper("vgg11", options);
  Random random(1);
  std::vector<float> samples;
  std::vector<int64_t> labels;
  for (int64_t n = 0; n < 8; ++n) {
    labels.push_back(n % 4);
    for (int i = 0; i < 3 * 32 * 32; ++i)
      samples.push_back(
          static_cast<float>(random.normal() * 0.3 + 0.5 * static_cast<double>(n % 4)));
  }
  const PictureBatch batch(samples, labels, options.shape);
  size_t right = 0;
  for (int step = 0; step < 120 && right < labels.size(); ++step) {
    ASSERT_TRUE(stepper->step(batch.view()).ok());
    if (step % 10 == 9) right = told_right(*stepper, batch.view(), labels);
  }
  EXPECT_EQ(right, labels.size());
}

TEST(LstmLearning, PerplexityOfUnseenTextFallsUnderAUnigramModels) {
  const TempFolder folder;
  ASSERT_TRUE(make_dataset("wikitext", 1500, folder.path()).ok());
  const DatasetPtr training = *open_dataset(folder.path(), Split::train);
  const DatasetPtr test = *open_dataset(folder.path(), Split::test);
  StepOptions options;
  options.optimizer = Optimizer::adam;
  options.learning_rate = 4e-3;
  options.threads = 1;
  options.classes = training->classes();
  options.shape = {35};
  const auto stepper = *make_stepper("lstm", options);
  const double before = perplexity_on(*stepper, test);
  EXPECT_NEAR(before / static_cast<double>(training->classes()), 1, 0.1);
  const auto loader = loader_of(training);
  for (int epoch = 0; epoch < 4; ++epoch) {
    stepper->begin_epoch();
    for_each_batch(*loader,
                   [&](const BatchView& batch) { ASSERT_TRUE(stepper->step(batch).ok()); });
  }
  const double unigram = unigram_perplexity(training, test), after = perplexity_on(*stepper, test);
  std::printf("perplexity on unseen text: untrained %.0f, unigram %.0f, LSTM %.1f\n", before,
              unigram, after);
  EXPECT_LT(after, 0.7 * unigram);
}

}  // namespace
}  // namespace flyball
