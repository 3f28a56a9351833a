// What the bodies of all connections may hold together. A lease is taken before bytes are kept.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace flyball {

/// Thread-safe.
class BodyBudget {
 public:
  explicit BodyBudget(size_t bytes) : bytes_(bytes) {}
  bool take(size_t bytes) {
    size_t held = held_;
    while (bytes <= bytes_ - held)
      if (held_.compare_exchange_weak(held, held + bytes)) return true;
    return false;
  }
  void give_back(size_t bytes) { held_ -= bytes; }
  size_t left() const { return bytes_ - held_; }

 private:
  const size_t bytes_;
  std::atomic<size_t> held_ = 0;
};

/// What one request holds. The first 64 KiB are its own (connections are limited, too), so a small
/// request never waits for the budget. One thread at a time.
class BodyLease {
 public:
  static constexpr size_t own_bytes = 64 << 10;

  explicit BodyLease(BodyBudget& budget) : budget_(budget) {}
  ~BodyLease() { hold(0); }
  BodyLease(const BodyLease&) = delete;
  BodyLease& operator=(const BodyLease&) = delete;

  /// Holds so many bytes from now on; false, and as before, where the budget has no room.
  bool hold(size_t bytes) {
    const size_t wanted = std::max(bytes, own_bytes) - own_bytes;
    if (wanted > leased_ && !budget_.take(wanted - leased_)) return false;
    if (wanted < leased_) budget_.give_back(leased_ - wanted);
    leased_ = wanted;
    return true;
  }

 private:
  BodyBudget& budget_;
  size_t leased_ = 0;
};

}  // namespace flyball
