#include "recording/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/text.h"
#include "recording/sample_block.h"

namespace flyball {
namespace {

constexpr size_t most_channels = 4096;
constexpr size_t most_marks = 100'000;
constexpr size_t most_damaged = 1000;  // that are named
constexpr size_t most_blocks = 20'000'000;

bool is_tick(int64_t tick) {
  return tick >= -most_ticks && tick <= most_ticks;
}

int64_t tick_in(const std::string& text) {
  int64_t tick = 0;
  std::from_chars(text.data(), text.data() + text.size(), tick);
  return is_tick(tick) ? tick : 0;
}

double plain(double value) {
  return std::isfinite(value) && value >= 0 && value <= 1e15 ? value : 0;
}

// One that no value overflows with; a NaN is none.
bool is_step(double step) {
  return step >= 1e-12 && step <= 1e12;
}

std::string clock(int64_t tick) {
  const int64_t seconds = tick / ticks_per_s;
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

const char* level_words(BlockLevel level) {
  switch (level) {
    case BlockLevel::samples:
      return "samples";
    case BlockLevel::slow:
      return "samples of slow channels";
    case BlockLevel::seconds:
      return "values by second";
    case BlockLevel::minutes:
      return "values by minute";
  }
  return "";
}

RecordChannel channel_of(const Row& row) {
  RecordChannel channel;
  channel.info.name = row.text(1);
  channel.info.unit = row.text(2);
  channel.info.kind = static_cast<SensorKind>(std::clamp<int64_t>(row.integer(3), 0, 3));
  channel.info.source = row.text(4);
  channel.info.total = row.text(5);
  channel.info.period_s = plain(row.real(6));
  channel.info.wrap = plain(row.real(7));
  channel.info.max_rate = plain(row.real(8));
  channel.info.throttling = static_cast<Throttling>(std::clamp<int64_t>(row.integer(9), 0, 4));
  channel.period_s = plain(row.real(10));
  channel.step = plain(row.real(11));
  return channel;
}

}  // namespace

Result<RecordReader> RecordReader::open(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(Database database, open_record(file));
  RecordReader reader(std::move(database));
  FLYBALL_CHECK(reader.read_facts());
  FLYBALL_CHECK(reader.read_channels());
  FLYBALL_CHECK(reader.read_marks());
  FLYBALL_CHECK(reader.find_end());
  return reader;
}

Status RecordReader::read_facts() {
  std::map<std::string, std::string> facts;
  FLYBALL_CHECK(database_.run("SELECT name, value FROM fact LIMIT 100", {}, [&](const Row& row) {
    facts[row.text(0)] = row.text(1);
    return Status();
  }));
  auto info = parse_record_info(facts["record"]);
  if (!info) return info.error().within(path_.string());
  info_ = *std::move(info);
  stopped_ = text_fault(facts["stopped"]).empty() ? facts["stopped"] : "";
  end_ = tick_in(facts["end"]);
  const auto own_cpu_s = parse_double(facts["own_cpu_s"]);
  if (own_cpu_s && std::isfinite(*own_cpu_s) && *own_cpu_s >= 0) own_cpu_s_ = own_cpu_s;
  since_[0] = tick_in(facts["samples_since"]);
  since_[1] = tick_in(facts["slow_since"]);
  since_[2] = tick_in(facts["seconds_since"]);
  return {};
}

Status RecordReader::read_channels() {
  const auto bad = [&](const std::string& what) {
    return Error{Code::corrupt, fmt::format("the record {} {}", path_.string(), what), ""};
  };
  FLYBALL_CHECK(
      database_.run("SELECT * FROM channel ORDER BY number", {}, [&](const Row& row) -> Status {
        if (row.integer(0) != static_cast<int64_t>(channels_.size()) ||
            channels_.size() == most_channels)
          return bad("does not number its channels");
        channels_.push_back(channel_of(row));
        const RecordChannel& channel = channels_.back();
        if (!is_step(channel.step)) return bad("has a channel without a step");
        for (const std::string& text :
             {channel.info.name, channel.info.unit, channel.info.source, channel.info.total})
          if (!text_fault(text).empty()) return bad("has a channel whose name does not read");
        return {};
      }));
  return {};
}

Status RecordReader::read_marks() {
  return database_.run("SELECT tick, name FROM mark ORDER BY tick", {}, [&](const Row& row) {
    std::string name = row.text(1);
    if (marks_.size() < most_marks && is_tick(row.integer(0)) && text_fault(name).empty())
      marks_.push_back({row.integer(0), std::move(name)});
    return Status();
  });
}

Result<int64_t> RecordReader::end_of(BlockLevel level) {
  FLYBALL_ASSIGN(const int64_t newest,
                 database_.integer("SELECT ifnull(max(end), 0) FROM block WHERE level=?",
                                   {static_cast<int64_t>(level)}));
  return is_tick(newest) ? newest : 0;
}

// Of one that was not closed: what its newest block says.
Status RecordReader::find_end() {
  if (!stopped_.empty()) return {};
  for (int64_t level = 0; level < block_levels; ++level) {
    FLYBALL_ASSIGN(const int64_t newest, end_of(static_cast<BlockLevel>(level)));
    end_ = std::max(end_, newest);
  }
  return {};
}

// A file may say that it is a hundred years long: what lies between its blocks is left out.
Result<int64_t> RecordReader::next_begin(int64_t tick) {
  int64_t next = most_ticks;
  for (int64_t level = 0; level < block_levels; ++level) {
    FLYBALL_ASSIGN(
        const int64_t begin,
        database_.integer("SELECT ifnull(min(begin), ?) FROM block WHERE level=? AND begin>=?",
                          {next, level, tick}));
    next = std::min(next, begin);
  }
  return next;
}

Result<std::vector<RecordReader::Place>> RecordReader::places(BlockLevel level, int64_t begin,
                                                              int64_t end) {
  std::vector<Place> found;
  FLYBALL_CHECK(
      database_.run("SELECT id, begin, end FROM block WHERE level=? AND begin<? ORDER BY "
                    "begin, end",
                    {static_cast<int64_t>(level), end}, [&](const Row& row) {
                      const Place place{row.integer(0), row.integer(1), row.integer(2)};
                      if (place.end >= begin && found.size() < most_blocks) found.push_back(place);
                      return Status();
                    }));
  return found;
}

// A page that contradicts its checksum ends the connection's work: another one reads on.
Result<std::string> RecordReader::bytes_of(int64_t id) {
  std::string bytes;
  const Status status =
      database_.run("SELECT bytes FROM block WHERE id=?", {id}, [&](const Row& row) {
        const std::string_view blob = row.blob(0);
        if (blob.size() <= 2 * most_block_bytes) bytes = std::string(blob);
        return Status();
      });
  if (status.ok()) return bytes;
  FLYBALL_ASSIGN(database_, open_record(path_));
  return Error{Code::corrupt, status.error().message, ""};
}

void RecordReader::damage(BlockLevel level, const Place& place, const std::string& how) {
  std::string text = fmt::format("block {}, {} from {} to {}: {}", place.id, level_words(level),
                                 clock(place.begin), clock(place.end), how);
  if (damaged_.size() < most_damaged && std::ranges::count(damaged_, text) == 0)
    damaged_.push_back(std::move(text));
}

bool RecordReader::sound(const std::vector<Series>& block) const {
  return std::ranges::all_of(block, [&](const Series& series) {
    return series.channel < channels_.size() &&
           (series.times.empty() ||
            (is_tick(series.times.front()) && is_tick(series.times.back())));
  });
}

Status RecordReader::blocks(BlockLevel level, int64_t begin, int64_t end, const OnBlock& on_block) {
  FLYBALL_ASSIGN(const std::vector<Place> found, places(level, begin, end));
  for (const Place& place : found) {
    const auto bytes = bytes_of(place.id);
    if (!bytes) {
      damage(level, place, bytes.error().message);
      continue;
    }
    const auto block = decode_block(*bytes);
    if (!block || !sound(*block)) {
      damage(level, place,
             block ? "it names channels or times that there are not" : block.error().message);
      continue;
    }
    FLYBALL_CHECK(on_block(*block));
  }
  return {};
}

}  // namespace flyball
