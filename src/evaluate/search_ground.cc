#include "evaluate/search_ground.h"

#include <fmt/format.h>

#include <algorithm>

#include "evaluate/references.h"
#include "predict/contradicted.h"
#include "problem/known_batches.h"

namespace flyball {

Result<SearchGround> prepare_ground(const SearchSweep& sweep) {
  SearchGround ground;
  std::vector<Space> spaces;
  const WorkloadTable& first = *sweep.tables[0];
  for (const WorkloadTable* table : sweep.tables) {
    FLYBALL_CHECK(check_one_board(first.title(), first.device, table->title(), table->device));
    if (table->phase == Phase::infer && sweep.kind != ProblemKind::training)
      FLYBALL_CHECK(check_batches(table->title(), table->space));
    ground.roles.push_back(role_of(*table));
    if (sweep.only_paper_modes) {
      FLYBALL_ASSIGN(Space space, paper_modes(table->space));
      spaces.push_back(std::move(space));
    } else {
      spaces.push_back(table->space);
    }
  }
  FLYBALL_ASSIGN(Candidates linked, Candidates::link(std::move(spaces)));
  ground.candidates = std::make_shared<const Candidates>(std::move(linked));
  FLYBALL_ASSIGN(ground.raw, readings_of(*ground.candidates, sweep.tables));
  ground.robust = ground.raw;
  for (size_t role = 0; role < sweep.tables.size(); ++role) {
    const WorkloadTable& table = *sweep.tables[role];
    const Space& space = ground.candidates->space(role);
    for (size_t row : suspicious_power(table)) {
      FLYBALL_ASSIGN(const auto values, space.to_row(table.space.settings(row)));
      if (const auto candidate = space.find(values)) ground.robust[role][*candidate] = {};
    }
  }
  return ground;
}

SearchOptions options_of(const SearchSweep& sweep) {
  SearchOptions options = sweep.options;
  if (sweep.references.empty()) return options;
  options.references.clear();
  for (const WorkloadTable* target : sweep.tables)
    options.references.push_back(std::make_shared<const std::vector<WorkloadTable>>(
        references_for(*target, sweep.references)));
  return options;
}

void SearchCounter::step() {
  const size_t done = ++done_;
  if (!sweep_.progress || (done % std::max<size_t>(1, all_ / 100) != 0 && done != all_)) return;
  const std::lock_guard lock(mutex_);
  sweep_.progress(done, all_);
}

}  // namespace flyball
