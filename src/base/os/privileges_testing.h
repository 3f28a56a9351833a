// Tests of what a user may not do, also where they run as root.
#pragma once

#include <unistd.h>

namespace flyball {

/// While it lives, file permissions bind this process although it may run as root.
class WithoutPrivileges {
 public:
  WithoutPrivileges() : before_(::geteuid()) { effective_ = before_ != 0 || ::seteuid(65534) == 0; }
  ~WithoutPrivileges() { (void)!::seteuid(before_); }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;
  bool effective() const { return effective_; }

 private:
  uid_t before_;
  bool effective_;
};

}  // namespace flyball
