// What a monitor shows, as a record: the key r of its screen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "monitor/frame_sink.h"

namespace flyball {

/// What a record calls the cap in force of an axis: "cpu_mhz_cap".
std::string cap_name(const std::string& axis);

struct FrameRecordOptions {
  std::filesystem::path file;
  std::string command, device;
  double interval_s = 1;  ///< between frames
  uint64_t most_bytes = 0;
};

/// A channel for each rail, clock, temperature and load of the first frame; what comes later and is
/// not among them is left out, and what is missing in a frame is a gap. Errors as
/// SampleRecorder::create().
Result<std::unique_ptr<FrameSink>> record_frames(const BoardFrame& first,
                                                 const FrameRecordOptions& options);

}  // namespace flyball
