#include "data/makers/write_pictures.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <optional>

#include "base/files.h"
#include "base/parallel.h"
#include "data/pictures/jpeg.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr int kQuality = 90;

// Without write_file's fsync, which would take most of the time.
Status write_quickly(const fs::path& path, std::span<const uint8_t> content) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return file_error("write", path, errno);
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const int reason = errno;
  if (std::fclose(file) != 0) return file_error("write", path, errno);
  return written ? Status() : file_error("write", path, reason);
}

}  // namespace

Status for_each_sample(int64_t count, size_t threads, const std::function<Status(int64_t)>& body) {
  std::mutex mutex;
  std::optional<Error> first;
  int64_t first_index = count;
  parallel_for(
      static_cast<size_t>(count),
      [&](size_t i) {
        const int64_t index = static_cast<int64_t>(i);
        const Status status = body(index);
        if (status.ok()) return;
        const std::lock_guard lock(mutex);
        if (index < first_index) first_index = index, first = status.error();
      },
      threads);
  return first ? Status(*first) : Status();
}

Status make_folder(const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  return problem ? Status(file_error("make", folder, problem.value())) : Status();
}

Status write_picture(const fs::path& path, std::span<const uint8_t> rgb, PictureSize size) {
  FLYBALL_ASSIGN(const auto jpeg, encode_jpeg(rgb, size.width, size.height, kQuality));
  return write_quickly(path, jpeg);
}

}  // namespace flyball
