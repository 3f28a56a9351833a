#include "data/loader/loader.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/os/memory.h"
#include "base/random.h"

namespace flyball {
namespace {

constexpr size_t kListedBadSamples = 1000;

Status check(const Dataset& dataset, const LoaderOptions& options) {
  const auto bad = [](const std::string& what, const std::string& hint) {
    return Error{Code::invalid_argument, what, hint};
  };
  if (options.batch_size < 1) return bad("a batch size below 1", "give 1 or more");
  if (options.workers < 0 || options.workers > 1024)
    return bad(fmt::format("{} loader workers", options.workers), "give 0 (inline) to 1024");
  // Inline, nothing is fetched ahead: 0 says so.
  if (options.prefetch < (options.workers == 0 ? 0 : 1) || options.prefetch > 1024)
    return bad(options.workers == 0 ? fmt::format("a prefetch of {}", options.prefetch)
                                    : fmt::format("a prefetch of {} with {} loader workers",
                                                  options.prefetch, options.workers),
               "give 1 to 1024; 0 goes with 0 workers alone");
  if (options.drop_last && dataset.size() < options.batch_size)
    return bad(fmt::format("{} samples do not fill one minibatch of {}, and the last is dropped",
                           dataset.size(), options.batch_size),
               "choose a smaller batch size, or keep the last minibatch");
  if (options.cache && options.cache->dataset().size() != dataset.size())
    return bad("a cache of another dataset", "make one for this set");
  return {};
}

// What each thread that prepares minibatches owns.
struct Bench {
  RawSample raw;
  std::unique_ptr<CollateScratch> scratch;
  int worker = -1;  ///< −1: inline
};

// One minibatch of memory and what is in it.
struct Slot {
  explicit Slot(BatchBuffer memory) : buffer(std::move(memory)) {}

  BatchBuffer buffer;
  LoadedBatch batch;
  std::optional<Error> error;
  std::vector<BadSample> bad;
  bool ready = false;
};

}  // namespace

std::vector<int64_t> sample_order(int64_t count, uint64_t seed, int64_t epoch, bool shuffle) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  if (shuffle) Random(mix_seed(seed, static_cast<uint64_t>(epoch))).shuffle(std::span(order));
  return order;
}

class Loader::Impl {
 public:
  Impl(DatasetPtr dataset, CollatePtr collate, LoaderOptions options)
      : dataset_(std::move(dataset)), collate_(std::move(collate)), options_(std::move(options)) {
    const int64_t rounding = options_.drop_last ? 0 : options_.batch_size - 1;
    batches_ = (dataset_->size() + rounding) / options_.batch_size;
    next_ticket_ = delivered_ = batches_;  // no epoch yet
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = cancel_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  Status start() {
    const size_t slots =
        static_cast<size_t>(options_.workers) * static_cast<size_t>(options_.prefetch) + 1;
    const std::vector<TensorSpec> layout = collate_->layout();
    slots_.reserve(slots);
    while (slots_.size() < slots) {
      auto buffer = BatchBuffer::create(layout, options_.batch_size, options_.allocate);
      if (!buffer.ok()) return memory_error(buffer.error(), layout, slots);
      slots_.emplace_back(*std::move(buffer));
    }
    inline_bench_.scratch = collate_->scratch();
    for (int w = 0; w < options_.workers; ++w) {
      threads_.emplace_back(
          [this, w, scratch = collate_->scratch()]() mutable { work(w, std::move(scratch)); });
      pthread_setname_np(threads_.back().native_handle(), fmt::format("loader-{}", w).c_str());
    }
    return {};
  }

  void start_epoch(int64_t epoch, int64_t position) {
    std::unique_lock lock(mutex_);
    cancel_ = true;
    next_ticket_ = batches_;  // nobody begins another minibatch
    idle_.wait(lock, [this] { return busy_ == 0; });
    cancel_ = false;
    epoch_ = epoch;
    order_ = options_.order
                 ? options_.order(epoch)
                 : sample_order(dataset_->size(), options_.seed, epoch, options_.shuffle);
    if (static_cast<int64_t>(order_.size()) != dataset_->size())
      throw std::logic_error("an order of other samples than those of the set");
    for (Slot& slot : slots_) slot.ready = false;
    next_ticket_ = released_ = delivered_ = std::clamp(position, int64_t{0}, batches_);
    good_ = bad_ = 0;
    holding_ = false;
    lock.unlock();
    work_.notify_all();
  }

  Result<std::optional<LoadedBatch>> next() {
    const Stopwatch waiting;
    release();
    while (delivered_ < batches_) {
      Slot& slot = options_.workers == 0 ? prepare_inline() : wait_for(delivered_);
      ++delivered_;
      note_bad(slot);
      if (slot.error) {
        const Error error = *slot.error;
        end_epoch();
        return error;
      }
      if (slot.buffer.count() == 0) {  // all of them were skipped
        holding_ = true;
        release();
        continue;
      }
      holding_ = true;
      slot.batch.stall_s = waiting.seconds();
      return std::optional(slot.batch);
    }
    if (good_ == 0 && bad_ > 0) {
      const Error first = std::exchange(first_bad_, Error());
      bad_ = 0;
      return Error{
          first.code,
          fmt::format("none of the {} samples can be read; {}", dataset_->size(), first.message),
          first.hint};
    }
    return std::optional<LoadedBatch>();
  }

  void end_epoch() {
    std::unique_lock lock(mutex_);
    cancel_ = true;
    next_ticket_ = delivered_ = batches_;
    idle_.wait(lock, [this] { return busy_ == 0; });
  }

  int64_t position() const { return delivered_; }
  int64_t batches() const { return batches_; }
  int64_t samples() const {
    return options_.drop_last ? batches_ * options_.batch_size : dataset_->size();
  }
  const LoaderOptions& options() const { return options_; }
  size_t buffer_bytes() const { return slots_.size() * slots_.front().buffer.bytes(); }
  int64_t skipped() const { return skipped_; }
  const std::vector<BadSample>& bad_samples() const { return bad_samples_; }

 private:
  // Says how much memory all minibatches would have taken.
  Error memory_error(const Error& error, const std::vector<TensorSpec>& layout,
                     size_t slots) const {
    const auto bytes = BatchBuffer::bytes_for(layout, options_.batch_size);
    if (error.code != Code::out_of_memory || !bytes) return error;
    Error all = out_of_memory(fmt::format("{} minibatches of {} bytes each", slots, *bytes));
    all.hint = "choose fewer workers, less prefetch or a smaller batch size";
    return all;
  }

  Slot& slot_of(int64_t ticket) { return slots_[static_cast<size_t>(ticket) % slots_.size()]; }

  // Gives the minibatch that the caller held back to the workers.
  void release() {
    if (!holding_) return;
    holding_ = false;
    if (options_.workers == 0) return;
    {
      const std::lock_guard lock(mutex_);
      released_ = delivered_;
      slot_of(delivered_ - 1).ready = false;
    }
    work_.notify_one();
  }

  Slot& prepare_inline() {
    Slot& slot = slots_[0];
    prepare(delivered_, slot, inline_bench_);
    return slot;
  }

  Slot& wait_for(int64_t ticket) {
    Slot& slot = slot_of(ticket);
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return slot.ready; });
    return slot;
  }

  // A worker: takes the next minibatch as soon as there is a free slot for it.
  void work(int worker, std::unique_ptr<CollateScratch> scratch) {
    Bench bench;
    bench.worker = worker;
    bench.scratch = std::move(scratch);
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [this] { return stop_ || may_begin(); });
      if (stop_) return;
      const int64_t ticket = next_ticket_++;
      ++busy_;
      lock.unlock();
      Slot& slot = slot_of(ticket);
      prepare(ticket, slot, bench);
      lock.lock();
      --busy_;
      if (!cancel_) slot.ready = true;
      if (busy_ == 0) idle_.notify_all();
      ready_.notify_one();
    }
  }

  bool may_begin() const {
    return next_ticket_ < batches_ &&
           next_ticket_ < released_ + static_cast<int64_t>(slots_.size());
  }

  void prepare(int64_t ticket, Slot& slot, Bench& bench) {
    slot.batch = LoadedBatch();
    slot.batch.worker = bench.worker;
    slot.batch.begin_ns = monotonic_ns();
    slot.buffer.clear();
    slot.bad.clear();
    slot.error.reset();
    const Status status = fill(ticket, slot, bench);
    if (!status.ok()) slot.error = status.error();
    slot.batch.view = slot.buffer.view();
    slot.batch.ready_ns = monotonic_ns();
  }

  // What is thrown (by a library, for want of memory) must not end a worker thread.
  Status fill(int64_t ticket, Slot& slot, Bench& bench) {
    const int64_t first = ticket * options_.batch_size;
    const int64_t last = std::min(first + options_.batch_size, dataset_->size());
    int64_t index = 0;
    try {
      for (int64_t i = first; i < last && !cancel_; ++i) {
        index = order_[static_cast<size_t>(i)];
        const Status status = add_sample(index, slot, bench);
        if (status.ok()) continue;
        slot.bad.push_back({index, status.error()});
        if (options_.on_bad_sample == OnBadSample::fail) return status;
      }
      return collate_->finish(slot.buffer);
    } catch (const std::bad_alloc&) {  // no fault of the sample: not to be skipped
      return out_of_memory(dataset_->name(index));
    }
  }

  Status add_sample(int64_t index, Slot& slot, Bench& bench) {
    try {
      return prepare_sample(index, slot, bench);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& problem) {
      slot.buffer.discard();
      return Error{Code::internal, fmt::format("{}: {}", dataset_->name(index), problem.what()),
                   ""};
    }
  }

  Status prepare_sample(int64_t index, Slot& slot, Bench& bench) {
    RawSample& raw = bench.raw;
    Stopwatch watch;
    const bool cached = options_.cache && options_.cache->lend(index, raw);
    const Status fetched = cached ? Status() : dataset_->fetch(index, raw);
    if (!cached && fetched.ok() && options_.cache) options_.cache->keep(index, raw);
    slot.batch.fetch_s += watch.restart();
    if (!fetched.ok()) return fetched;
    const auto bytes = static_cast<int64_t>(raw.bytes.size() + raw.parts.bytes());
    slot.batch.bytes += bytes;
    if (cached) slot.batch.cache_bytes += bytes;
    const uint64_t seed = mix_seed(mix_seed(options_.seed, static_cast<uint64_t>(epoch_)),
                                   static_cast<uint64_t>(index) + 1);
    const Status added = collate_->add(raw, seed, bench.scratch.get(), slot.buffer);
    slot.batch.preprocess_s += watch.seconds();
    if (!added.ok()) {
      slot.buffer.discard();
      return added.error().within(dataset_->name(index));
    }
    slot.buffer.commit();
    return {};
  }

  void note_bad(const Slot& slot) {
    if (options_.on_bad_sample == OnBadSample::fail) return;
    skipped_ += static_cast<int64_t>(slot.bad.size());
    bad_ += static_cast<int64_t>(slot.bad.size());
    good_ += slot.buffer.count();
    if (!slot.bad.empty()) first_bad_ = slot.bad.front().error;
    for (const BadSample& bad : slot.bad)
      if (bad_samples_.size() < kListedBadSamples && listed_.insert(bad.index).second)
        bad_samples_.push_back(bad);
  }

  const DatasetPtr dataset_;
  const CollatePtr collate_;
  const LoaderOptions options_;
  int64_t batches_ = 0;
  std::vector<Slot> slots_;

  // The caller's own.
  int64_t delivered_ = 0;  ///< minibatches handed out in this epoch
  bool holding_ = false;   ///< the caller still looks at the last one
  int64_t skipped_ = 0;
  int64_t good_ = 0, bad_ = 0;  ///< samples of this epoch
  Error first_bad_;
  std::vector<BadSample> bad_samples_;
  std::set<int64_t> listed_;
  Bench inline_bench_;

  // Written by the caller while no worker is busy, read by the workers.
  std::vector<int64_t> order_;
  int64_t epoch_ = 0;

  std::mutex mutex_;  // guards what follows, and the hand-over of slots by their `ready`
  std::condition_variable work_, ready_, idle_;
  int64_t next_ticket_ = 0;  ///< the minibatch that is begun next
  int64_t released_ = 0;     ///< minibatches whose slots are free again
  int busy_ = 0;             ///< workers in the middle of a minibatch
  bool stop_ = false;
  std::atomic<bool> cancel_{false};  ///< also read without the mutex, between two samples
  std::vector<std::thread> threads_;
};

Loader::Loader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Loader::~Loader() = default;

Result<std::unique_ptr<Loader>> Loader::create(DatasetPtr dataset, CollatePtr collate,
                                               LoaderOptions options) {
  FLYBALL_CHECK(check(*dataset, options));
  try {
    auto impl = std::make_unique<Impl>(std::move(dataset), std::move(collate), std::move(options));
    FLYBALL_CHECK(impl->start());
    return std::unique_ptr<Loader>(new Loader(std::move(impl)));
  } catch (const std::bad_alloc&) {
    return out_of_memory("the loader");
  } catch (const std::system_error& problem) {
    return Error{Code::unavailable,
                 fmt::format("a loader worker cannot be started: {}", problem.what()),
                 "choose fewer workers"};
  }
}

void Loader::start_epoch(int64_t epoch) {
  impl_->start_epoch(epoch, 0);
}
void Loader::resume_epoch(int64_t epoch, int64_t position) {
  impl_->start_epoch(epoch, position);
}
int64_t Loader::position() const {
  return impl_->position();
}
Result<std::optional<LoadedBatch>> Loader::next() {
  return impl_->next();
}
void Loader::end_epoch() {
  impl_->end_epoch();
}
int64_t Loader::batches() const {
  return impl_->batches();
}
int64_t Loader::samples() const {
  return impl_->samples();
}
const LoaderOptions& Loader::options() const {
  return impl_->options();
}
size_t Loader::buffer_bytes() const {
  return impl_->buffer_bytes();
}
int64_t Loader::skipped() const {
  return impl_->skipped();
}
std::vector<BadSample> Loader::bad_samples() const {
  return impl_->bad_samples();
}

}  // namespace flyball
