// A simulated board at work: training, serving and rest in turns, on its own clock. What is watched
// and recorded where there is no board.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "twin/twin.h"

namespace flyball {

/// One network runs for so long, or nothing does.
struct WorkStage {
  std::string network{};  ///< "": rest
  Phase phase = Phase::train;
  double batch_size = usual_batch_size, seconds = 60;
};

struct WorkOptions {
  uint64_t seed = 0;
  double cached = 1;     ///< share of the data set in the page cache when a stage begins
  bool thermal = false;  ///< leakage follows the temperature
  bool logging = false;  ///< a logger reads all sensors, also while the board rests
  /// The mode of a stage, by its number from 0 on; empty: the highest.
  std::function<PowerMode(size_t number)> mode{};
};

/// What the board does, the same until `end_s`.
struct WorkPiece {
  double end_s = 0;
  TwinRailPower rail_w{};
  double cpu_mhz = 0, gpu_mhz = 0;     ///< 0: it has no such clock
  double cpu_cores = 0, gpu_busy = 0;  ///< cores that are busy; share of the time
};

class BoardAtWork {
 public:
  /// The stages follow each other, the first behind the last.
  BoardAtWork(TwinBoard board, std::vector<WorkStage> stages, WorkOptions options);

  /// What it does at a time, which is no earlier than any that was asked for. Errors: those of a
  /// twin, e.g. a network that does not fit into its memory.
  Result<WorkPiece> at(double at_s);
  /// The stage at that time, how many began before it, and when it began.
  const WorkStage& stage() const { return stages_[number_ % stages_.size()]; }
  size_t stage_number() const { return number_; }
  double stage_begin_s() const { return begin_s_; }
  const PowerMode& mode() const { return mode_; }
  const TwinBoard& board() const { return board_; }
  /// The stage begins anew, in the mode that the options name now.
  void restart(double at_s);
  /// What the network holds, and the share of its data that the page cache holds; 0 at rest.
  double memory_bytes() const { return running_ ? running_->stream.memory_bytes() : 0; }
  double page_cache_bytes() const;

 private:
  struct Running {
    TwinStream stream;
    double data_bytes = 0;  ///< of the data set
    TwinMinibatch minibatch{};
    TwinUse use{};   ///< since the stage began
    TwinUse busy{};  ///< of this minibatch
  };
  Status begin_stage(double begin_s);
  void next_minibatch();
  WorkPiece rest() const;

  TwinBoard board_;
  std::vector<WorkStage> stages_;
  WorkOptions options_;
  PowerMode mode_;
  TwinRailPower idle_w_{};
  std::optional<Running> running_;
  size_t number_ = 0;
  bool began_ = false;
  double begin_s_ = 0, end_s_ = 0;  ///< of the stage
};

/// How warm the board is that draws so much.
class BoardHeat {
 public:
  static constexpr double ambient_c = 25;
  void follow(const TwinBoard& board, const TwinRailPower& rail_w, double seconds);
  double celsius() const { return celsius_; }

 private:
  double celsius_ = ambient_c;
};

}  // namespace flyball
