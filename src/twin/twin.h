// A simulated board: discrete events of loader, launches and GPU over a network's layer table, with
// a model of what each rail draws. It simulates; whatever comes of it is Provenance::simulated.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cost/layer_table.h"
#include "cost/memory.h"
#include "space/axis.h"
#include "space/measurement.h"
#include "twin/board.h"
#include "twin/network.h"

namespace flyball {

/// How samples come to the network.
struct TwinData {
  double samples = 0;             ///< in an epoch; 0: the cache holds all of them from the start
  double sample_bytes = 0;        ///< of one sample as it is stored
  double preprocess_mcycles = 0;  ///< 10⁶ cycles of a Cortex-A78AE for one sample: decode, resize
  double input_bytes = 0;         ///< of one sample as the network takes it
  bool resident = false;          ///< batches lie ready in memory: nothing is loaded
  bool packed = false;            ///< samples lie in a few large files, not in a file each
  bool operator==(const TwinData&) const = default;
};

/// What runs: one phase of a network and its data. `layers` holds its table at two different batch
/// sizes; every other one follows (at_batch()). One table alone serves its own batch size only.
struct TwinWorkload {
  std::string name;
  std::vector<LayerTable> layers;
  TwinData data;
  double loader_workers = usual_loader_workers;  ///< where a configuration does not say
  bool half_precision = false;                   ///< autocast: half the bytes, twice the arithmetic
  /// Batch size and what a process keeps of its steps, in bytes, ascending, as `describe` tells;
  /// empty: estimated from the layers.
  std::vector<std::pair<double, double>> held{};
};
/// A workload by its name in tables ("resnet18", "bert-large"): layers and data of the papers'.
/// Errors: unknown names, phases that it has not; they list what there is.
Result<TwinWorkload> known_twin_workload(const std::string& name, Phase phase);
/// Of inference: requests are at hand, as those of the papers' services were, unless an axis of a
/// loader is chosen among.
void keep_requests_at_hand(TwinWorkload& workload, const std::vector<Axis>& axes);

/// Whose loader and dispatch are simulated.
enum class TwinStack { pytorch, flyball };

struct TwinConfiguration {
  PowerMode mode;  ///< an axis that is absent is at its highest
  double batch_size = usual_batch_size;
  double loader_workers = -1;        ///< 0: loaded inline; below 0: as the workload says
  double prefetch = usual_prefetch;  ///< batches ahead of each worker
  TwinStack stack = TwinStack::pytorch;
  std::string storage{};   ///< "ssd", "sd", "hdd": of the board; "": its first
  bool governors = false;  ///< clocks follow the load below the mode's (twin/governor.h)
  double other_cpu_mhz =
      0;  ///< where governors hold the clusters beside the main process's; 0: as the mode
};
/// Mode and run settings of a trial (batch_size, loader_workers, prefetch). Errors: settings that
/// the twin does not know.
Result<TwinConfiguration> twin_configuration(const Trial& trial);

struct TwinOptions {
  int minibatches = 40;
  uint64_t seed = 0;
  bool noise = true;            ///< of times and of power readings
  bool samples_differ = false;  ///< in what they take to prepare; with noise they do
  double cached = 1;            ///< share of the data set in the page cache at first; 0: dropped
  double most_cached = 1;       ///< share that it may hold at all
  double board_spread = 0;  ///< relative spread of boards of one kind; the seed draws this board
  double ambient_c = 25;    ///< with `thermal`
  bool thermal = false;     ///< leakage follows the temperature; else it is that of a warm board
};

/// Mean power of each rail, in the order of TwinBoard::rails, in W.
using TwinRailPower = std::array<double, twin_max_rails>;

struct TwinPower {
  TwinRailPower rail_w{};
  double module_w = 0;   ///< the module's total: no rail twice
  double monitor_w = 0;  ///< all labelled rails added, as the usual monitor does
};
/// Both totals of what the rails draw.
TwinPower twin_power(const TwinBoard& board, const TwinRailPower& rail_w);
/// Which total a simulated board's power is: "module" where rails make it, else the only rail, else
/// "monitor" (all labelled rails); "" where it has no rails.
std::string twin_power_total(const TwinBoard& board);
/// Why a simulated board tells no power; "" where it does.
std::string twin_power_gap(const TwinBoard& board);
/// The power of the total that a table names: "module", "monitor", a rail, or "" for the monitor's,
/// which tables are of that name none. Error: a total that the board has not.
Result<double> twin_power_of(const TwinBoard& board, const TwinPower& power,
                             const std::string& total);
/// The power of its own total (twin_power_total()), in W; 0 without rails.
double twin_total_w(const TwinBoard& board, const TwinPower& power);
/// Can the twin of this board tell that total? The error of `twin_power_of()` else.
Status check_twin_total(const TwinBoard& board, const std::string& total);
/// A board on which nothing computes.
struct TwinIdle {
  bool governors = false;  ///< clocks are at their lowest
  bool logging = false;    ///< a logger reads all its sensors once a second
};
/// What a board draws that computes nothing.
Result<TwinPower> idle_power(const TwinBoard& board, const PowerMode& mode,
                             const TwinIdle& idle = {});
/// What a meter between supply and wall tells while the module draws `module_w`; of 0 W: suspended.
/// Nothing where the board's file does not say.
std::optional<double> twin_plug_w(const TwinBoard& board, double module_w);

/// How busy the parts were, as shares of the time.
struct TwinUse {
  double cpu_cores = 0;  ///< cores that were busy, as a mean number
  double gpu = 0;        ///< a kernel was running
  double gpu_math = 0;   ///< of the arithmetic peak at this clock
  double memory = 0;     ///< of the bus at this clock
};

/// One minibatch as it happened. Times since the run began, in s.
struct TwinMinibatch {
  double begin_s = 0;  ///< the end of the one before
  double ready_s = 0;  ///< its data were there
  double end_s = 0;
  double compute_ms = 0;
  bool cold = false;                ///< storage was read for it
  double cpu_mhz = 0, gpu_mhz = 0;  ///< while it ran; the CPU's is the main process's
  double other_cpu_mhz = 0;         ///< of the other clusters; 0: there are none
  TwinRailPower rail_w{};           ///< mean over begin..end

  double stall_ms() const { return ready_s > begin_s ? (ready_s - begin_s) * 1e3 : 0; }
  double e2e_ms() const { return (end_s - begin_s) * 1e3; }
};

/// How many of so many minibatches are whole rounds of the loader's workers; all, where there is no
/// whole one.
size_t whole_rounds_of(size_t minibatches, double workers);

struct TwinRun {
  std::vector<TwinMinibatch> minibatches;  ///< the first one fills the pipeline: it is in it
  TwinPower power;                         ///< mean over the whole run
  TwinUse use;
  double cached = 1;  ///< share of the data set in the page cache at the end
  static constexpr Provenance provenance = Provenance::simulated;

  /// Medians and means over all but the first, as tables hold them.
  MinibatchTimes median() const;
  /// Mean of as many of the last ones as are whole rounds of the loader's workers, all but the
  /// first: workers that are behind deliver in bursts (245, 18, 18, 18 ms), of which a median tells
  /// now the one, now the other. 0 for less than two minibatches.
  double mean_ms(double workers) const;
  /// How many of the last ones those are.
  size_t whole_rounds(double workers) const;
};

/// A workload in one configuration on a board, minibatch after minibatch. Cheap to make and to
/// copy; the same seed gives the same minibatches.
class TwinStream {
 public:
  struct Inside;
  /// The main process takes it up no sooner than `not_before_s`; its loader goes on meanwhile.
  TwinMinibatch next(double not_before_s = 0);
  void end_epoch();         ///< before all samples were seen; the next() begins another one
  TwinPower power() const;  ///< mean since it began, without the time that it was not taken up
  TwinUse use() const;
  double memory_bytes() const;  ///< that its processes hold, LibTorch in it
  double cached() const;        ///< share of the set that the page cache holds
  double hits() const;          ///< of what this epoch reads, the share that comes from there
  ~TwinStream();
  TwinStream(TwinStream&&) noexcept;
  TwinStream& operator=(TwinStream&&) noexcept;

 private:
  friend class Twin;
  explicit TwinStream(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

/// One workload in one phase on one board, ready to be simulated. Safe to share between threads.
class Twin {
 public:
  /// Errors: no layers, layers that do not belong together, a phase or network out of range.
  static Result<Twin> make(const TwinBoard& board, TwinWorkload workload);

  const TwinBoard& board() const { return *board_; }
  const TwinWorkload& workload() const { return workload_; }

  /// Errors (invalid_argument): values that the board has not, an unknown storage, no core; more
  /// memory than the board has (infeasible), with how much is needed.
  Result<TwinRun> simulate(const TwinConfiguration& configuration,
                           const TwinOptions& options) const;
  Result<TwinStream> stream(const TwinConfiguration& configuration,
                            const TwinOptions& options) const;
  /// Time (ms) and monitor's power (W) of a minibatch in steady state, without noise, clocks
  /// pinned.
  struct Steady {
    MinibatchTimes times;
    TwinPower power;
    TwinUse use;
  };
  Result<Steady> steady(const TwinConfiguration& configuration) const;
  /// Does it fit into what the board leaves, and into `most_bytes`?
  MemoryNeed memory(const TwinConfiguration& configuration,
                    double most_bytes = std::numeric_limits<double>::infinity()) const;

 private:
  Twin() = default;
  std::shared_ptr<const TwinBoard> board_;
  std::shared_ptr<const TwinNetwork> network_;
  TwinWorkload workload_;
};

/// The same of parts that somebody holds already: what calibration asks for many constants.
Result<Twin::Steady> steady_twin(const TwinBoard& board, const TwinNetwork& network,
                                 const TwinWorkload& workload,
                                 const TwinConfiguration& configuration);

/// Two roles on one board at once.
enum class TwinSharing {
  interleaved,  ///< one workload on the GPU at a time: a window of training minibatches, then one
                ///< minibatch of requests
  shared,       ///< both submit when they like; the GPU slices time, the CPU cores are shared
};
struct TwinPairOptions {
  TwinSharing sharing = TwinSharing::interleaved;
  double arrival_per_s = 60;  ///< requests; they come evenly
  double seconds = 10;        ///< simulated
  uint64_t seed = 0;
  bool noise = true;
};
struct TwinPairRun {
  TwinRun train, serve;
  std::vector<double>
      latency_ms;          ///< of each served minibatch: its oldest request's wait + service
  TwinPower power;         ///< of the board, mean over the run
  TwinPower peak;          ///< while the hungrier role runs
  double train_per_s = 0;  ///< training minibatches
  double late = 0;         ///< requests that lacked an answer a window after their batch was full
};
/// `train` and `serve` are of one board; both configurations name the same mode. Errors as
/// simulate()'s, for the memory of both together.
Result<TwinPairRun> simulate_pair(const Twin& train, const TwinConfiguration& training,
                                  const Twin& serve, const TwinConfiguration& serving,
                                  const TwinPairOptions& options);

}  // namespace flyball
