// What is asked of a record for a stretch of time: samples, or values over seconds and minutes.
#include <algorithm>

#include "recording/record_reader.h"
#include "recording/summary.h"

namespace flyball {
namespace {

using Summaries = std::vector<std::vector<RecordSummary>>;
using ByChannel = std::vector<std::vector<Sample>>;

// Samples of one level in [begin, end) by channel.
Status gather_samples(RecordReader& reader, BlockLevel level, int64_t begin, int64_t end,
                      ByChannel& all) {
  return reader.blocks(level, begin, end, [&](const std::vector<Series>& block) {
    for (const Series& series : block) {
      std::vector<Sample>& samples = all[series.channel];
      for (const Sample& sample : samples_of(reader.channels()[series.channel], series)) {
        const int64_t tick = sample.time_ns / ns_per_tick;
        const bool later = samples.empty() || sample.time_ns >= samples.back().time_ns;
        if (later && tick >= begin && tick < end) samples.push_back(sample);
      }
    }
    return Status();
  });
}

// Summaries of one level, behind what is there already; of slow channels, or of the others.
Status gather_summaries(RecordReader& reader, BlockLevel level, bool slow, int64_t begin,
                        int64_t end, Summaries& all) {
  if (begin >= end) return {};
  return reader.blocks(level, begin, end, [&](const std::vector<Series>& block) {
    for (const Series& series : block) {
      const RecordChannel& channel = reader.channels()[series.channel];
      const auto read = summaries_of(channel, series);
      if (!read || channel.slow() != slow) continue;
      std::vector<RecordSummary>& list = all[series.channel];
      for (const RecordSummary& one : *read)
        if (one.begin >= begin && one.begin < end &&
            (list.empty() || one.begin > list.back().begin))
          list.push_back(one);
    }
    return Status();
  });
}

// Summaries of samples, a stretch at a time so that memory stays bounded.
Status summarise_samples(RecordReader& reader, bool slow, int64_t begin, int64_t end, int64_t width,
                         Summaries& all) {
  constexpr int64_t around = 4 * second_ticks;  // of power, before and after
  const int64_t stretch = slow ? 60 * minute_ticks : 4 * minute_ticks;
  for (int64_t at = floor_to(begin, width), until = 0; at < end; at = until) {
    until = std::min(at + stretch, end);
    ByChannel samples(reader.channels().size());
    FLYBALL_CHECK(gather_samples(reader, slow ? BlockLevel::slow : BlockLevel::samples, at - around,
                                 until + around, samples));
    if (std::ranges::all_of(samples, &std::vector<Sample>::empty)) {
      FLYBALL_ASSIGN(const int64_t next, reader.next_begin(until));
      until = std::max(until, floor_to(std::min(next, end), width));
      continue;
    }
    for (size_t i = 0; i < samples.size(); ++i)
      for (const RecordSummary& one : summarise(reader.channels()[i], samples[i], at, until, width))
        if (all[i].empty() || one.begin > all[i].back().begin) all[i].push_back(one);
  }
  return {};
}

}  // namespace

Result<std::vector<std::vector<Sample>>> RecordReader::samples(int64_t begin, int64_t end) {
  ByChannel all(channels_.size());
  FLYBALL_CHECK(gather_samples(*this, BlockLevel::samples, begin, end, all));
  FLYBALL_CHECK(gather_samples(*this, BlockLevel::slow, begin, end, all));
  return all;
}

// From what was thinned most to what was not: minutes, seconds, samples.
Result<std::vector<std::vector<RecordSummary>>> RecordReader::summaries(int64_t begin, int64_t end,
                                                                        int64_t width) {
  Summaries all(channels_.size());
  begin = std::max<int64_t>(begin, 0);
  end = std::min(end, end_);
  FLYBALL_ASSIGN(const int64_t minutes_end, end_of(BlockLevel::minutes));
  FLYBALL_ASSIGN(const int64_t seconds_end, end_of(BlockLevel::seconds));
  const int64_t fine = std::min(width, minute_ticks);
  for (const bool slow : {false, true}) {
    const int64_t since = slow ? slow_since() : seconds_since();
    const int64_t minutes = std::min(end, width >= minute_ticks ? minutes_end : since);
    FLYBALL_CHECK(gather_summaries(*this, BlockLevel::minutes, slow, begin, minutes, all));
    int64_t from = std::max(begin, minutes);
    if (!slow) {
      const int64_t seconds = std::min(end, width >= second_ticks ? seconds_end : samples_since());
      FLYBALL_CHECK(gather_summaries(*this, BlockLevel::seconds, slow, from, seconds, all));
      from = std::max(from, seconds);
    }
    FLYBALL_CHECK(summarise_samples(*this, slow, from, end, fine, all));
  }
  if (width > second_ticks)
    for (auto& list : all) list = merged(list, width);
  return all;
}

}  // namespace flyball
