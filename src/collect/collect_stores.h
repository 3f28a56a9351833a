// Many stores into one, several at a time: what was taken of each, and why not.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "collect/collect.h"

namespace flyball {

/// A store as CollectTarget::take() takes it.
struct CollectSource {
  std::string place;
  std::string board;  ///< whose it is; "": a board of its own
};

/// Of one store: what was taken, or why not.
struct CollectOutcome {
  std::string source;
  std::optional<Collected> taken{};
  std::optional<Error> error{};
};

struct CollectRun {
  size_t jobs = 1;                               ///< stores at a time, each by its own connection
  const std::atomic<bool>* cancelled = nullptr;  ///< stores that are not begun by then are left
  /// Told after each store, one at a time; may be empty.
  std::function<void(size_t done, size_t all, const std::string& source)> told{};
};

/// One damaged store keeps nobody else's out. Error: the target does not open.
Result<std::vector<CollectOutcome>> collect_stores(const std::vector<CollectSource>& sources,
                                                   const std::string& into, const CollectRun& run);
/// The keys of docs/json.md, without `schema`.
Json to_json(const std::vector<CollectOutcome>& outcomes, const std::string& into);

}  // namespace flyball
