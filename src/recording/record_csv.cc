#include "recording/record_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/csv.h"
#include "recording/summary.h"

namespace flyball {
namespace {

struct CsvRow {
  int64_t time_ns;
  size_t channel;
  double value;
  const char* of;
};

// As a number is read back: no digit more than the channel's step has.
std::string value_text(double value, double step) {
  const double parts = 1 / step;
  return fmt::format("{}", step < 1 ? std::round(value * parts) / parts : value);
}

void add_summary(std::vector<CsvRow>& rows, size_t channel, const RecordSummary& one) {
  const int64_t time_ns = one.begin * ns_per_tick;
  rows.push_back({time_ns, channel, one.least, "min"});
  rows.push_back({time_ns, channel, one.mean, "mean"});
  rows.push_back({time_ns, channel, one.most, "max"});
}

// Samples where there are any, else what stands for them.
Result<std::vector<CsvRow>> rows_of(RecordReader& reader, int64_t begin, int64_t end) {
  std::vector<CsvRow> rows;
  FLYBALL_ASSIGN(const auto samples, reader.samples(begin, end));
  for (size_t i = 0; i < samples.size(); ++i)
    for (const Sample& sample : samples[i])
      rows.push_back({sample.time_ns, i, sample.value, "sample"});
  const bool thinned = begin < std::max(reader.samples_since(), reader.slow_since());
  if (thinned) {
    FLYBALL_ASSIGN(const auto values, reader.summaries(begin, end, second_ticks));
    for (size_t i = 0; i < values.size(); ++i) {
      const bool slow = reader.channels()[i].slow();
      const int64_t since = slow ? reader.slow_since() : reader.samples_since();
      for (const RecordSummary& one : values[i])
        if (one.begin < since) add_summary(rows, i, one);
    }
  }
  std::ranges::stable_sort(rows, {}, &CsvRow::time_ns);
  return rows;
}

}  // namespace

Result<size_t> record_csv(RecordReader& reader, int64_t begin, int64_t end,
                          const std::function<Status(const std::string&)>& write) {
  size_t count = 0;
  FLYBALL_CHECK(write("time_s,sensor,unit,value,of\n"));
  constexpr int64_t stretch = 2 * minute_ticks;
  for (int64_t at = begin, until = 0; at < end; at = until) {
    until = std::min(floor_to(at + stretch, minute_ticks), end);  // no summary is cut in two
    FLYBALL_ASSIGN(const auto rows, rows_of(reader, at, until));
    if (rows.empty()) {
      FLYBALL_ASSIGN(const int64_t next, reader.next_begin(until));
      until = std::max(until, std::min(next, end));
    }
    std::string text;
    for (const CsvRow& row : rows) {
      const RecordChannel& channel = reader.channels()[row.channel];
      const bool sample = row.of[0] == 's';
      const std::string unit =
          sample || !channel.tells_power() ? channel.info.unit : std::string("W");
      const double step = sample ? channel.step : channel.summary_step();
      text += csv_line({fmt::format("{:.4f}", static_cast<double>(row.time_ns) * 1e-9),
                        channel.info.name, unit, value_text(row.value, step), row.of});
    }
    count += rows.size();
    FLYBALL_CHECK(write(text));
  }
  return count;
}

}  // namespace flyball
