#include "telemetry/process/output_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace flyball {
namespace {

constexpr int kPauseMs = 20;
constexpr int kRoundsPerLook = 64;
constexpr int kPipeBytes = 1 << 20;  // what fits between two looks; less where the kernel says so

}  // namespace

Result<std::unique_ptr<OutputLog>> OutputLog::open(size_t keep) {
  int ends[2];
  const int wake = ::eventfd(0, EFD_CLOEXEC);
  if (wake < 0 || ::pipe2(ends, O_CLOEXEC) != 0) {
    const int reason = errno;
    if (wake >= 0) ::close(wake);
    return Error{
        Code::io,
        fmt::format("cannot make a pipe for a program's output: {}", std::strerror(reason)),
        "are too many files open?"};
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
  return std::unique_ptr<OutputLog>(new OutputLog(ends[0], ends[1], wake, keep));
}

OutputLog::OutputLog(int read_end, int write_end, int wake, size_t keep)
    : read_end_(read_end), write_end_(write_end), wake_(wake), keep_(keep) {
  thread_ = std::thread([this] { run(); });
}

OutputLog::~OutputLog() {
  const uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
  thread_.join();
  for (int end : {read_end_, write_end_, wake_}) ::close(end);
}

void OutputLog::run() {
  while (true) {
    pollfd ready[] = {{wake_, POLLIN, 0}, {read_end_, POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR) return;
    if (ready[0].revents != 0) return;
    drain();
    if (::poll(ready, 1, kPauseMs) > 0) return;
  }
}

void OutputLog::drain() {
  const std::lock_guard lock(mutex_);
  char buffer[65536];
  // Not for ever, if it prints faster than this.
  for (int round = 0; round < kRoundsPerLook; ++round) {
    const ssize_t n = ::read(read_end_, buffer, sizeof buffer);
    if (n <= 0) return;
    kept_.append(buffer, static_cast<size_t>(n));
    if (kept_.size() < 2 * keep_) continue;
    dropped_ += kept_.size() - keep_;
    kept_.erase(0, kept_.size() - keep_);
  }
}

std::string OutputLog::text() {
  drain();
  const std::lock_guard lock(mutex_);
  if (dropped_ == 0 && kept_.size() <= keep_) return kept_;
  const size_t surplus = kept_.size() - std::min(keep_, kept_.size());
  const size_t line_end = kept_.find('\n', surplus);
  const size_t begin = line_end == std::string::npos ? surplus : line_end + 1;
  return fmt::format("[the first {} bytes of the output were dropped]\n", dropped_ + begin) +
         kept_.substr(begin);
}

}  // namespace flyball
