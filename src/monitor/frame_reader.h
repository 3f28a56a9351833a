// Where frames come from: this machine or a tree of its files, a simulated board, a file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "device/registry/board.h"
#include "monitor/board_frame.h"

namespace flyball {

struct FrameOptions {
  std::filesystem::path root = "/";
  Seconds interval{1};    ///< at which frames will be asked for
  size_t processes = 20;  ///< at most, in a frame
  uint64_t seed = 1;      ///< of a simulated board
};

class FrameReader {
 public:
  virtual ~FrameReader() = default;
  /// The board now. Of a simulated board one interval after the last frame, by its own clock; of a
  /// file the next one, and nothing at its end. Never waits for the next interval. Clocks, load and
  /// power are read anew each time, all else once a second.
  virtual Result<std::optional<BoardFrame>> read() = 0;
  /// Preset modes that may be chosen here.
  virtual std::vector<Preset> presets() const { return {}; }
  /// Sets a preset (its name or number) or "AXIS=VALUE,…", as `flyball mode set` does, and says
  /// what is in force then. Error: those of that command; a file has nothing to set.
  virtual Result<std::string> set_mode(const std::string& text);
  /// Is the time between frames that of a clock (this machine's), or does whoever asks pace them?
  virtual bool live() const { return false; }
};

/// Frames of the machine, or of the tree below `root`. `name`: as --device has it.
Result<std::unique_ptr<FrameReader>> open_live_frames(const BoardName& name,
                                                      const FrameOptions& options);
/// Frames of a simulated board that trains, serves and rests in turns, on its own clock: the first
/// one an interval after its beginning.
Result<std::unique_ptr<FrameReader>> open_twin_frames(const Board& board,
                                                      const FrameOptions& options);
/// The lines of a file, as --json wrote them.
Result<std::unique_ptr<FrameReader>> open_replayed_frames(const std::filesystem::path& file);
/// What `--device` names: one of the first two. Error: a table has no frames.
Result<std::unique_ptr<FrameReader>> open_frames(const std::string& device,
                                                 const FrameOptions& options);

}  // namespace flyball
