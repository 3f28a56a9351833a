// The steps of `flyball verify-board`, one after the other.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "device/doctor/knob_check.h"
#include "device/doctor/verification.h"
#include "device/registry/board.h"

namespace flyball::cli {

/// How long it looks at each thing.
struct VerifyDurations {
  size_t values = 3;    ///< of each knob
  double stay_s = 1;    ///< that a value must stand
  double settle_s = 5;  ///< before rails are watched
  double rails_s = 15;  ///< that they are watched
  double trial_s = 10;  ///< a trial of the tune, at most
  size_t trials = 3;    ///< of the tune, at most
  static VerifyDurations of(bool quick);
  /// All of it, about: for so many knobs.
  double seconds(size_t knobs) const;
};

class VerifySteps {
 public:
  /// `tell` hears each step when it is done.
  VerifySteps(std::filesystem::path root, bool quick, std::function<void(const CheckedStep&)> tell);

  /// All steps but the tune; the board is as it was afterwards. Errors: `interrupted`, somebody
  /// else holds the board, what could not be put back.
  Status check_board();
  /// One short tune of a tiny workload. Errors: `interrupted`.
  Status check_tune();
  /// Did another process measure meanwhile (device/measuring.h)? "": none did.
  void check_alone(const std::string& others);
  /// Are the board's settings what they were at the beginning?
  void check_put_back();
  const Verification& finish();

 private:
  void add(CheckedStep step);
  void check_identity();
  void check_axes();
  void check_gap(const AxisGap& gap);
  Status check_knobs();
  Status check_one_knob(Device& device, const AxisState& axis);
  /// The tune chooses among these values of the axis.
  void open_in_tune(const AxisState& axis, std::vector<double> values);
  Status check_rails();
  void add_rails_step(const std::vector<std::string>& gaps, const std::string& total);
  void check_presets();
  void check_nvpmodel();
  void check_temperatures();
  double ceiling_of(const AxisState& axis) const;

  std::filesystem::path root_;
  VerifyDurations durations_;
  std::function<void(const CheckedStep&)> tell_;
  Stopwatch whole_, step_;
  Verification done_;
  Presets presets_;
  PowerMode caps_;  ///< in force at the beginning
  BoardSettings before_;
  std::vector<std::string> axes_;  ///< of the tune: "gpu_mhz=408,612"
};

/// The preset that is in force, as nvpmodel noted; null where that is not known.
const Preset* active_preset(const Presets& presets);

}  // namespace flyball::cli
