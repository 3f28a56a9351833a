// What is asked of a record for a stretch of time: samples, or values over seconds and minutes.
#include <algorithm>
#include <optional>

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

struct Level {
  BlockLevel blocks;
  int64_t width;  ///< ticks of a summary
  int64_t end;    ///< of the last one, which may be shorter
};

// The part that lies in [begin, end), where any does. All of it is taken to be alike.
std::optional<RecordSummary> clipped(RecordSummary one, const Level& level, int64_t begin,
                                     int64_t end) {
  const int64_t until = std::min(one.begin + level.width, level.end);
  const int64_t from = std::max(one.begin, begin), to = std::min(until, end);
  if (from >= to) return {};
  one.covered_s *= static_cast<double>(to - from) / static_cast<double>(until - one.begin);
  one.begin = from;
  return one;
}

// Summaries of one level, behind what is there already; of slow channels, or of the others.
Status gather_summaries(RecordReader& reader, const Level& level, bool slow, int64_t begin,
                        int64_t end, Summaries& all) {
  if (begin >= end) return {};
  return reader.blocks(level.blocks, begin, end, [&](const std::vector<Series>& block) {
    for (const Series& series : block) {
      const RecordChannel& channel = reader.channels()[series.channel];
      const auto read = summaries_of(channel, series);
      if (!read || channel.slow() != slow) continue;
      std::vector<RecordSummary>& list = all[series.channel];
      for (const RecordSummary& one : *read)
        if (const auto part = clipped(one, level, begin, end);
            part && (list.empty() || part->begin > list.back().begin))
          list.push_back(*part);
    }
    return Status();
  });
}

// Summaries of samples, a stretch at a time so that memory stays bounded.
Status summarise_samples(RecordReader& reader, bool slow, int64_t begin, int64_t end, int64_t width,
                         Summaries& all) {
  constexpr int64_t around = 4 * second_ticks;  // of power, before and after
  const int64_t stretch = slow ? 60 * minute_ticks : 4 * minute_ticks;
  for (int64_t at = begin, until = 0; at < end; at = until) {
    until = std::min(floor_to(at + stretch, width), end);
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
  Level by_minute{BlockLevel::minutes, minute_ticks, 0};
  Level by_second{BlockLevel::seconds, second_ticks, 0};
  FLYBALL_ASSIGN(by_minute.end, end_of(BlockLevel::minutes));
  FLYBALL_ASSIGN(by_second.end, end_of(BlockLevel::seconds));
  const int64_t fine = std::min(width, minute_ticks);
  for (const bool slow : {false, true}) {
    const int64_t since = slow ? slow_since() : seconds_since();
    const int64_t minutes = std::min(end, width >= minute_ticks ? by_minute.end : since);
    FLYBALL_CHECK(gather_summaries(*this, by_minute, slow, begin, minutes, all));
    int64_t from = std::max(begin, minutes);
    if (!slow) {
      const int64_t seconds =
          std::min(end, width >= second_ticks ? by_second.end : samples_since());
      FLYBALL_CHECK(gather_summaries(*this, by_second, slow, from, seconds, all));
      from = std::max(from, seconds);
    }
    FLYBALL_CHECK(summarise_samples(*this, slow, from, end, fine, all));
  }
  if (width > second_ticks)
    for (auto& list : all) list = merged(list, width);
  return all;
}

}  // namespace flyball
