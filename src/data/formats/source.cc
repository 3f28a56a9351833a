#include "data/formats/source.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace flyball {
namespace {

constexpr size_t kLargestWhole = size_t{256} << 20;
constexpr size_t kLargestInflated = size_t{1} << 30;

bool is_gzip(int fd) {
  uint8_t magic[2] = {};
  return ::pread(fd, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

// Reads until the end; one byte more than expected is asked for, so that the end is seen at once.
Status read_to_end(const OpenedFile& file, const std::filesystem::path& path,
                   std::vector<uint8_t>& out) {
  const size_t expected = std::max<size_t>(file.size, 4095);
  size_t done = 0;
  if (expected <= kLargestWhole) out.resize(expected + 1);
  while (out.size() <= kLargestWhole + 1 && expected <= kLargestWhole) {
    const ssize_t n = ::read(file.descriptor.get(), out.data() + done, out.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("read", path, errno);
    done += static_cast<size_t>(n);
    if (n == 0) break;
    if (done == file.size && done < out.size()) break;
    if (done == out.size()) out.resize(2 * done);
  }
  if (done > kLargestWhole || expected > kLargestWhole)
    return Error{Code::corrupt, fmt::format("{} is larger than 256 MiB", path.string()),
                 "is this the right file?"};
  out.resize(done);
  if (done == 0)
    return Error{Code::corrupt, fmt::format("{} is empty", path.string()),
                 "fetch the file again, or leave it out"};
  return {};
}

}  // namespace

Status read_whole(const std::filesystem::path& path, std::vector<uint8_t>& out) {
  FLYBALL_ASSIGN(const OpenedFile file, open_regular(path));
  return read_to_end(file, path, out);
}

Status read_exactly(int fd, const std::filesystem::path& path, uint64_t offset,
                    std::span<uint8_t> out) {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t n =
        ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("read", path, errno);
    if (n == 0)
      return Error{Code::corrupt,
                   fmt::format("{} ends at byte {}, {} more were expected", path.string(),
                               offset + done, out.size() - done),
                   "the file is truncated: fetch it again"};
    done += static_cast<size_t>(n);
  }
  return {};
}

Result<std::shared_ptr<const ByteSource>> ByteSource::open(const std::filesystem::path& path) {
  FLYBALL_ASSIGN(OpenedFile file, open_regular(path));
  std::shared_ptr<ByteSource> source(new ByteSource(path, std::move(file)));
  if (is_gzip(source->file_.descriptor.get())) FLYBALL_CHECK(source->inflate());
  return std::shared_ptr<const ByteSource>(std::move(source));
}

Status ByteSource::inflate() {
  const gzFile stream = ::gzdopen(::dup(file_.descriptor.get()), "rb");
  if (stream == nullptr) return file_error("read", path_, ENOMEM);
  uint8_t block[65536];
  int n = 0;
  while ((n = ::gzread(stream, block, sizeof block)) > 0 && content_.size() <= kLargestInflated)
    content_.insert(content_.end(), block, block + n);
  int code = Z_OK;
  std::string reason = ::gzerror(stream, &code);
  if (code == Z_ERRNO) reason = std::strerror(errno);
  const int closed = ::gzclose(stream);
  if (content_.size() > kLargestInflated)
    return Error{Code::corrupt, fmt::format("{} inflates to more than 1 GiB", path_.string()),
                 "inflate it with gunzip: a plain file of any size is read in place"};
  if (n < 0 || closed != Z_OK)
    return Error{Code::corrupt,
                 fmt::format("{} is a broken gzip file: {}", path_.string(),
                             reason.empty() ? "it ends too early" : reason),
                 "fetch it again"};
  inflated_ = true;
  return {};
}

Status ByteSource::read(uint64_t offset, std::span<uint8_t> out) const {
  if (!inflated_) return read_exactly(file_.descriptor.get(), path_, offset, out);
  if (offset > size() || out.size() > size() - offset)
    return Error{Code::corrupt,
                 fmt::format("{} ends at byte {} (inflated), {} were expected", path_.string(),
                             size(), offset + out.size()),
                 "the file is truncated: fetch it again"};
  std::copy_n(content_.data() + offset, out.size(), out.data());
  return {};
}

}  // namespace flyball
