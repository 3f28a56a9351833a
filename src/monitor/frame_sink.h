// Where the frames of a screen are kept while its user records them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "base/status.h"
#include "monitor/board_frame.h"

namespace flyball {

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// Error: it cannot be written; what came before is kept.
  virtual Status add(const BoardFrame& frame) = 0;
  virtual Status finish() = 0;
  virtual const std::filesystem::path& path() const = 0;
};

/// Begins one with the frame that is shown; the rooms below this one know how.
using MakeFrameSink = std::function<Result<std::unique_ptr<FrameSink>>(const BoardFrame& first)>;

}  // namespace flyball
