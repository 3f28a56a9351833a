// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace flyball {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  /// For whoever closes it from now on.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;  ///< negative: none
};

}  // namespace flyball
