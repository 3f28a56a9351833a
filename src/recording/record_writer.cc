#include "recording/record_writer.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_line.h"

namespace flyball {
namespace {

// The newest detail stays, however little room there is: what a reader most likely looks at.
constexpr int64_t kept_samples = 2 * 60 * ticks_per_s;
constexpr int64_t kept_seconds = 20 * 60 * ticks_per_s;
// What is written between one look at the size and the next.
constexpr uint64_t reserve_bytes = uint64_t{256} << 10;

const char* since_fact(BlockLevel level) {
  switch (level) {
    case BlockLevel::samples:
      return "samples_since";
    case BlockLevel::slow:
      return "slow_since";
    default:
      return "seconds_since";
  }
}

}  // namespace

Result<RecordWriter> RecordWriter::create(const std::filesystem::path& file, const RecordInfo& info,
                                          const std::vector<RecordChannel>& channels) {
  if (info.most_bytes < least_bytes)
    return Error{Code::invalid_argument,
                 fmt::format("a record cannot be as small as {} bytes", info.most_bytes),
                 fmt::format("--most-bytes {}MiB or more", least_bytes >> 20)};
  FLYBALL_ASSIGN(Database database, create_record(file));
  RecordWriter writer(std::move(database), info.most_bytes);
  FLYBALL_CHECK(writer.write_head(info, channels));
  FLYBALL_CHECK(writer.commit());
  return writer;
}

Status RecordWriter::begin() {
  if (writing_) return {};
  FLYBALL_CHECK(database_.run("BEGIN IMMEDIATE"));
  writing_ = true;
  return {};
}

Status RecordWriter::commit() {
  if (!writing_) return {};
  writing_ = false;
  return database_.run("COMMIT");
}

Status RecordWriter::write_head(const RecordInfo& info,
                                const std::vector<RecordChannel>& channels) {
  FLYBALL_CHECK(set_fact("record", json_line(record_info_json(info))));
  int64_t number = 0;
  for (const RecordChannel& channel : channels) {
    const SensorInfo& sensor = channel.info;
    FLYBALL_CHECK(
        database_.run("INSERT INTO channel VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
                      {number++, sensor.name, sensor.unit, static_cast<int64_t>(sensor.kind),
                       sensor.source, sensor.total, sensor.period_s, sensor.wrap, sensor.max_rate,
                       static_cast<int64_t>(sensor.throttling), channel.period_s, channel.step}));
  }
  return {};
}

Status RecordWriter::add(BlockLevel level, int64_t begin_tick, int64_t end_tick, bool open,
                         const std::vector<Series>& block) {
  FLYBALL_ASSIGN(const std::string bytes, encode_block(block));
  FLYBALL_CHECK(begin());
  return database_.run(
      "INSERT INTO block(level, begin, end, open, bytes) VALUES(?,?,?,?,?)",
      {static_cast<int64_t>(level), begin_tick, end_tick, open, Value::Blob{bytes}});
}

Status RecordWriter::remove_open(BlockLevel level) {
  FLYBALL_CHECK(begin());
  return database_.run("DELETE FROM block WHERE level=? AND open=1", {static_cast<int64_t>(level)});
}

Status RecordWriter::mark(const RecordMark& mark) {
  FLYBALL_CHECK(begin());
  return database_.run("INSERT INTO mark(tick, name) VALUES(?,?)", {mark.tick, mark.name});
}

Status RecordWriter::set_fact(const std::string& name, const std::string& value) {
  FLYBALL_CHECK(begin());
  return database_.run("INSERT OR REPLACE INTO fact VALUES(?,?)", {name, value});
}

Result<uint64_t> RecordWriter::bytes() {
  FLYBALL_ASSIGN(const int64_t pages, database_.integer("PRAGMA page_count"));
  FLYBALL_ASSIGN(const int64_t free, database_.integer("PRAGMA freelist_count"));
  return static_cast<uint64_t>(pages - free) * 4096;
}

// The oldest long block, unless it ends within `keep` of the newest one.
Result<bool> RecordWriter::remove_oldest(BlockLevel level, int64_t keep) {
  int64_t id = 0, end = 0;
  const auto number = static_cast<int64_t>(level);
  FLYBALL_CHECK(
      database_.run("SELECT id, end FROM block WHERE level=? AND open=0 ORDER BY begin LIMIT 1",
                    {number}, [&](const Row& row) {
                      id = row.integer(0);
                      end = row.integer(1);
                      return Status();
                    }));
  FLYBALL_ASSIGN(
      const int64_t newest,
      database_.integer("SELECT ifnull(max(end), 0) FROM block WHERE level=?", {number}));
  if (id == 0 || end > newest - keep) return false;
  FLYBALL_CHECK(database_.run("DELETE FROM block WHERE id=?", {id}));
  FLYBALL_CHECK(set_fact(since_fact(level), fmt::format("{}", end)));
  return true;
}

Status RecordWriter::thin() {
  FLYBALL_CHECK(begin());
  while (true) {
    FLYBALL_ASSIGN(const uint64_t held, bytes());
    if (held + reserve_bytes <= most_bytes_) return {};
    FLYBALL_ASSIGN(bool removed, remove_oldest(BlockLevel::samples, kept_samples));
    if (!removed) {
      FLYBALL_ASSIGN(removed, remove_oldest(BlockLevel::slow, kept_seconds));
    }
    if (!removed) {
      FLYBALL_ASSIGN(removed, remove_oldest(BlockLevel::seconds, kept_seconds));
    }
    if (!removed)
      return Error{Code::io,
                   fmt::format("the record {} has reached its bound of {} bytes with a value a "
                               "minute alone",
                               path().string(), most_bytes_),
                   "allow it more with --most-bytes"};
  }
}

Status RecordWriter::close() {
  FLYBALL_CHECK(commit());
  return database_.run_script(
      "PRAGMA wal_checkpoint(TRUNCATE); "
      "PRAGMA journal_mode=DELETE");
}

}  // namespace flyball
