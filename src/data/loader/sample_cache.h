// A cache that knows training: each sample is wanted once an epoch, in a new order. What it holds
// it never evicts, so that it hits as often as its share of the set, where a page cache of the same
// share c, which keeps what was read last, hits c + (1 − c)·ln(1 − c).
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "data/dataset.h"
#include "data/loader/cache_memory.h"

namespace flyball {

struct CacheOptions {
  uint64_t bytes = 0;  ///< of raw samples, at most; its bookkeeping comes on top
  /// With other trainings of this user on the same files: they join the cache of the first one,
  /// with its size. Where that cannot be, it is a cache of its own, and `note` says why.
  bool share = false;
  std::filesystem::path folder = "/dev/shm";  ///< of what is shared
  std::filesystem::path data{};               ///< the dataset's folder, which is part of its name
  std::optional<uint64_t> memory{};  ///< bytes there are for it; nothing: as the machine tells
};

/// What there is in a cache.
struct CacheState {
  uint64_t size_bytes = 0;  ///< of raw samples, at most
  uint64_t held_bytes = 0;  ///< of raw samples, now
  int64_t held_samples = 0;
  uint64_t memory_bytes = 0;  ///< that it takes up, with its bookkeeping
  bool shared = false;
  bool joined = false;  ///< another training had begun it
  int users = 1;        ///< that live, this one included
  std::string note;     ///< why it is not shared, or holds less than it should; "" when all is well
};

/// Raw samples in memory, from the first fetch on. All members may be called from several threads
/// at once, and several processes may share one: none waits for another, and one that is killed in
/// the middle of a sample leaves it to the others.
class SampleCache {
 public:
  /// Errors: more bytes than memory is left, where it is begun (one that is joined has its memory);
  /// no memory for the bookkeeping.
  static Result<std::shared_ptr<SampleCache>> open(DatasetPtr dataset, const CacheOptions& options);

  /// Shows the sample where it lies, until the cache is gone or the sample is fetched or lent anew;
  /// false when it is not here.
  bool lend(int64_t index, RawSample& sample) const;
  /// Keeps a sample that was fetched, when there is room; true when it was kept now. The kernel is
  /// told then that it need not keep the sample's file: one that holds this sample alone at once,
  /// files that samples share when the cache holds all of them.
  bool keep(int64_t index, const RawSample& sample);
  /// Fetches samples in an order of their own, which no epoch has, until there is no room: what
  /// epochs find from then on is what they find in the long run. Samples that cannot be read are
  /// left to the epochs. Error `interrupted`.
  Status fill(uint64_t seed, const std::atomic<bool>* interrupted = nullptr);

  /// Bytes of samples that it may still take: the set's, or as many as it may hold, less those that
  /// it has, whoever brought them.
  uint64_t growth_bytes() const;
  CacheState state() const;
  const Dataset& dataset() const { return *dataset_; }

 private:
  struct Head;
  struct Entry;
  SampleCache(DatasetPtr dataset, std::unique_ptr<CacheMemory> memory, std::string note);
  static Result<std::unique_ptr<CacheMemory>> memory_for(const Dataset& dataset,
                                                         const CacheOptions& options,
                                                         std::string& note);
  Head& head() const;
  Entry& entry(int64_t index) const;
  bool claim(Entry& entry, const RawSample& sample, uint64_t& offset);
  bool allocate(const RawSample& sample, uint64_t& offset);
  bool reserve(uint64_t end);
  void disown_the_dead();
  void drop_files(int64_t index) const;

  const DatasetPtr dataset_;
  const std::unique_ptr<CacheMemory> memory_;
  const std::string note_;
  std::atomic<bool> no_memory_{false};  ///< the kernel has none left for what is still to come
};

}  // namespace flyball
