#include "data/loader/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "data/pictures/picture_collate.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sample i is four bytes i, 0, 1, 2 (mod 256), 2 × 2; chosen ones fail.
class FakeSet final : public Dataset {
 public:
  explicit FakeSet(int64_t count, std::set<int64_t> broken = {}, int delay_us = 0)
      : count_(count), broken_(std::move(broken)), delay_us_(delay_us) {}
  std::string kind() const override { return "fake"; }
  int64_t size() const override { return count_; }
  int64_t classes() const override { return count_; }
  std::array<int, 3> shape() const override { return {1, 2, 2}; }
  Status fetch(int64_t index, RawSample& sample) const override {
    ++fetched_;
    if (delay_us_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us_));
    if (throws_ == index) throw std::runtime_error("no luck");
    if (exhausts_ == index) throw std::bad_alloc();
    if (broken_.count(index)) return Error{Code::io, name(index) + " is broken", ""};
    sample.bytes = {static_cast<uint8_t>(index), 0, 1, 2};
    sample.label = index;
    return {};
  }
  std::string name(int64_t index) const override { return "sample " + std::to_string(index); }
  std::vector<std::filesystem::path> files() const override { return {}; }
  int64_t throws_ = -1, exhausts_ = -1;
  mutable std::atomic<int64_t> fetched_{0};

 private:
  int64_t count_;
  std::set<int64_t> broken_;
  int delay_us_;
};

std::unique_ptr<Loader> make_loader(DatasetPtr set, LoaderOptions options,
                                    TransformOptions transform = {}) {
  auto made = Transform::create(*set, std::move(transform));
  EXPECT_TRUE(made.ok());
  auto loader = Loader::create(set, make_picture_collate(*std::move(made)), std::move(options));
  EXPECT_TRUE(loader.ok()) << loader.error().message;
  return *std::move(loader);
}

struct Epoch {
  std::vector<int64_t> labels;
  std::vector<float> samples;
  std::vector<int64_t> counts;
  std::string error;
  bool operator==(const Epoch&) const = default;
};

Epoch run(Loader& loader, int64_t epoch) {
  Epoch seen;
  loader.start_epoch(epoch);
  while (true) {
    auto batch = loader.next();
    if (!batch.ok()) {
      seen.error = batch.error().message;
      return seen;
    }
    if (!batch->has_value()) return seen;
    const BatchView& view = (*batch)->view;
    const auto labels = view.values<int64_t>("label");
    const auto samples = view.values<float>("image");
    seen.labels.insert(seen.labels.end(), labels.begin(), labels.end());
    seen.samples.insert(seen.samples.end(), samples.begin(), samples.end());
    seen.counts.push_back(view.count());
  }
}

TEST(Loader, DeliversEverySampleOnceWithItsLabel) {
  const auto set = std::make_shared<FakeSet>(103);
  for (const int workers : {0, 1, 3}) {
    const auto loader = make_loader(set, {.batch_size = 10, .workers = workers});
    const Epoch epoch = run(*loader, 0);
    EXPECT_EQ(loader->batches(), 11);
    EXPECT_EQ(epoch.counts.size(), 11u);
    EXPECT_EQ(epoch.counts.back(), 3);
    EXPECT_EQ(std::set<int64_t>(epoch.labels.begin(), epoch.labels.end()).size(), 103u);
    ASSERT_EQ(epoch.samples.size(), 4 * 103u);
    for (size_t i = 0; i < 103; ++i)
      EXPECT_FLOAT_EQ(epoch.samples[4 * i], static_cast<float>(epoch.labels[i]) / 255);
  }
}

TEST(Loader, GoesOnWithinAnEpochAsItWouldHave) {
  const auto set = std::make_shared<FakeSet>(103, std::set<int64_t>{5, 50});
  for (const int workers : {0, 1, 4}) {
    const LoaderOptions options{
        .batch_size = 10, .workers = workers, .on_bad_sample = OnBadSample::skip};
    const auto whole = make_loader(set, options), rest = make_loader(set, options);
    whole->start_epoch(2);
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(whole->next().ok());
    ASSERT_EQ(whole->position(), 4);
    rest->resume_epoch(2, whole->position());
    for (int64_t i = 4; i < 11; ++i) {
      const auto one = whole->next(), other = rest->next();
      ASSERT_TRUE(one.ok() && *one && other.ok() && *other);
      EXPECT_TRUE(std::ranges::equal((*one)->view.values<int64_t>("label"),
                                     (*other)->view.values<int64_t>("label")));
      EXPECT_TRUE(std::ranges::equal((*one)->view.values<float>("image"),
                                     (*other)->view.values<float>("image")));
      EXPECT_EQ(rest->position(), i + 1);
    }
    EXPECT_FALSE(rest->next()->has_value());
  }
}

TEST(Loader, DropsTheLastWhenAsked) {
  const auto set = std::make_shared<FakeSet>(103);
  for (const int workers : {0, 2}) {
    const auto loader = make_loader(set, {.batch_size = 10, .workers = workers, .drop_last = true});
    EXPECT_EQ(loader->batches(), 10);
    EXPECT_EQ(loader->samples(), 100);
    EXPECT_EQ(run(*loader, 0).labels.size(), 100u);
  }
}

TEST(Loader, OrderAndAugmentationDoNotDependOnWorkersOrPrefetch) {
  const auto set = std::make_shared<FakeSet>(257);
  const TransformOptions transform{.flip = true, .mean = {0.3f}, .deviation = {0.2f}, .cutout = 1};
  const auto reference = make_loader(set, {.batch_size = 8, .seed = 7}, transform);
  const Epoch first = run(*reference, 0), second = run(*reference, 1);
  EXPECT_NE(first, second);
  for (const int workers : {1, 2, 5})
    for (const int prefetch : {1, 3}) {
      const auto loader = make_loader(
          set, {.batch_size = 8, .workers = workers, .prefetch = prefetch, .seed = 7}, transform);
      EXPECT_EQ(run(*loader, 1), second) << workers;
      EXPECT_EQ(run(*loader, 0), first) << workers;
    }
  const auto other = make_loader(set, {.batch_size = 8, .seed = 8}, transform);
  EXPECT_NE(run(*other, 0), first);
}

TEST(Loader, AugmentationOfASampleDoesNotDependOnTheBatchSize) {
  const auto set = std::make_shared<FakeSet>(64);
  const TransformOptions transform{.flip = true};
  const auto a = make_loader(set, {.batch_size = 4}, transform);
  const auto b = make_loader(set, {.batch_size = 32}, transform);
  EXPECT_EQ(run(*a, 3).samples, run(*b, 3).samples);
}

TEST(Loader, WithoutShufflingTheOrderIsThatOfTheSet) {
  const auto loader =
      make_loader(std::make_shared<FakeSet>(5), {.batch_size = 2, .workers = 2, .shuffle = false});
  EXPECT_THAT(run(*loader, 4).labels, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Loader, FailPolicyNamesTheSampleInItsTurn) {
  const auto set = std::make_shared<FakeSet>(40, std::set<int64_t>{25, 30});
  for (const int workers : {0, 1, 4}) {
    const auto loader = make_loader(set, {.batch_size = 10, .workers = workers, .shuffle = false});
    for (int repetition = 0; repetition < 2; ++repetition) {
      const Epoch epoch = run(*loader, repetition);
      EXPECT_EQ(epoch.error, "sample 25 is broken");
      EXPECT_EQ(epoch.labels.size(), 20u);
      const auto after = loader->next();
      ASSERT_TRUE(after.ok());
      EXPECT_FALSE(after->has_value());
    }
  }
}

TEST(Loader, SkipPolicyLeavesOutCountsAndLists) {
  std::set<int64_t> broken{3};
  for (int64_t i = 20; i < 30; ++i) broken.insert(i);  // one whole minibatch
  const auto set = std::make_shared<FakeSet>(40, broken);
  for (const int workers : {0, 1, 4}) {
    const auto loader = make_loader(set, {.batch_size = 10,
                                          .workers = workers,
                                          .prefetch = 1,
                                          .shuffle = false,
                                          .on_bad_sample = OnBadSample::skip});
    const Epoch epoch = run(*loader, 0);
    EXPECT_EQ(epoch.error, "");
    EXPECT_THAT(epoch.counts, ElementsAre(9, 10, 10));
    EXPECT_EQ(loader->skipped(), 11);
    run(*loader, 1);
    EXPECT_EQ(loader->skipped(), 22);
    ASSERT_EQ(loader->bad_samples().size(), 11u);
    EXPECT_EQ(loader->bad_samples()[0].index, 3);
    EXPECT_EQ(loader->bad_samples()[0].error.message, "sample 3 is broken");
  }
}

TEST(Loader, AnExceptionBecomesAnError) {
  const auto set = std::make_shared<FakeSet>(40);
  set->throws_ = 12;
  for (const int workers : {0, 2}) {
    const auto loader = make_loader(set, {.workers = workers, .shuffle = false});
    EXPECT_THAT(run(*loader, 0).error, HasSubstr("sample 12: no luck"));
  }
}

TEST(Loader, WantOfMemoryIsNoBadSample) {
  const auto set = std::make_shared<FakeSet>(40);
  set->exhausts_ = 12;
  for (const int workers : {0, 2})
    for (const OnBadSample policy : {OnBadSample::fail, OnBadSample::skip}) {
      const auto loader =
          make_loader(set, {.workers = workers, .shuffle = false, .on_bad_sample = policy});
      EXPECT_EQ(run(*loader, 0).error, "out of memory: sample 12");
      EXPECT_EQ(loader->skipped(), 0);
    }
}

TEST(Loader, TakesAnOrderOfItsOwn) {
  const auto set = std::make_shared<FakeSet>(6);
  // Two strands of three samples each, read side by side.
  const auto strands = [](int64_t) { return std::vector<int64_t>{0, 3, 1, 4, 2, 5}; };
  for (const int workers : {0, 2}) {
    const auto loader = make_loader(set, {.batch_size = 2, .workers = workers, .order = strands});
    EXPECT_THAT(run(*loader, 0).labels, ElementsAre(0, 3, 1, 4, 2, 5));
  }
  const auto wrong = make_loader(set, {.order = [](int64_t) { return std::vector<int64_t>{0}; }});
  EXPECT_THROW(wrong->start_epoch(0), std::logic_error);
}

TEST(Loader, BuffersAreBoundedAndReused) {
  const auto set = std::make_shared<FakeSet>(4000);
  for (const int workers : {0, 1, 3}) {
    size_t allocations = 0;
    std::set<const std::byte*> seen;
    LoaderOptions options{.batch_size = 10, .workers = workers, .prefetch = 2};
    options.allocate = [&](size_t bytes) {
      ++allocations;
      return std::shared_ptr<std::byte>(new std::byte[bytes], std::default_delete<std::byte[]>());
    };
    const auto loader = make_loader(set, options);
    for (int epoch = 0; epoch < 3; ++epoch) {
      loader->start_epoch(epoch);
      while (true) {
        const auto batch = loader->next();
        if (!batch->has_value()) break;
        seen.insert((*batch)->view.find("image")->data);
      }
    }
    EXPECT_LE(allocations, static_cast<size_t>(workers * 2 + 2));
    EXPECT_LE(seen.size(), allocations);
    // 10 pictures of 4 floats and 10 labels, each tensor from a multiple of 64 bytes on.
    EXPECT_EQ(loader->buffer_bytes(), allocations * (192 + 128));
  }
}

TEST(Loader, PrefetchStopsAtItsBound) {
  // The held minibatch keeps its content while workers fill every other buffer.
  const auto set = std::make_shared<FakeSet>(200);
  const auto loader =
      make_loader(set, {.batch_size = 1, .workers = 2, .prefetch = 2, .shuffle = false});
  loader->start_epoch(0);
  for (int64_t i = 0; i < 20; ++i) {
    const auto batch = loader->next();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ((*batch)->view.values<int64_t>("label")[0], i);
    EXPECT_FLOAT_EQ((*batch)->view.values<float>("image")[0], static_cast<float>(i) / 255);
    EXPECT_LE(set->fetched_.load(), i + 1 + 2 * 2);  // what was given out, and two of each worker
  }
}

TEST(Loader, NoMemoryIsAnError) {
  const auto set = std::make_shared<FakeSet>(10);
  LoaderOptions options{.workers = 2};
  options.allocate = [](size_t) { return std::shared_ptr<std::byte>(); };
  const auto loader =
      Loader::create(set, make_picture_collate(*Transform::create(*set, {})), options);
  ASSERT_FALSE(loader.ok());
  EXPECT_THAT(loader.error().message, HasSubstr("out of memory: 5 minibatches of 384 bytes each"));
}

TEST(Loader, StopsInTheMiddleOfAnEpoch) {
  const auto set = std::make_shared<FakeSet>(100'000, std::set<int64_t>{}, 2000);
  for (const int workers : {0, 1, 4}) {
    auto loader = make_loader(set, {.batch_size = 1000, .workers = workers});
    loader->start_epoch(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // Stopping waits for a sample, not for a minibatch.
    const int64_t fetched = set->fetched_;
    loader.reset();
    EXPECT_LE(set->fetched_ - fetched, workers * 500);
  }
}

TEST(Loader, AnEpochCanBeBegunInTheMiddleOfAnother) {
  const auto set = std::make_shared<FakeSet>(97);
  for (const int workers : {0, 1, 3}) {
    const auto loader = make_loader(set, {.batch_size = 4, .workers = workers});
    const Epoch whole = run(*loader, 5);
    for (int taken = 0; taken < 25; ++taken) {
      loader->start_epoch(9);
      for (int i = 0; i < taken; ++i) ASSERT_TRUE(loader->next().ok());
      ASSERT_EQ(run(*loader, 5), whole) << taken;
    }
  }
}

TEST(Loader, AfterAnEpochIsEndedNobodyReads) {
  const auto set = std::make_shared<FakeSet>(97, std::set<int64_t>{}, 100);
  for (const int workers : {0, 1, 3}) {
    const auto loader = make_loader(set, {.batch_size = 4, .workers = workers});
    loader->start_epoch(0);
    ASSERT_TRUE(loader->next().ok());
    loader->end_epoch();
    const int64_t fetched = set->fetched_;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(set->fetched_, fetched);
    EXPECT_FALSE((*loader->next()).has_value());
    EXPECT_EQ(run(*loader, 1).labels.size(), 97u);
  }
}

TEST(Loader, NothingComesBeforeAnEpochIsBegun) {
  const auto loader = make_loader(std::make_shared<FakeSet>(10), {.workers = 1});
  EXPECT_FALSE(loader->next()->has_value());
}

TEST(Loader, InlineThePreparationIsTheStall) {
  const auto loader =
      make_loader(std::make_shared<FakeSet>(40, std::set<int64_t>{}, 300), {.batch_size = 10});
  loader->start_epoch(0);
  const auto batch = loader->next();
  EXPECT_GE((*batch)->fetch_s, 10 * 300e-6);
  EXPECT_GE((*batch)->stall_s, (*batch)->fetch_s + (*batch)->preprocess_s);
  EXPECT_EQ((*batch)->bytes, 40);
}

TEST(Loader, WorkersHideThePreparation) {
  const auto loader = make_loader(std::make_shared<FakeSet>(400, std::set<int64_t>{}, 300),
                                  {.batch_size = 10, .workers = 2});
  loader->start_epoch(0);
  double stall = 0, fetch = 0;
  for (int i = 0; i < 40; ++i) {
    const auto batch = loader->next();
    if (i >= 4) stall += (*batch)->stall_s, fetch += (*batch)->fetch_s;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // "compute"
  }
  EXPECT_GE(fetch, 36 * 10 * 300e-6);
  EXPECT_LT(stall, fetch / 4);
}

TEST(Loader, RefusesSettingsOutOfRange) {
  const auto set = std::make_shared<FakeSet>(10);
  const CollatePtr collate = make_picture_collate(*Transform::create(*set, {}));
  EXPECT_FALSE(Loader::create(set, collate, {.batch_size = 0}).ok());
  EXPECT_FALSE(Loader::create(set, collate, {.workers = -1}).ok());
  EXPECT_TRUE(Loader::create(set, collate, {.workers = 0, .prefetch = 0}).ok());
  EXPECT_FALSE(Loader::create(set, collate, {.workers = 1, .prefetch = 0}).ok());
  EXPECT_FALSE(Loader::create(set, collate, {.workers = 0, .prefetch = -1}).ok());
  EXPECT_FALSE(Loader::create(set, collate, {.batch_size = 11, .drop_last = true}).ok());
}

TEST(Loader, SampleOrderIsAPermutation) {
  auto order = sample_order(1000, 1, 2, true);
  EXPECT_NE(order, sample_order(1000, 1, 3, true));
  EXPECT_EQ(order, sample_order(1000, 1, 2, true));
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, sample_order(1000, 0, 0, false));
}

}  // namespace
}  // namespace flyball
