#include "monitor/frame_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_line.h"

namespace flyball {

Result<FrameFile> FrameFile::create(const std::filesystem::path& path) {
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0) return file_error("make", path, errno);
  ::close(made);
  std::ofstream file(path, std::ios::binary | std::ios::app);
  if (!file) return file_error("write", path, errno);
  return FrameFile(path, std::move(file));
}

Status FrameFile::add(const BoardFrame& frame) {
  file_ << json_line(to_json(frame)) << '\n' << std::flush;
  if (file_) return {};
  return file_error("write", path_, errno != 0 ? errno : EIO);
}

std::filesystem::path usual_frame_file() {
  std::string time = wall_clock_utc();
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return "flyball-monitor-" + time + ".jsonl";
}

}  // namespace flyball
