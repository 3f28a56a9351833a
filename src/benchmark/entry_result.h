// What came of one entry of the benchmark on one board.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/definition.h"
#include "space/measurement.h"

namespace flyball {

/// One epoch. What a simulation does not know (loss, quality) is nothing.
struct BenchmarkEpoch {
  double e2e_s = 0, stall_s = 0, compute_s = 0, overhead_s = 0;
  std::optional<double> loss, quality;   ///< quality: of the held-out part, judged after the epoch
  std::optional<double> others_cpu_pct;  ///< of one core, that other programs took meanwhile
};

/// Power while it trained on, without a pause, after the target was reached.
struct BenchmarkPower {
  std::string total;                 ///< which sum of sensors it is; "" where there is none
  std::string gap;                   ///< why there is none; "" where there is one
  std::vector<std::string> sensors;  ///< that add up to it
  double begin_s = 0, end_s = 0;     ///< of the window, since the training began
  double trained_s = 0;              ///< without a pause before the window
  double mean_w = 0, energy_j = 0;   ///< of the window
  int updates = 0;                   ///< new values that the sensors showed in it
  /// Time since the training began (s), and mean power since the sample before (W).
  std::vector<std::pair<double, double>> samples;
};

/// How an entry was trained, where that is free.
struct FreeSettings {
  std::string compute = "cpu";  ///< "cpu", "cuda:0"
  int workers = 0, prefetch = usual_prefetch, threads = 0;
  Precision precision = Precision::fp32;
};

struct EntryResult {
  BenchmarkEntry entry;  ///< as it was trained
  FreeSettings settings;
  Provenance provenance = Provenance::measured;
  std::string flyball{};     ///< version of the program that trained it; "": as of the result
  std::string libraries;     ///< "LibTorch 1.13.1"; "" where it was simulated
  int64_t test_samples = 0;  ///< of the held-out part
  std::vector<BenchmarkEpoch> epochs;
  BenchmarkPower power;
  std::vector<std::string> throttled;  ///< what slowed the board down
  bool watched = false;                ///< a sensor would have told that
  std::string disturbed;               ///< who else measured on this machine; "" nobody
  std::string failure;                 ///< why it has no epochs; "" where it has

  /// Epochs until the held-out part was as good as the target; nothing where it never was.
  std::optional<int> epochs_to_target() const;
  /// Of all epochs, weighted by their time; nothing where the kernel does not tell.
  std::optional<double> others_cpu_pct() const;
  /// Their time, judging aside.
  std::optional<double> time_to_target_s() const;
  /// Median of all epochs but the first (of one: that one); nothing where there is none.
  std::optional<double> epoch_s() const;
  /// Mean power for so long; nothing where either is not known.
  std::optional<double> energy_to_target_j() const;
  std::optional<double> epoch_j() const;
};

}  // namespace flyball
