// What a search would measure and set, said before it starts: nothing is measured, set or written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answers/request.h"
#include "base/json_fwd.h"
#include "tune/shared_board.h"

namespace flyball {

struct DryRunRole {
  std::string workload;
  Phase phase = Phase::train;
  size_t configurations = 0;  ///< to choose from
  size_t held = 0;            ///< of these the store holds under the same conditions
};

/// A cost, and how it is known.
struct CostAhead {
  std::optional<double> value;  ///< nothing: not known
  std::string known;            ///< "by 12 stored trials, whose median took 8.1 s"
};

/// So many times what was stored costs in the median.
CostAhead cost_ahead(const std::vector<double>& stored, size_t wanted, const char* what,
                     const char* unit);

struct DryRun {
  std::string device, title;
  std::string compared;  ///< the presets that it is compared with, or that they are not known
  std::vector<DryRunRole> roles;  ///< none: nothing can be asked
  std::vector<Axis> axes;         ///< of all roles, each once with the values of any
  size_t profiles = 0;            ///< at most
  size_t trials = 0;  ///< at most, but for readings that are repeated since others contradict them
  size_t verifications = 0;  ///< of these at most so many measure the answer or the default again
  bool repeats = false;      ///< may such readings be repeated?
  bool sets = false;         ///< is a board's mode set, a simulated one's as well?
  CostAhead seconds, joules;
  std::vector<std::string> notes;
};

/// Of a search for `problem`, which make_problem() or tune_problem() made of the request, or of so
/// many `searches` that differ in their arrival rate. `store` may be null. Errors: those that the
/// search itself would begin with.
Result<DryRun> dry_run(const SharedBoard& board, Store* store, const Request& request,
                       const std::shared_ptr<const Problem>& problem, size_t searches = 1);

/// The keys of docs/json.md.
Json to_json(const DryRun& dry);
/// For people, ending with a line end.
std::string dry_run_text(const DryRun& dry);

}  // namespace flyball
