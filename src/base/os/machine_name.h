// A name on this machine that one living process has, whoever its user is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace flyball {

/// An abstract Unix socket that nobody connects to: it needs no folder and no rights, leaves
/// nothing behind, and the kernel takes it back when its process ends, in whatever way. It is seen
/// within one network namespace: a container with a network of its own is another machine.
class MachineName {
 public:
  /// Errors: `conflict` where a process has it; the kernel has no such sockets; longer than 100
  /// bytes.
  static Result<MachineName> take(const std::string& name);
  /// Those in use that begin so, sorted.
  static std::vector<std::string> in_use(const std::string& beginning);

  MachineName(MachineName&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  MachineName& operator=(MachineName&&) = delete;
  ~MachineName();

 private:
  explicit MachineName(int socket) : socket_(socket) {}
  int socket_;
};

}  // namespace flyball
