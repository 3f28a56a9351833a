// Boards of one kind in a fleet: what each of their power modes takes for a minibatch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/compared_network.h"
#include "device/registry/board.h"
#include "space/table.h"
#include "store/store.h"

namespace flyball {

struct FleetMode {
  Settings config;
  double minibatch_ms = 0, power_w = 0;
  Provenance known = Provenance::simulated;
};

struct FleetKind {
  std::string name;   ///< "orin_agx": as everywhere in Flyball
  std::string title;  ///< "Jetson AGX Orin (simulated)"
  size_t boards = 0;
  std::optional<double> idle_w{};  ///< of a board that computes nothing, in its lowest mode
  std::string power_total{};
  size_t known_modes = 0;          ///< that the front is of
  std::vector<FleetMode> front{};  ///< no mode is faster with less power; ascending in power
  FleetMode maxn{};  ///< each axis at its highest; the fastest where no such mode is known
  std::vector<std::string> notes{};
};

/// What each board trains.
struct FleetTraining {
  ComparedNetwork network;
  double batch_size = usual_batch_size, loader_workers = usual_loader_workers;
  double prefetch = usual_prefetch;
  Accepted accepted{};  ///< of tables and of the store, besides what was measured
};

/// Its front and its MAXN, of the modes that are known.
void set_front(FleetKind& kind, const std::vector<FleetMode>& modes);

/// Over a grid of its modes, 7 values of each axis at most. Errors: the training does not fit its
/// memory; its power is not known.
Result<FleetKind> simulated_kind(const TwinBoard& board, const std::string& title,
                                 const FleetTraining& training);
/// Of the only board that the table holds this training of. Errors: there is none, or several.
Result<FleetKind> tabled_kind(const Table& table, const FleetTraining& training);
/// Error: the store holds no training of it with power there.
Result<FleetKind> stored_kind(Store& store, const std::string& name, const FleetTraining& training);

}  // namespace flyball
