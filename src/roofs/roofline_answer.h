// What `flyball roofline` answers: the roofs of a board, workloads under them, and what the modes
// say of energy.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "roofs/bindings.h"
#include "roofs/energy_cases.h"
#include "roofs/roof_choice.h"
#include "roofs/table_roofs.h"

namespace flyball {

struct RooflineRequest {
  std::vector<std::string> workloads{};  ///< none: all of the tables
  Phase phase = Phase::infer;            ///< of a live board; a table says its own
  std::vector<double> batches{};         ///< none: those of the tables, 1 on a live board
  CountRules rules = CountRules::exact;
  std::string command{};
};

struct RooflineAnswer {
  RooflineRequest request{};
  BoardRoofs roofs{};
  std::optional<int64_t> roofs_run{};  ///< in the store
  std::vector<BoundWorkload> bound{};
  std::vector<EnergyCase> cases{};
  std::vector<std::optional<RoofChoice>> choices{};  ///< of the cases, in their order
  BalanceVerdict balance{};
  std::vector<std::string> verdicts{}, notes{};
  std::vector<WorkloadTable> tables{};  ///< of the asked workloads
};

/// Over measured tables of one board: its roofs fitted over all of them, each asked workload and
/// batch size in the highest mode and in the one of least energy. Errors: fit_table_roofs(); a
/// workload, or a batch size of the asked workloads, that no table holds.
Result<RooflineAnswer> roofline_of_tables(const RooflineRequest& request,
                                          std::span<const WorkloadTable> tables);

/// Over the kept roofs of a live board, each workload and batch size in each mode of them, with
/// what `measured` holds of it. Errors: no workload; one whose work is not known.
Result<RooflineAnswer> roofline_of_board(const RooflineRequest& request, const StoredRoofs& roofs,
                                         std::span<const StoredMeasurement> measured);

Json roofline_json(const RooflineAnswer& answer);

}  // namespace flyball
