// A result of the benchmark as a file: one JSON document that somebody signs off.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "benchmark/entry_result.h"
#include "device/device.h"

namespace flyball {

struct BenchmarkResult {
  std::string benchmark;  ///< its name
  int version = 0;
  std::string definition;  ///< Benchmark::digest
  std::string flyball;     ///< version of the program that wrote it
  std::string started_utc;
  DeviceInfo board;
  std::string machine;  ///< digest of its machine-id: boards of one image look alike; "": not known
  PowerMode mode, mode_after;  ///< what bounded each axis as it began, and as it ended
  std::vector<EntryResult> entries;
  std::string signed_off_by;  ///< who vouches for it; "" nobody
  std::string signed_off_utc;

  Provenance provenance() const;  ///< measured, where all of it was
};

/// Its keys stand in docs/json.md. Its digest is over all of it but `signed_off`.
Json benchmark_json(const BenchmarkResult& result);

/// A file as it was read, and what of it does not agree with itself.
struct ReadResult {
  BenchmarkResult result;
  std::string file;
  std::string edited;  ///< why the file is not as it was written; "" where it is
};
/// Errors name the file: no such file, no JSON, no result, a key that is missing or of another
/// type.
Result<ReadResult> read_benchmark_result(const std::filesystem::path& file);
Result<ReadResult> parse_benchmark_result(const std::string& text, const std::string& name);

}  // namespace flyball
