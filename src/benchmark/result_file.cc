#include "benchmark/result_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/file_version.h"
#include "base/os/told_errors.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

bool same_settings(const FreeSettings& a, const FreeSettings& b) {
  const bool threads = a.threads == b.threads || a.threads == 0 || b.threads == 0;
  return threads && a.compute == b.compute && a.workers == b.workers && a.prefetch == b.prefetch &&
         a.precision == b.precision;
}

Error is_there(const fs::path& file, const std::string& why, const char* remedy) {
  return {Code::conflict, fmt::format("{} is there: {}", file.string(), why), remedy};
}

// Why `result` cannot go on from what the file holds; "" where it can.
std::string resume_fault(const ReadResult& read, const FreeSettings& settings,
                         const BenchmarkResult& result) {
  const BenchmarkResult& known = read.result;
  if (!read.edited.empty()) return read.edited;
  if (known.definition != result.definition) return "it is of another version of it";
  if (known.board.fingerprint != result.board.fingerprint || known.mode != result.mode)
    return "it is of another board, or of another mode";
  if (known.machine != result.machine && !known.machine.empty() && !result.machine.empty())
    return "it is of another board of this kind";
  if (const auto changed = differences(known.board.settings, result.board.settings);
      !changed.empty())
    return "it was measured under other conditions: " + join(changed, "; ");
  for (const EntryResult& entry : known.entries)
    if (!same_settings(entry.settings, settings))
      return fmt::format("its {} was trained with other workers, threads or precision",
                         entry.entry.id);
  return "";
}

}  // namespace

std::string machine_digest(const fs::path& root) {
  constexpr size_t most = 4096;
  const auto id = read_file(root / "etc/machine-id", most);
  if (!id || trim(*id).empty()) return "";
  return fmt::format("{:016x}", content_hash("flyball benchmark " + std::string(trim(*id))));
}

BenchmarkResult begin_result(const Benchmark& benchmark, const DeviceInfo& board) {
  BenchmarkResult result;
  result.benchmark = benchmark.name;
  result.version = benchmark.version;
  result.definition = benchmark.digest;
  result.flyball = FLYBALL_VERSION;
  result.started_utc = wall_clock_utc();
  result.board = board;
  return result;
}

Status resume_result(const fs::path& file, const FreeSettings& settings, BenchmarkResult& result) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const auto read = read_benchmark_result(file);
  const std::string fault = read ? resume_fault(*read, settings, result) : read.error().message;
  if (!fault.empty())
    return is_there(file, fault, "name another file with --result, or begin anew with --fresh");
  const BenchmarkResult& known = read->result;
  result.started_utc = known.started_utc;
  // The mode that it ended in then still counts, where that was another one.
  if (known.mode_after != known.mode) result.mode_after = known.mode_after;
  result.signed_off_by = known.signed_off_by;
  result.signed_off_utc = known.signed_off_utc;
  for (const EntryResult& entry : known.entries)
    if (entry.failure.empty()) result.entries.push_back(entry);
  return {};
}

Status check_replaced(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const auto read = read_benchmark_result(file);
  if (read && read->result.provenance() == Provenance::simulated) return {};
  return is_there(file, read ? "it was measured" : read.error().message,
                  "name another file with --result");
}

bool is_held(const BenchmarkResult& result, const BenchmarkEntry& entry) {
  return std::ranges::any_of(result.entries,
                             [&](const EntryResult& one) { return one.entry.id == entry.id; });
}

void add_entry(const Benchmark& benchmark, EntryResult entry, BenchmarkResult& result) {
  result.entries.push_back(std::move(entry));
  std::ranges::sort(result.entries, {}, [&](const EntryResult& one) {
    return benchmark.find(one.entry.id) - benchmark.entries.data();
  });
  result.signed_off_by = result.signed_off_utc = "";
}

EntryResult failed_entry(const BenchmarkEntry& entry, const FreeSettings& settings,
                         Provenance provenance, const Error& error) {
  EntryResult result;
  result.entry = entry;
  result.settings = settings;
  result.provenance = provenance;
  result.failure = in_one_line(error);
  return result;
}

Status write_result(const fs::path& file, const BenchmarkResult& result) {
  return write_file(file, benchmark_json(result).dump(2) + "\n");
}

}  // namespace flyball
