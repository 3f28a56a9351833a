// A record of a simulated board, in its own time: as fast as it can be computed.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "recording/sample_recorder.h"
#include "twin/board.h"

namespace flyball {

struct SimulatedRecord {
  double seconds = 60;
  double rate_hz = 100;
  PowerMode mode{};  ///< an axis that is absent is at its highest
  uint64_t seed = 0;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(double share)> progress{};
};

/// What is simulated, in words: load, preset ("": the highest mode), noise, steps of the sensors,
/// times.
std::string simulated_remarks(const TwinBoard& board, const std::string& preset);
/// Rails at this rate; clocks, GPU load and temperature once a second.
std::vector<RecordChannel> simulated_channels(const TwinBoard& board, double rate_hz);
/// Forty minutes of training, twenty without work, and so on, into a recorder of these channels;
/// marks say which. Returns the seconds that were recorded, fewer where it was interrupted.
/// Errors: those of a twin and of a recorder.
Result<double> simulate_record(const TwinBoard& board, const SimulatedRecord& wanted,
                               SampleRecorder& recorder);

}  // namespace flyball
