// The profiles that a run of `flyball serve` is planned with: of tables, or of the store.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "device/registry/board.h"
#include "schedule/serving/serve_request.h"
#include "store/store.h"

namespace flyball {

/// Where profiles come from.
struct ProfileSource {
  std::vector<std::string> files{};  ///< tables; empty: live the store, else all of the board is
  /// Of one workload in a file the rows that count.
  std::function<Result<WorkloadTable>(const std::string& file, const std::string& workload, Phase)>
      read{};
  std::function<Result<Store>()> store{};  ///< opens it; empty: nothing of it
  bool of_networks = true;  ///< which `flyball plan` profiles; else of programs of the user's own
};

/// Of the named tables, one for each role of the board; empty where none are named.
Result<std::vector<WorkloadTable>> tables_of_profiles(const ProfileSource& source,
                                                      const SharedBoard& shared);

/// What `measure` needs of a plan: modes that nobody profiled, and a switch that a gap can hold.
Status check_measure(const ServeRequest& request, const ProfileSource& source,
                     const ServingPlan& plan, double switch_ms);

/// The board that serves, and of which total its power is; "" where it tells none.
struct ServedBoard {
  BoardInfo info;
  std::string power_total;
  Settings fixed{};  ///< of its modes what cannot be set for whoever computes
};

/// Plans for networks that are served live, from the named tables or the store's measurements
/// of this board. Nothing where there are none, or more roles than a plan takes; `notes` says
/// which. With a power budget these are errors. Takes over its loader's workers and batch of
/// training, where the user named none. Errors: tables of another board, or of another power total.
Result<std::optional<ServingPlan>> plan_live(ServeRequest& request, const ProfileSource& source,
                                             const ServedBoard& board, const Device* knobs,
                                             std::vector<std::string>& notes);

}  // namespace flyball
