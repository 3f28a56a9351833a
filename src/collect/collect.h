// Stores of many boards into one: each run and each row exactly once, however often and by however
// many processes it is asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/status.h"

namespace flyball {

/// What became of one store.
struct Collected {
  std::string source;       ///< as it was named
  std::string store;        ///< its identity: 32 hexadecimal digits
  size_t new_runs = 0;      ///< were not in the target
  size_t changed_runs = 0;  ///< were there, and have gone on since
  size_t known_runs = 0;    ///< were there as they are
  size_t running_runs = 0;  ///< still run: left for the next time
  size_t measurements = 0;  ///< rows written to the target, as the next two
  size_t experiment_runs = 0;
  size_t facts = 0;  ///< of boards
};

/// The store that others are collected into: itself a store, in which runs have new numbers and
/// keep where they come from (the source's identity and its number of the run; likewise for rows).
class CollectTarget {
 public:
  /// Opens or makes it: a file or folder as Store::open() takes it, or a database of PostgreSQL:
  /// "postgresql://HOST/DATABASE" or "service=NAME". Errors: invalid_argument (a password in it),
  /// unavailable (no libpq, no server), and those of Store::open().
  static Result<CollectTarget> open(const std::string& place);
  /// The same, but a file that is not there is made when the first source has been opened: where
  /// none can be read, nothing is left. That it cannot be made take() tells then.
  static Result<CollectTarget> open_or_make_later(const std::string& place);
  CollectTarget(CollectTarget&&) noexcept;
  ~CollectTarget();

  /// Takes in what it does not have yet, a run in a transaction each: may be stopped at any moment
  /// and asked for again. `source`: a file or folder, or "[USER@]HOST:PATH", which is read by ssh
  /// through the `flyball` there. A source of an older Flyball is brought up to date, as opening
  /// it does. `board`: whose store it is; stores of one board are told as one; "": the store is a
  /// board of its own. Error also invalid_argument: two stores of one identity, of which one is a
  /// copy.
  Result<Collected> take(const std::string& source, const std::string& board = "");

 private:
  struct Impl;
  explicit CollectTarget(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace flyball
