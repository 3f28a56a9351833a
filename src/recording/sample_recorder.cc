#include "recording/sample_recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "recording/summary.h"

namespace flyball {
namespace {

// Summaries of a block's last seconds need some samples that come behind it.
constexpr int64_t settle = 2 * second_ticks;
constexpr size_t kept_before = 256;

constexpr int64_t block_ticks(bool slow) {
  return slow ? 10 * minute_ticks : minute_ticks;
}

BlockLevel level_of(bool slow) {
  return slow ? BlockLevel::slow : BlockLevel::samples;
}

bool is_empty(const std::vector<Series>& block) {
  return std::ranges::all_of(block, [](const Series& one) { return one.times.empty(); });
}

int64_t first_tick(const std::vector<Series>& block) {
  int64_t first = most_ticks;
  for (const Series& one : block)
    if (!one.times.empty()) first = std::min(first, one.times.front());
  return first;
}

size_t count_before(const std::vector<Sample>& samples, int64_t tick) {
  const auto at = std::ranges::partition_point(
      samples, [&](const Sample& sample) { return tick_of(sample.time_ns) < tick; });
  return static_cast<size_t>(at - samples.begin());
}

}  // namespace

Result<SampleRecorder> SampleRecorder::create(const std::filesystem::path& file,
                                              const RecordInfo& info,
                                              std::vector<RecordChannel> channels) {
  FLYBALL_ASSIGN(RecordWriter writer, RecordWriter::create(file, info, channels));
  return SampleRecorder(std::move(writer), std::move(channels));
}

void SampleRecorder::add(size_t channel, std::span<const Sample> samples) {
  std::vector<Sample>& held = pending_[channel].samples;
  held.insert(held.end(), samples.begin(), samples.end());
}

Status SampleRecorder::mark(int64_t time_ns, const std::string& name) {
  return writer_.mark({tick_of(time_ns), name});
}

Status SampleRecorder::write_open(bool slow, int64_t now) {
  std::vector<Series> block;
  for (size_t i = 0; i < channels_.size(); ++i) {
    Pending& pending = pending_[i];
    if (channels_[i].slow() != slow || pending.written == pending.samples.size()) continue;
    block.push_back(series_of(static_cast<uint32_t>(i), channels_[i],
                              std::span(pending.samples).subspan(pending.written)));
    pending.written = pending.samples.size();
  }
  if (is_empty(block)) return {};
  return writer_.add(level_of(slow), first_tick(block), now, true, block);
}

// Samples up to `end` as one block in place of the small ones, and what is later as a new small
// one.
Status SampleRecorder::write_long(bool slow, int64_t end) {
  std::vector<Series> block;
  for (size_t i = 0; i < channels_.size(); ++i) {
    Pending& pending = pending_[i];
    if (channels_[i].slow() != slow) continue;
    const size_t until = std::max(pending.before, count_before(pending.samples, end));
    block.push_back(
        series_of(static_cast<uint32_t>(i), channels_[i],
                  std::span(pending.samples).subspan(pending.before, until - pending.before)));
    pending.written = until;
  }
  const int64_t begin = begin_[slow];
  begin_[slow] = end;
  FLYBALL_CHECK(writer_.remove_open(level_of(slow)));
  if (is_empty(block)) return {};
  return writer_.add(level_of(slow), begin, end, false, block);
}

Status SampleRecorder::write_seconds(int64_t begin, int64_t end) {
  std::vector<Series> block;
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].slow()) continue;
    const auto seconds = summarise(channels_[i], pending_[i].samples, begin, end, second_ticks);
    block.push_back(series_of(static_cast<uint32_t>(i), channels_[i], seconds));
    pending_[i].seconds.insert(pending_[i].seconds.end(), seconds.begin(), seconds.end());
  }
  if (is_empty(block)) return {};
  return writer_.add(BlockLevel::seconds, begin, end, false, block);
}

Status SampleRecorder::write_minutes(int64_t begin, int64_t end) {
  std::vector<Series> block;
  for (size_t i = 0; i < channels_.size(); ++i) {
    Pending& pending = pending_[i];
    const auto minutes = channels_[i].slow()
                             ? summarise(channels_[i], pending.samples, begin, end, minute_ticks)
                             : merged(pending.seconds, minute_ticks);
    block.push_back(series_of(static_cast<uint32_t>(i), channels_[i], minutes));
    pending.seconds.clear();
  }
  if (is_empty(block)) return {};
  return writer_.add(BlockLevel::minutes, begin, end, false, block);
}

// What a long block holds is needed no more, but for the samples that come just before the next.
void SampleRecorder::drop_written(size_t channel, int64_t end) {
  Pending& pending = pending_[channel];
  const size_t until = count_before(pending.samples, end);
  const size_t first = until - std::min(until, kept_before);
  pending.samples.erase(pending.samples.begin(),
                        pending.samples.begin() + static_cast<ptrdiff_t>(first));
  pending.before = until - first;
  pending.written -= std::min(pending.written, first);
}

Status SampleRecorder::write_full(int64_t now) {
  while (now >= begin_[0] + block_ticks(false) + settle) {
    const int64_t begin = begin_[0], end = begin + block_ticks(false);
    FLYBALL_CHECK(write_seconds(begin, end));
    FLYBALL_CHECK(write_long(false, end));
    const bool slow = end >= begin_[1] + block_ticks(true);
    if (slow) {
      FLYBALL_CHECK(write_minutes(minutes_begin_, end));
      FLYBALL_CHECK(write_long(true, end));
      minutes_begin_ = end;
    }
    for (size_t i = 0; i < channels_.size(); ++i)
      if (slow || !channels_[i].slow()) drop_written(i, end);
    FLYBALL_CHECK(writer_.thin());
  }
  return {};
}

Status SampleRecorder::flush(int64_t now_ns, bool durable) {
  const int64_t now = tick_of(now_ns);
  FLYBALL_CHECK(write_full(now));
  if (!durable) return {};
  FLYBALL_CHECK(write_open(false, now));
  FLYBALL_CHECK(write_open(true, now));
  return writer_.commit();
}

Status SampleRecorder::finish(int64_t end_ns, const std::string& stopped) {
  const int64_t end = tick_of(end_ns);
  FLYBALL_CHECK(write_full(end));
  if (end > begin_[0]) {
    const int64_t until = std::max(end + 1, begin_[0]);
    FLYBALL_CHECK(write_seconds(begin_[0], end));
    FLYBALL_CHECK(write_long(false, until));
  }
  if (end > begin_[1]) {
    FLYBALL_CHECK(write_minutes(minutes_begin_, end));
    FLYBALL_CHECK(write_long(true, end + 1));
  }
  FLYBALL_CHECK(writer_.set_fact("end", fmt::format("{}", end)));
  FLYBALL_CHECK(writer_.set_fact("stopped", stopped));
  return writer_.close();
}

}  // namespace flyball
