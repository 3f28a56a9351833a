// The file that a result of the benchmark grows in: an earlier start's entries are taken over, and
// nothing else that stands there is lost.
#pragma once

#include <filesystem>

#include "benchmark/result.h"

namespace flyball {

/// Which machine this is, and nothing else about it; "" where `root`/etc/machine-id does not say.
std::string machine_digest(const std::filesystem::path& root);

/// A result without entries, of this program on this board, begun now.
BenchmarkResult begin_result(const Benchmark& benchmark, const DeviceInfo& board);

/// Takes over the trained entries that an earlier start wrote to `file`; nothing where no such file
/// is. Those whose training failed are left out, and no sign-off but that of the file is known.
/// Errors: `conflict`, where the file is of something else, of another version, board, mode or
/// conditions, was edited, or was trained with settings other than `settings`.
Status resume_result(const std::filesystem::path& file, const FreeSettings& settings,
                     BenchmarkResult& result);

/// A simulated result replaces what is a simulated one, and nothing else. Error: `conflict`.
Status check_replaced(const std::filesystem::path& file);

/// Has the result an entry of this id?
bool is_held(const BenchmarkResult& result, const BenchmarkEntry& entry);

/// Adds the entry in the order of the benchmark; a sign-off of fewer entries is dropped.
void add_entry(const Benchmark& benchmark, EntryResult entry, BenchmarkResult& result);

/// Of an entry that could not be trained.
EntryResult failed_entry(const BenchmarkEntry& entry, const FreeSettings& settings,
                         Provenance provenance, const Error& error);

/// Errors name the file.
Status write_result(const std::filesystem::path& file, const BenchmarkResult& result);

}  // namespace flyball
