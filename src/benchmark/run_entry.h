// One entry of the benchmark, trained on this machine until it is good enough, or simulated.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "benchmark/entry_result.h"
#include "device/registry/board.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

struct EntryOptions {
  FreeSettings settings;
  std::function<SensorList()> sensors{};  ///< of power and of throttling
  const std::atomic<bool>* interrupted = nullptr;
  /// What is drawn, and where, before it is; each epoch as it goes on: share of it (0 to 1) and
  /// what it has reached so far.
  std::function<void(const std::string& what)> note{};
  std::function<void(double share, const std::string& what)> progress{};
};

/// The set of an entry, drawn once by the benchmark's seed, in the cache folder.
Result<std::filesystem::path> benchmark_data(const Benchmark& benchmark,
                                             const BenchmarkEntry& entry,
                                             const std::function<void(const std::string&)>& note);

/// Trains from the seed's weights, judges the held-out part after each epoch until the target is
/// reached or most_epochs are over, and then trains on without a pause until power was seen for
/// long enough and the rules' later epochs are there. Errors: those of run_epochs(); interrupted.
Result<EntryResult> run_entry(const Benchmark& benchmark, const BenchmarkEntry& entry,
                              const EntryOptions& options);

/// As many epochs as the target took where it was set, in simulated time. Errors: the board does
/// not know the network at that size; it does not fit.
Result<EntryResult> simulate_entry(const Benchmark& benchmark, const BenchmarkEntry& entry,
                                   const Board& board, const FreeSettings& settings);

}  // namespace flyball
