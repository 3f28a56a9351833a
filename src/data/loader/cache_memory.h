// Memory for a cache: of this process alone, or shared by name with others of the same user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"

namespace flyball {

/// A head that is there from the start and a body that is reserved piece by piece, so that memory
/// that cannot be had is an answer, and never a signal (SIGBUS) where it is touched first.
///
/// Memory that is shared is a file in /dev/shm. Each user holds the kernel's lock (F_OFD_SETLK) on
/// one byte of it, as its number says, and loses it when it ends, in whatever way: who lives is
/// known without trusting what anybody wrote. The last one to leave removes the file. What killed
/// users left behind has no users: the next start begins such a file anew, and removes those of
/// other names.
class CacheMemory {
 public:
  struct Plan {
    uint64_t head_bytes = 0;  ///< of the caller's head, zeros at first
    uint64_t body_bytes = 0;  ///< at most
    /// Asked before memory is begun, not where it is joined: is there enough of it?
    std::function<Status()> may_begin{};
    /// Writes the head of new memory; nobody else sees it before.
    std::function<void(std::byte* head)> prepare{};
    /// Is the head of memory that is joined a sound one?
    std::function<bool(const std::byte* head)> sound{};
    std::filesystem::path folder = "/dev/shm";  ///< of shared memory
    std::string prefix = "flyball-cache-";      ///< of its files' names, before user and `name`
    std::string name{};                         ///< which memory it is, e.g. a digest
  };

  /// Of this process alone. Error: none can be had.
  static Result<std::unique_ptr<CacheMemory>> own(const Plan& plan);
  /// Joins the memory of this name, with the sizes that it has, or begins it. Errors, after which
  /// own() is what is left: `permission` when the name is taken by what another user put there or
  /// others may write to; no such folder, or no room in it for the head; `corrupt` when those who
  /// share it are of another build; `conflict` when too many share it, or one of them hangs.
  static Result<std::unique_ptr<CacheMemory>> shared(const Plan& plan);
  ~CacheMemory();
  CacheMemory(const CacheMemory&) = delete;
  CacheMemory& operator=(const CacheMemory&) = delete;

  std::byte* head() const;  ///< aligned to 64 bytes
  std::byte* body() const;
  uint64_t body_bytes() const { return body_bytes_; }
  /// Makes sure that the body can be used up to `end`, for all who share it; false: no memory.
  bool reserve(uint64_t end);
  /// Bytes that head and body take up now.
  uint64_t taken_bytes() const;

  bool is_shared() const { return !file_.empty(); }
  bool joined() const { return joined_; }  ///< was it there, with others who live?
  /// This user's number, from 1 on. Who gets the number of a dead one finds what he left.
  int user() const { return user_; }
  bool alive(int user) const;
  int users() const;                                           ///< that live, this one included
  const std::filesystem::path& file() const { return file_; }  ///< "" when not shared

 private:
  CacheMemory() = default;
  Status begin_or_join(const Plan& plan);
  Status begin(const Plan& plan);
  Status join(const Plan& plan);
  Status map(uint64_t bytes);
  Status take_number();

  int fd_ = -1;
  std::byte* memory_ = nullptr;
  uint64_t mapped_ = 0, body_at_ = 0, body_bytes_ = 0;
  int user_ = 1;
  bool joined_ = false;
  std::filesystem::path file_;
};

}  // namespace flyball
