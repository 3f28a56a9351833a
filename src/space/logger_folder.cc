#include "space/logger_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "base/csv.h"
#include "base/files.h"
#include "base/folder_entries.h"
#include "base/lower.h"
#include "base/statistics.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr double mw_per_w = 1e3;
constexpr double most = 1e12;  // of any figure: beyond it a file is no log

struct LoggerFile {
  const char* ending;
  std::string LoggerTexts::*text;
  LoggerParts part;
};
constexpr std::array logger_files = {
    LoggerFile{"_epoch_stats.csv", &LoggerTexts::epoch_stats, LoggerParts::minibatches_and_power},
    LoggerFile{"_fetch.csv", &LoggerTexts::fetch, LoggerParts::all},
    LoggerFile{"_compute.csv", &LoggerTexts::compute, LoggerParts::all},
    LoggerFile{"_tegrastats.csv", &LoggerTexts::tegrastats, LoggerParts::minibatches_and_power},
    LoggerFile{"_vmtouch_stats.csv", &LoggerTexts::vmtouch_stats, LoggerParts::all},
    LoggerFile{"_io_stats.csv", &LoggerTexts::io_stats, LoggerParts::all},
};
constexpr const char* epoch_ending = logger_files[0].ending;

bool has_cut_line(std::string_view text) {
  return !text.ends_with('\n') && text.find('\n') != std::string_view::npos;
}

// A logger that was ended while it wrote leaves a line without its end. Where its last field
// begins, nobody can tell whether that is whole.
std::string_view without_cut_line(std::string_view text) {
  return has_cut_line(text) ? text.substr(0, text.rfind('\n') + 1) : text;
}

/// A log whose rows have one field for each column.
class Log {
 public:
  static Result<Log> parse(const std::string& text, const std::string& name) {
    FLYBALL_ASSIGN(Csv csv, parse_csv(without_cut_line(text), name));
    Log log(std::move(csv));
    FLYBALL_ASSIGN(log.time_, log.column("log_time"));
    return log;
  }

  size_t size() const { return csv_.rows.size(); }
  const Csv& csv() const { return csv_; }

  Result<size_t> column(const char* title) const {
    if (const auto found = csv_.column(title)) return *found;
    return csv_.missing({Code::corrupt, fmt::format("{} has no column '{}'", csv_.name, title),
                         "docs/reproduce.md says what such a log looks like"});
  }

  // A figure that counts or measures something.
  Result<double> figure(size_t row, size_t column) const {
    FLYBALL_ASSIGN(const double value, csv_.number(row, column));
    if (value >= 0 && value <= most) return value;
    return csv_.at(row, column, fmt::format("'{}' is out of range", csv_.rows[row][column]),
                   "figures of a log are at least 0");
  }

  // Seconds on the run's clock; they never go back.
  Result<double> time(size_t row, double before) const {
    FLYBALL_ASSIGN(const double time, figure(row, time_));
    if (time >= before) return time;
    return csv_.at(row, time_, fmt::format("{} s comes after {} s", time, before),
                   "a log's times only grow");
  }

 private:
  explicit Log(Csv csv) : csv_(std::move(csv)) {}

  Csv csv_;
  size_t time_ = 0;
};

Result<std::vector<LoggedMinibatch>> minibatches(const std::string& text, const std::string& name) {
  const Error none{Code::unavailable, name + " holds no minibatch",
                   "the run ended before its first one"};
  if (trim(text).empty()) return none;
  FLYBALL_ASSIGN(const Log log, Log::parse(text, name));
  FLYBALL_ASSIGN(const size_t epoch, log.column("epoch"));
  FLYBALL_ASSIGN(const size_t ms, log.column("epochtime_ms"));
  std::vector<LoggedMinibatch> all;
  for (size_t row = 0; row < log.size(); ++row) {
    LoggedMinibatch one;
    FLYBALL_ASSIGN(const double number, log.figure(row, epoch));
    one.epoch = static_cast<int64_t>(number);
    FLYBALL_ASSIGN(one.minibatch_ms, log.figure(row, ms));
    FLYBALL_ASSIGN(one.end_s, log.time(row, all.empty() ? 0 : all.back().end_s));
    all.push_back(one);
  }
  if (all.empty()) return none;
  return all;
}

// Times of one stage, in ms, row by row beside the minibatches; a run that was ended has more of
// the one, or of the other.
Status add_stage(const std::string& text, const std::string& name, const char* title,
                 std::optional<double> LoggedMinibatch::*stage,
                 std::vector<LoggedMinibatch>& minibatches) {
  if (text.empty()) return {};
  FLYBALL_ASSIGN(const Log log, Log::parse(text, name));
  FLYBALL_ASSIGN(const size_t epoch, log.column("epoch"));
  FLYBALL_ASSIGN(const size_t ms, log.column(title));
  for (size_t row = 0; row < std::min(log.size(), minibatches.size()); ++row) {
    FLYBALL_ASSIGN(const double number, log.figure(row, epoch));
    if (number != static_cast<double>(minibatches[row].epoch))
      return log.csv().at(
          row, epoch,
          fmt::format("is {} where {} has {}", number, epoch_ending + 1, minibatches[row].epoch),
          "both logs have one row for each minibatch");
    FLYBALL_ASSIGN(minibatches[row].*stage, log.figure(row, ms));
  }
  return {};
}

bool numbered(const std::string& title, std::string_view prefix) {
  return title.starts_with(prefix) && parse_integer(title.substr(prefix.size()));
}

// Mean of the fields of columns CPU1, CPU2, …; those that are OFF count for nothing.
std::optional<double> mean_busy(const Csv& csv, size_t row, std::string_view prefix) {
  std::vector<double> busy;
  for (size_t c = 0; c < csv.header.size(); ++c) {
    if (!numbered(csv.header[c], prefix)) continue;
    const auto value = parse_double(csv.rows[row][c]);
    if (value && *value >= 0 && *value <= 100) busy.push_back(*value);
  }
  if (busy.empty()) return {};
  return mean(busy);
}

Result<std::vector<LoggedPower>> power(const std::string& text, const std::string& name) {
  std::vector<LoggedPower> all;
  if (text.empty()) return all;
  FLYBALL_ASSIGN(const Log log, Log::parse(text, name));
  FLYBALL_ASSIGN(const size_t column, log.column("power cur"));
  const auto read_at = log.csv().column("time");
  double before = 0;
  for (size_t row = 0; row < log.size(); ++row) {
    LoggedPower one;
    FLYBALL_ASSIGN(one.time_s, log.time(row, before));
    before = one.time_s;
    FLYBALL_ASSIGN(const double mw, log.figure(row, column));
    one.power_w = mw / mw_per_w;
    if (read_at && row > 0 && log.csv().rows[row][*read_at] == log.csv().rows[row - 1][*read_at])
      continue;
    one.cpu_busy = mean_busy(log.csv(), row, "CPU");
    one.gpu_busy = mean_busy(log.csv(), row, "GPU");
    all.push_back(one);
  }
  return all;
}

/// A line of a log whose rows have more or fewer fields than its header.
struct Line {
  std::string where;  ///< file and line, for messages
  std::vector<std::string> fields;
  double time_s = 0;  ///< its last field
};

Error bad_line(const Line& line, const std::string& complaint) {
  return {Code::corrupt, line.where + ": " + complaint,
          "docs/reproduce.md says what such a log looks like"};
}

// The lines after the first, which is the header.
Result<std::vector<Line>> lines_of(const std::string& text, const std::string& name) {
  std::vector<Line> lines;
  size_t number = 0;
  const std::string_view whole = without_cut_line(text);
  for (const std::string& raw : split(whole, '\n')) {
    Line line{.where = fmt::format("{}:{}", name, ++number), .fields = {}};
    if (number == 1 || trim(raw).empty()) continue;
    if (const std::string fault = text_fault(raw); !fault.empty()) return bad_line(line, fault);
    line.fields = split(trim(raw), ',');
    const auto time = parse_double(line.fields.back());
    if (!time || !(*time >= 0 && *time <= most))
      return bad_line(line, "its last field is no time in s");
    line.time_s = *time;
    lines.push_back(std::move(line));
  }
  return lines;
}

// vmtouch leaves out the percentage of no pages, and a row is shorter then: RESIDENT/ALL is third.
Result<std::vector<LoggedCache>> cache(const std::string& text, const std::string& name) {
  FLYBALL_ASSIGN(const std::vector<Line> lines, lines_of(text, name));
  std::vector<LoggedCache> all;
  for (const Line& line : lines) {
    const auto pages =
        line.fields.size() < 4 ? std::vector<std::string>{} : split(line.fields[2], '/');
    const auto resident = pages.size() == 2 ? parse_integer(pages[0]) : std::nullopt;
    const auto of = pages.size() == 2 ? parse_integer(pages[1]) : std::nullopt;
    if (!resident || !of || *resident < 0 || *resident > *of)
      return bad_line(line, "its third field is not RESIDENT/ALL pages");
    LoggedCache one{.time_s = line.time_s, .cached = {}};
    if (*of > 0) one.cached = static_cast<double>(*resident) / static_cast<double>(*of);
    all.push_back(one);
  }
  return all;
}

// The value under `title`: rows stand below the header, or, of an iostat that the logger did not
// know, are titles, as many values, and the time.
std::optional<double> value_under(const std::vector<std::string>& header, const Line& line,
                                  std::string_view title) {
  const std::vector<std::string>& fields = line.fields;
  const bool own_titles = fields.size() != header.size();
  const size_t count = own_titles ? (fields.size() - 1) / 2 : header.size();
  const std::vector<std::string>& titles = own_titles ? fields : header;
  for (size_t i = 0; i < count; ++i) {
    if (trim(titles[i]) != title) continue;
    const auto value = parse_double(fields[own_titles ? count + i : i]);
    return value && *value >= 0 && *value <= most ? value : std::nullopt;
  }
  return {};
}

Result<std::vector<LoggedReads>> reads(const std::string& text, const std::string& name) {
  FLYBALL_ASSIGN(const std::vector<Line> lines, lines_of(text, name));
  const auto header = split(trim(std::string_view(text).substr(0, text.find('\n'))), ',');
  std::vector<LoggedReads> all;
  for (const Line& line : lines) {
    const auto number = value_under(header, line, "r/s"), kb = value_under(header, line, "rkB/s");
    if (!number || !kb) return bad_line(line, "it has no number for 'r/s' and 'rkB/s'");
    all.push_back({.time_s = line.time_s, .reads_per_s = *number, .read_kb_per_s = *kb});
  }
  return all;
}

// The number behind `key` in a name such as mn_nw4_pf2.
std::optional<int64_t> setting(const std::string& name, std::string_view key) {
  for (const std::string& piece : split(name, '_'))
    if (piece.starts_with(key))
      if (const auto value = parse_integer(piece.substr(key.size()))) return *value;
  return {};
}

Result<LoggerRun> read_run(const std::string& prefix, const std::vector<fs::path>& files,
                           LoggerParts parts) {
  LoggerTexts texts;
  for (const fs::path& file : files)
    for (const LoggerFile& known : logger_files)
      if ((parts == LoggerParts::all || known.part == parts) &&
          lower(file.filename().string()) == lower(fs::path(prefix).filename()) + known.ending) {
        FLYBALL_ASSIGN(texts.*known.text, read_file(file));
      }
  return parse_logger_run(texts, prefix);
}

}  // namespace

Result<LoggerRun> parse_logger_run(const LoggerTexts& texts, const std::string& name) {
  LoggerRun run;
  run.name = name;
  const std::string stem = lower(fs::path(name).filename().string());
  run.workers = setting(stem, "nw");
  run.prefetch = setting(stem, "pf");
  const auto file = [&](std::string LoggerTexts::*text) {
    return name + std::ranges::find(logger_files, text, &LoggerFile::text)->ending;
  };
  for (const LoggerFile& one : logger_files) run.cut_lines += has_cut_line(texts.*one.text);
  FLYBALL_ASSIGN(run.minibatches, minibatches(texts.epoch_stats, file(&LoggerTexts::epoch_stats)));
  FLYBALL_CHECK(add_stage(texts.fetch, file(&LoggerTexts::fetch), "fetchtime_ms",
                          &LoggedMinibatch::fetch_ms, run.minibatches));
  FLYBALL_CHECK(add_stage(texts.compute, file(&LoggerTexts::compute), "computetime_ms",
                          &LoggedMinibatch::compute_ms, run.minibatches));
  FLYBALL_ASSIGN(run.power, power(texts.tegrastats, file(&LoggerTexts::tegrastats)));
  FLYBALL_ASSIGN(run.cache, cache(texts.vmtouch_stats, file(&LoggerTexts::vmtouch_stats)));
  FLYBALL_ASSIGN(run.reads, reads(texts.io_stats, file(&LoggerTexts::io_stats)));
  return run;
}

Result<std::vector<LoggerRun>> read_logger_folder(const fs::path& folder, LoggerParts parts) {
  const std::vector<fs::path> files = folder_entries(folder);
  std::vector<LoggerRun> runs;
  for (const fs::path& file : files) {
    if (!lower(file.filename().string()).ends_with(epoch_ending)) continue;
    std::string prefix = file.string();
    prefix.resize(prefix.size() - std::string_view(epoch_ending).size());
    FLYBALL_ASSIGN(LoggerRun run, read_run(prefix, files, parts));
    runs.push_back(std::move(run));
  }
  if (runs.empty())
    return Error{Code::not_found,
                 fmt::format("{} holds no file *{}", folder.string(), epoch_ending),
                 "name the folder of one run's logs"};
  return runs;
}

}  // namespace flyball
