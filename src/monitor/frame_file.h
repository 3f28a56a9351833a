// A file of frames, a line each, which --replay opens.
#pragma once

#include <filesystem>
#include <fstream>

#include "base/status.h"
#include "monitor/board_frame.h"

namespace flyball {

class FrameFile {
 public:
  /// Error: it is there already, or cannot be made.
  static Result<FrameFile> create(const std::filesystem::path& path);
  /// On disk when it returns, as far as the kernel is concerned. Error: the disk is full.
  Status add(const BoardFrame& frame);
  const std::filesystem::path& path() const { return path_; }

 private:
  FrameFile(std::filesystem::path path, std::ofstream file)
      : path_(std::move(path)), file_(std::move(file)) {}
  std::filesystem::path path_;
  std::ofstream file_;
};

/// "flyball-monitor-20260301T123005Z.jsonl" in the current folder.
std::filesystem::path usual_frame_file();

}  // namespace flyball
