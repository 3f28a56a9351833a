// What a board costs beside its work, as the store keeps it: idle power of its modes, and what a
// change of mode takes. Each measurement is a fact of the board (store/board_fact.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "answers/idle_share.h"
#include "base/json_fwd.h"
#include "device/registry/board.h"
#include "profile/trials/idle_power.h"
#include "profile/trials/switch_cost.h"
#include "store/store.h"

namespace flyball {

Json idle_json(const IdlePower& idle);
/// Throws as SortedJson does where it is not what idle_json() writes.
IdlePower read_idle(const Json& json);
Json switch_cost_json(const SwitchCost& cost);

/// Returns its number in the store. `command`: as it was typed.
Result<int64_t> keep_idle(Store& store, const IdlePower& idle, const std::string& command);
Result<int64_t> keep_switch_cost(Store& store, const SwitchCost& cost, const std::string& command);

struct StoredIdle {
  IdlePower idle;
  int64_t run = 0;      ///< 0: simulated, and kept nowhere
  std::string board{};  ///< whose it is: as in StoredMeasurement
};
struct StoredSwitchCost {
  SwitchCost cost;
  int64_t run = 0;
  std::string board{};  ///< likewise

  /// Of the board of this fingerprint, whose store this is?
  bool of_this_board(const std::string& fingerprint) const;
};

/// What the store holds of idle power and changes of mode; latest first.
struct BoardCosts {
  std::vector<StoredIdle> idle;
  std::vector<StoredSwitchCost> switches;

  /// Of the board whose measurements have this fingerprint (what stands behind it about where a
  /// network computes does not matter), of this total. Boards of one kind have one fingerprint:
  /// `board` says whose it is, as in StoredMeasurement; "": this store's. Null: not measured.
  const StoredIdle* idle_of(const std::string& fingerprint, const std::string& total,
                            const PowerMode& mode, const std::string& board = "") const;
  /// The same of this store's board as it is, by the caps in force and whether they are pinned.
  const StoredIdle* idle_as_it_is(const std::string& fingerprint, const std::string& total,
                                  const PowerMode& caps, std::optional<bool> pinned) const;
  /// The same of boards of one kind ("orin_agx"), for tables, whose board left no fingerprint.
  const StoredIdle* idle_of_kind(const std::string& device, const std::string& total,
                                 const PowerMode& mode) const;
  /// The latest of this store's board, else of one of its kind. Null: not measured.
  const StoredSwitchCost* switch_cost_of(const std::string& device,
                                         const std::string& fingerprint) const;
};
Result<BoardCosts> board_costs(Store& store);

/// Adds the modes of this run's trials, each once. Error: neither are there any, nor modes before.
Status add_trial_modes(Store& store, int64_t run, std::vector<PowerMode>& modes);
/// What a simulated board draws in these modes. Errors: it has no rails that tell its power, or not
/// such a mode.
Result<std::vector<IdlePower>> simulated_idle(const Board& board,
                                              const std::vector<PowerMode>& modes);
/// Of the mode that this board is in now; nothing where it was not measured.
Result<std::optional<StoredIdle>> idle_of_present_mode(Store& store, const Board& board,
                                                       const std::filesystem::path& root,
                                                       const std::string& total);

/// ", before power had settled, beside process 12": why it deserves doubt; "" where nothing says
/// so.
std::string idle_doubts(const IdlePower& idle);
/// Of a power that was read in its mode.
IdleShare idle_share(const StoredIdle& idle, double power_w);

}  // namespace flyball
