#include "telemetry/sampling/trace.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"

namespace flyball {

double Trace::gap_s() const {
  const double source = std::max(info.period_s, stats.repeats ? stats.true_period_s : 0);
  return std::max(5 * period_s, 2 * source);
}

double true_period_s(const std::vector<Sample>& samples) {
  std::vector<double> gaps;
  int64_t changed_ns = 0;
  bool changed = false;
  for (size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].value == samples[i - 1].value) continue;
    if (changed) gaps.push_back(static_cast<double>(samples[i].time_ns - changed_ns) * 1e-9);
    changed_ns = samples[i].time_ns;
    changed = true;
  }
  if (gaps.size() < 2) return 0;
  // A value that happens to be equal twice doubles one gap: those do not count.
  const double middle = median(gaps);
  std::erase_if(gaps, [&](double gap) { return gap < 0.5 * middle || gap > 1.5 * middle; });
  return mean(gaps);
}

void find_repeats(Trace& trace) {
  SamplingStats& stats = trace.stats;
  stats.distinct = trace.samples.empty() ? 0 : 1;
  for (size_t i = 1; i < trace.samples.size(); ++i)
    if (trace.samples[i].value != trace.samples[i - 1].value) ++stats.distinct;
  stats.true_period_s = true_period_s(trace.samples);
  stats.repeats = stats.true_period_s > 1.5 * trace.period_s;
}

// Raw memory on purpose: constructors (of std::atomic, too, since C++20) would touch every page.
SampleRing::SampleRing(size_t capacity)
    : capacity_(std::max<size_t>(capacity, 1)),
      slots_(static_cast<Sample*>(::operator new((capacity_ + 1) * sizeof(Sample)))) {}

void SampleRing::push(int64_t time_ns, double value) {
  const uint64_t head = head_.load(std::memory_order_relaxed);
  Sample& slot = slots_[head % (capacity_ + 1)];
  // Whoever sees a part of this sample sees our head too, and knows that the slot is being written.
  std::atomic_thread_fence(std::memory_order_release);
  std::atomic_ref(slot.time_ns).store(time_ns, std::memory_order_relaxed);
  std::atomic_ref(slot.value).store(value, std::memory_order_relaxed);
  head_.store(head + 1, std::memory_order_release);
}

Sample SampleRing::at(uint64_t index) const {
  Sample& slot = slots_[index % (capacity_ + 1)];
  return {std::atomic_ref(slot.time_ns).load(std::memory_order_relaxed),
          std::atomic_ref(slot.value).load(std::memory_order_relaxed)};
}

std::vector<Sample> SampleRing::copy() const {
  const uint64_t end = pushed();
  return copy_range(end > capacity_ ? end - capacity_ : 0, end);
}

std::vector<Sample> SampleRing::copy(int64_t begin_ns, int64_t end_ns, size_t more) const {
  const uint64_t newest = pushed();
  const uint64_t oldest = newest > capacity_ ? newest - capacity_ : 0;
  const uint64_t begin = first_after(begin_ns, oldest, newest);
  const uint64_t end = first_after(end_ns, begin, newest);
  return copy_range(begin - std::min<uint64_t>(more, begin - oldest),
                    end + std::min<uint64_t>(more, newest - end));
}

// A sample that is overwritten meanwhile looks newer: that finds too early a one, never too late.
uint64_t SampleRing::first_after(int64_t time_ns, uint64_t begin, uint64_t end) const {
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    if (at(middle).time_ns > time_ns)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

std::vector<Sample> SampleRing::copy_range(uint64_t begin, uint64_t end) const {
  std::vector<Sample> samples;
  samples.reserve(end - begin);
  for (uint64_t i = begin; i < end; ++i) samples.push_back(at(i));
  std::atomic_thread_fence(std::memory_order_acquire);
  // The writer may have come round, and may be at work on the slot of sample `now`.
  const uint64_t now = head_.load(std::memory_order_relaxed);
  const uint64_t safe = now > capacity_ ? now - capacity_ : 0;
  if (safe > begin)
    samples.erase(samples.begin(),
                  samples.begin() + static_cast<ptrdiff_t>(std::min(safe - begin, end - begin)));
  return samples;
}

bool SampleRing::newest(Sample& sample) const {
  while (true) {
    const uint64_t end = pushed();
    if (end == 0) return false;
    sample = at(end - 1);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (head_.load(std::memory_order_relaxed) < end + capacity_) return true;
  }
}

}  // namespace flyball
