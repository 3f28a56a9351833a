// Watching: frames read at an interval, shown on a terminal or as lines until somebody ends it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "monitor/frame_reader.h"
#include "monitor/frame_sink.h"
#include "monitor/terminal_screen.h"

namespace flyball {

struct WatchOptions {
  double interval_s = 1;
  std::optional<double> duration_s{};  ///< by the clock of the frames
  bool paced = true;  ///< false: frames of a simulated board or a file do not wait for each other
  MakeFrameSink record{};  ///< of the key r; empty: the frames are a file's already
};

/// Each frame to `take`, at the interval, until the duration is over, there are no more, or a
/// signal asks to stop. Error: those of the reader and of `take`.
Status watch_frames(FrameReader& reader, const WatchOptions& options,
                    const std::function<Status(const BoardFrame&)>& take);
/// The same on a screen, with its keys; until `q`.
Status watch_on_screen(FrameReader& reader, const WatchOptions& options, TerminalScreen& screen);

}  // namespace flyball
