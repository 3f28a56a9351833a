// The steps of `flyball verify-board`, one after the other.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "device/registry/board.h"
#include "device/verify/knob_check.h"
#include "device/verify/verification.h"

namespace flyball {

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

/// The short tune of a tiny workload that the steps ask for, once the knobs are known to do what is
/// asked.
struct ShortTune {
  std::filesystem::path root = "/";
  std::vector<std::string> axes{};  ///< as --axis takes them: the only values that are set
  double trial_s = 10;
  size_t trials = 3;
};

class VerifySteps {
 public:
  /// `tell` is called with each step when it is done, `left` with what could not be put back when
  /// the board was closed.
  VerifySteps(std::filesystem::path root, bool quick, std::function<void(const CheckedStep&)> tell,
              std::function<void(const Error&)> left);

  /// All steps but the tune; the board is as it was afterwards. Errors: `interrupted`, somebody
  /// else holds the board, what could not be put back.
  Status check_board();
  /// The tune that is to be run then; what came of it is added as a step.
  ShortTune tune() const;
  void add(CheckedStep step);
  /// Did another process measure meanwhile (device/measuring.h)? "": none did.
  void check_alone(const std::string& others);
  /// Are the board's settings what they were at the beginning?
  void check_put_back();
  const Verification& finish();

 private:
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
  std::function<void(const Error&)> left_;
  Stopwatch whole_, step_;
  Verification done_;
  Presets presets_;
  PowerMode caps_;  ///< in force at the beginning
  BoardSettings before_;
  std::vector<std::string> axes_;  ///< of the tune: "gpu_mhz=408,612"
};

/// The preset that nvpmodel noted as the last that it set, whoever set a mode since; null where
/// that is not known.
const Preset* noted_preset(const Presets& presets);

}  // namespace flyball
