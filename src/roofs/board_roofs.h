// What a board can do at most, and at what energy, in each of its power modes: measured by
// microbenchmarks (microbench/measure.h) or fitted over measured tables (table_roofs.h). Kept in
// the store as knowledge of that board.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "predict/roofline/roofline.h"
#include "profile/trials/idle_power.h"
#include "space/estimate.h"
#include "store/store.h"

namespace flyball {

/// A rate that was read several times; `best` is the roof, as in STREAM.
struct Rate {
  double best = 0, median = 0, q1 = 0, q3 = 0;  ///< per second
  double power_w = 0;                           ///< meanwhile; NaN where none is measured
};

struct MeasuredPeak {
  std::string isa, precision;  ///< as PeakKernel
  int bits = 0;
  Rate op;
};
struct MeasuredStream {
  std::string name;  ///< "triad", "copy", "read"
  double bytes = 0;  ///< of all its arrays
  Rate byte;
};
/// One place of the sweep: so many FLOP on each byte that is read.
struct SweepPoint {
  double intensity = 0;  ///< FLOP per byte
  Rate flop;
};

/// E = W·eps_flop + Q·eps_mem + pi0·T (predict/roofline/roofline.h).
struct EnergyConstants {
  Estimate eps_flop, eps_mem, pi0;  ///< J per FLOP, J per byte, W
  size_t samples = 0;
  double error_pct = 0;  ///< median |fit / observed − 1|
};
/// Nothing where there are less than six samples with energy, or they cannot tell the constants
/// apart. The intervals are those of a linear fit of relative errors (Student's t), cut off at 0.
std::optional<EnergyConstants> fit_energy(std::span<const RoofSample> samples);

/// One power mode.
struct ModeRoofs {
  PowerMode mode;   ///< as it was set; empty: the board as it was
  int threads = 0;  ///< that computed; 0: of a table
  double flop_per_s =
      0;  ///< fp32; of a table what its workloads attain, 0 where none is bound by it
  double bytes_per_s = 0;
  double launch_s = 0;  ///< of a parallel region; of a table what a minibatch takes at least
  std::vector<MeasuredPeak> peaks{};
  std::vector<MeasuredStream> streams{};
  std::vector<SweepPoint> sweep{};
  std::optional<IdlePower> idle{};
  std::optional<EnergyConstants> energy{};
  size_t samples = 0;    ///< of a table: workloads and batch sizes behind the time roofs
  double error_pct = 0;  ///< of a table: median |roof / observed − 1| of their times

  double balance() const { return bytes_per_s > 0 ? flop_per_s / bytes_per_s : 0; }
};

struct BoardRoofs {
  std::string device{}, title{}, fingerprint{};  ///< as in DeviceInfo
  Provenance provenance = Provenance::measured;  ///< else fitted: `table`, or `simulated`
  std::vector<std::string> sources{};            ///< titles of the tables
  std::string total{}, power_gap{};              ///< which total powers are, or why there is none
  std::optional<double> other_cores{};           ///< that other processes kept busy meanwhile
  std::string disturbed{};                       ///< who else measured; "" nobody
  std::string measured_utc{};
  std::vector<ModeRoofs> modes{};

  /// The mode with the highest of all settings (MAXN), or the board as it was; null for none.
  const ModeRoofs* highest() const;
  /// Those of this mode; null for none.
  const ModeRoofs* of(const Settings& mode) const;
  /// Over rows of a table, not by microbenchmarks.
  bool fitted() const { return provenance != Provenance::measured; }
  /// Over rows that nobody measured?
  bool made_up() const { return fitted() && provenance != Provenance::table; }
  /// "measured", "fitted", "simulated: fitted": as they are shown.
  std::string how_known() const;
};

Json roofs_json(const BoardRoofs& roofs);

/// Returns its number in the store. `command`: as it was typed.
Result<int64_t> keep_roofs(Store& store, const BoardRoofs& roofs, const std::string& command);

struct StoredRoofs {
  BoardRoofs roofs;
  int64_t run = 0;
};
/// Those measured of this store's board (fingerprint), of each mode the latest, with number, time
/// and what else the latest says; else those fitted of boards of this kind, over
/// measured rows before simulated ones, and these only where they are accepted. Nothing: none are
/// kept. Error: what is kept does not read.
Result<std::optional<StoredRoofs>> stored_roofs(Store& store, const std::string& device,
                                                const std::string& fingerprint,
                                                const Accepted& accepted);

}  // namespace flyball
