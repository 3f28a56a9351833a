// Frames out of a file that anybody may have written.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "monitor/frame_reader.h"

namespace flyball {
namespace {

class ReplayedFrames final : public FrameReader {
 public:
  ReplayedFrames(std::string name, std::ifstream file)
      : name_(std::move(name)), file_(std::move(file)) {}

  Result<std::optional<BoardFrame>> read() override {
    while (true) {
      FLYBALL_ASSIGN(const bool more, next_line());
      if (!more && frames_ == 0)
        return Error{Code::not_found, "the file has no frames",
                     "`flyball monitor --json` writes such files"};
      if (!more) return std::optional<BoardFrame>();
      ++number_;
      if (line_.find_first_not_of(" \t\r") == std::string::npos) continue;
      auto frame = parse_frame(line_);
      if (!frame) return frame.error().within(fmt::format("{}:{}", name_, number_));
      ++frames_;
      return std::optional(*std::move(frame));
    }
  }

 private:
  // A line longer than a frame may be is read no further.
  Result<bool> next_line() {
    line_.clear();
    char c = 0;
    while (file_.get(c) && c != '\n') {
      if (line_.size() >= most_frame_bytes)
        return Error{Code::corrupt,
                     fmt::format("{}:{}: a line longer than {} KiB", name_, number_ + 1,
                                 most_frame_bytes >> 10),
                     "`flyball monitor --json` writes such files"};
      line_ += c;
    }
    return !file_.eof() || !line_.empty();
  }

  std::string name_, line_;
  std::ifstream file_;
  size_t number_ = 0;  ///< of lines
  size_t frames_ = 0;  ///< that were read
};

}  // namespace

Result<std::unique_ptr<FrameReader>> open_replayed_frames(const std::filesystem::path& path) {
  FLYBALL_CHECK([&]() -> Status {  // no pipe, device or folder
    FLYBALL_ASSIGN(const auto opened, open_regular(path));
    return {};
  }());
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error("read", path, errno);
  return std::unique_ptr<FrameReader>(
      std::make_unique<ReplayedFrames>(path.string(), std::move(file)));
}

}  // namespace flyball
