#include "data/loader/sample_cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <unordered_map>

#include "base/os/temp_folder.h"
#include "data/formats/open.h"
#include "data/loader/counted_set_testing.h"
#include "data/loader/loader.h"
#include "data/makers/make.h"
#include "data/pictures/picture_collate.h"
#include "data/pictures/transform.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<SampleCache> open_cache(const DatasetPtr& set, CacheOptions options) {
  auto cache = SampleCache::open(set, options);
  EXPECT_TRUE(cache.ok()) << cache.error().message;
  return *std::move(cache);
}

// One number a sample: its label.
class LabelCollate final : public Collate {
 public:
  std::vector<TensorSpec> layout() const override {
    return {{.name = "sum", .dtype = DType::int64, .shape = {}}};
  }
  Status add(const RawSample& sample, uint64_t seed, CollateScratch*,
             BatchBuffer& batch) const override {
    uint64_t sum = seed % 1000 + static_cast<uint64_t>(sample.label);
    for (const uint8_t byte : sample.bytes) sum = sum * 31 + byte;
    batch.row<int64_t>(0)[0] = static_cast<int64_t>(sum);
    return {};
  }
};

struct EpochBytes {
  int64_t all = 0, cache = 0;
  std::vector<int64_t> sums;
};

EpochBytes run_epoch(Loader& loader, int64_t epoch) {
  EpochBytes seen;
  loader.start_epoch(epoch);
  while (true) {
    const auto batch = loader.next();
    EXPECT_TRUE(batch.ok());
    if (!batch.ok() || !batch->has_value()) return seen;
    seen.all += (*batch)->bytes;
    seen.cache += (*batch)->cache_bytes;
    const auto sums = (*batch)->view.values<int64_t>("sum");
    seen.sums.insert(seen.sums.end(), sums.begin(), sums.end());
  }
}

std::unique_ptr<Loader> loader_of(const DatasetPtr& set, int workers,
                                  std::shared_ptr<SampleCache> cache) {
  auto loader =
      Loader::create(set, std::make_shared<LabelCollate>(),
                     {.batch_size = 16, .workers = workers, .seed = 5, .cache = std::move(cache)});
  EXPECT_TRUE(loader.ok()) << loader.error().message;
  return *std::move(loader);
}

// The share of samples that a cache of `room` samples which keeps what was used last has at hand.
double page_cache_hits(int64_t samples, size_t room, int epochs) {
  std::list<int64_t> used;
  std::unordered_map<int64_t, std::list<int64_t>::iterator> at;
  int64_t hits = 0;
  for (int epoch = 0; epoch <= epochs; ++epoch)
    for (const int64_t index : sample_order(samples, 5, epoch, true)) {
      if (const auto found = at.find(index); found != at.end()) {
        if (epoch > 0) ++hits;
        used.erase(found->second);
      } else if (at.size() == room) {
        at.erase(used.back());
        used.pop_back();
      }
      used.push_front(index);
      at[index] = used.begin();
    }
  return static_cast<double>(hits) / static_cast<double>(samples * epochs);
}

TEST(SampleCache, ReadsOneMinusItsShareFromEpochOneOn) {
  const auto set = std::make_shared<CountedSet>(4000);
  const auto all = static_cast<double>(set->all_bytes());
  for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9})
    for (const int workers : {0, 3}) {
      const auto size = static_cast<uint64_t>(share * all);
      const auto loader = loader_of(set, workers, open_cache(set, {.bytes = size}));
      const EpochBytes first = run_epoch(*loader, 0);
      EXPECT_EQ(first.all, static_cast<int64_t>(all));
      EXPECT_EQ(first.cache, 0);
      double hits = 0;
      for (int epoch = 1; epoch <= 3; ++epoch) {
        const EpochBytes later = run_epoch(*loader, epoch);
        EXPECT_EQ(later.all, static_cast<int64_t>(all));
        const double read = static_cast<double>(later.all - later.cache);
        EXPECT_NEAR(read / ((1 - share) * all), 1, 0.01) << share << " with " << workers;
        hits = static_cast<double>(later.cache) / all;
      }
      // What a page cache of this share would have done, by its formula and played through.
      const double formula = share + (1 - share) * std::log(1 - share);
      const double page_cache = page_cache_hits(set->size(), static_cast<size_t>(share * 4000), 3);
      EXPECT_NEAR(page_cache, formula, 0.02) << share;
      EXPECT_GT(hits, page_cache + 0.05);
    }
}

TEST(SampleCache, HoldsAllOfASmallSetAndReadsNothingMore) {
  const auto set = std::make_shared<CountedSet>(500);
  const auto cache = open_cache(set, {.bytes = 100'000'000});
  const auto loader = loader_of(set, 2, cache);
  run_epoch(*loader, 0);
  const int64_t fetched = set->fetched_;
  const EpochBytes later = run_epoch(*loader, 1);
  EXPECT_EQ(set->fetched_, fetched);
  EXPECT_EQ(later.cache, later.all);
  const CacheState state = cache->state();
  EXPECT_EQ(state.held_samples, 500);
  EXPECT_EQ(state.held_bytes, set->all_bytes());
  EXPECT_EQ(state.note, "");
  EXPECT_FALSE(state.shared);
  // Bounded by what it holds, not by what it may: in pieces of 8 MiB.
  EXPECT_LE(state.memory_bytes, (8u << 20) + 100'000u);
  EXPECT_GE(state.memory_bytes, state.held_bytes);
}

TEST(SampleCache, MinibatchesAreTheSameBitForBit) {
  const TempFolder folder;
  ASSERT_TRUE(make_dataset("images", 20, folder.path(), {.size = {64, 48}}).ok());
  const DatasetPtr set = *open_dataset(folder.path(), Split::train);
  const CollatePtr collate =
      make_picture_collate(*Transform::create(*set, default_transform(set->kind(), true)));
  const auto pictures = [&](int workers, std::shared_ptr<SampleCache> cache) {
    const auto loader = *Loader::create(
        set, collate, {.batch_size = 8, .workers = workers, .cache = std::move(cache)});
    std::vector<float> seen;
    for (int epoch = 0; epoch < 3; ++epoch) {
      loader->start_epoch(epoch);
      while (const auto batch = *loader->next()) {
        const auto values = batch->view.values<float>("image");
        seen.insert(seen.end(), values.begin(), values.end());
      }
    }
    return seen;
  };
  const std::vector<float> without = pictures(0, nullptr);
  ASSERT_FALSE(without.empty());
  for (const int workers : {0, 1, 4})
    for (const uint64_t bytes : {8'000, 1'000'000})
      EXPECT_EQ(pictures(workers, open_cache(set, {.bytes = bytes})), without) << workers;
}

TEST(SampleCache, AHitIsNoCopy) {
  for (const bool with_parts : {false, true}) {
    const auto set = std::make_shared<CountedSet>(10, with_parts);
    const auto cache = open_cache(set, {.bytes = 1'000'000});
    RawSample sample, other;
    ASSERT_FALSE(cache->lend(3, sample));
    ASSERT_TRUE(set->fetch(3, sample).ok());
    ASSERT_TRUE(cache->keep(3, sample));
    EXPECT_FALSE(cache->keep(3, sample));  // once is enough
    const uint8_t* const own = std::as_const(sample).bytes.data();
    ASSERT_TRUE(cache->lend(3, sample));
    ASSERT_TRUE(cache->lend(3, other));
    EXPECT_NE(std::as_const(sample).bytes.data(), own);
    EXPECT_EQ(std::as_const(sample).bytes.data(), std::as_const(other).bytes.data());
    EXPECT_TRUE(is_right(3, sample, with_parts));
    if (with_parts) {
      EXPECT_EQ(sample.parts.view(0).data, other.parts.view(0).data);
    }
    // What is fetched next does not write into the cache.
    ASSERT_FALSE(cache->lend(4, sample));
    ASSERT_TRUE(set->fetch(4, sample).ok());
    EXPECT_TRUE(is_right(4, sample, with_parts));
    EXPECT_TRUE(is_right(3, other, with_parts));
  }
}

TEST(SampleCache, CountsPartsAndKeepsThemAligned) {
  const auto set = std::make_shared<CountedSet>(300, true);
  const auto cache = open_cache(set, {.bytes = set->all_bytes() / 2});
  ASSERT_TRUE(cache->fill(1).ok());
  EXPECT_NEAR(static_cast<double>(cache->state().held_bytes),
              static_cast<double>(set->all_bytes()) / 2, 1100);
  RawSample sample;
  int held = 0;
  for (int64_t i = 0; i < 300; ++i) {
    if (!cache->lend(i, sample)) continue;
    ++held;
    EXPECT_TRUE(is_right(i, sample, true)) << i;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(sample.parts.view(0).data) % 8, 0u);
  }
  EXPECT_EQ(held, cache->state().held_samples);
}

TEST(SampleCache, IsFilledByADrawThatNoEpochHas) {
  const auto set = std::make_shared<CountedSet>(2000);
  const auto cache = open_cache(set, {.bytes = set->all_bytes() / 2});
  ASSERT_TRUE(cache->fill(5).ok());
  EXPECT_LT(set->fetched_, 1200);
  // Half of it in any part of any epoch: what epoch 0 begins with is not what is held.
  const std::vector<int64_t> order = sample_order(2000, 5, 0, true);
  RawSample sample;
  const auto begin = std::count_if(order.begin(), order.begin() + 500,
                                   [&](int64_t index) { return cache->lend(index, sample); });
  EXPECT_NEAR(static_cast<double>(begin), 250, 50);
  const std::atomic<bool> interrupted{true};
  EXPECT_EQ(cache->fill(5, &interrupted).error().code, Code::interrupted);
}

TEST(SampleCache, DropsWhatThePageCacheNeedNotKeep) {
  const TempFolder folder;
  ASSERT_TRUE(make_dataset("images", 20, folder.path(), {.size = {400, 300}}).ok());
  const DatasetPtr set = *open_dataset(folder.path(), Split::train);
  ::sync();
  const auto pages = [&](int64_t index) {
    const int fd = ::open(set->own_file(index).c_str(), O_RDONLY);
    uint64_t range[2] = {0, 0};
    uint64_t stat[5] = {};
    const long failed = ::syscall(451, fd, range, stat, 0);  // cachestat
    ::close(fd);
    return failed != 0 ? -1 : static_cast<int64_t>(stat[0]);
  };
  RawSample sample;
  ASSERT_TRUE(set->fetch(7, sample).ok());
  if (pages(7) <= 0) GTEST_SKIP() << "this kernel, or this file system, does not tell";
  const auto cache = open_cache(set, {.bytes = 10'000'000});
  ASSERT_TRUE(cache->keep(7, sample));
  EXPECT_EQ(pages(7), 0);
}

TEST(SampleCache, RefusesWhatCannotBe) {
  const auto set = std::make_shared<CountedSet>(10);
  EXPECT_EQ(SampleCache::open(set, {.bytes = 0}).error().code, Code::invalid_argument);
  // More than there is memory, for a set that needs little: it is never taken.
  const auto huge = open_cache(set, {.bytes = uint64_t{1} << 52});
  ASSERT_TRUE(huge->fill(1).ok());
  EXPECT_EQ(huge->state().held_samples, 10);
  const auto other = std::make_shared<CountedSet>(11);
  const auto loader = Loader::create(other, std::make_shared<LabelCollate>(),
                                     {.cache = open_cache(set, {.bytes = 1000})});
  EXPECT_THAT(loader.error().message, HasSubstr("another dataset"));
}

}  // namespace
}  // namespace flyball
