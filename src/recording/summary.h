// Samples of a stretch as least, mean and most, with what of it is covered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recording/record_info.h"
#include "recording/sample_block.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

/// Summaries of every stretch of `width` ticks in [begin, end), from one multiple of it to the
/// next; the first and last are shorter where begin and end are none. Those without samples are
/// left out. Power and energy by the rules of energy.h: the mean is energy over the time that is
/// covered. `samples` may begin before and end behind. Times of samples are in ns since the record
/// began.
std::vector<RecordSummary> summarise(const RecordChannel& channel, std::span<const Sample> samples,
                                     int64_t begin, int64_t end, int64_t width);

/// Several stretches, in order, as longer ones.
std::vector<RecordSummary> merged(std::span<const RecordSummary> summaries, int64_t width);

/// As the columns of a block: least, mean, most in steps (the mean in hundredths of one), and
/// covered ticks.
Series series_of(uint32_t number, const RecordChannel& channel,
                 std::span<const RecordSummary> summaries);
/// Error: not such a series.
Result<std::vector<RecordSummary>> summaries_of(const RecordChannel& channel, const Series& series);

/// Samples as a series, and back; a series of another form has none.
Series series_of(uint32_t number, const RecordChannel& channel, std::span<const Sample> samples);
std::vector<Sample> samples_of(const RecordChannel& channel, const Series& series);

}  // namespace flyball
