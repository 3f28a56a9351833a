// `flyball verify-board`: what was checked of a board, and what came of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "boards/identity.h"
#include "space/axis.h"

namespace flyball {

enum class Verdict { passed, failed, left_out };
const char* verdict_name(Verdict verdict);  ///< "passed", "failed", "left out"

struct CheckedStep {
  std::string name;  ///< "board", "knob gpu_mhz", "rails", …
  Verdict verdict = Verdict::passed;
  std::string found{};                 ///< what was found, in a line; why it failed or was left out
  std::vector<std::string> details{};  ///< one by one, where there are several
  std::string hint{};                  ///< the remedy of what did not pass
  double seconds = 0;
};

/// A value that a knob was set to.
struct TriedValue {
  double asked = 0;
  std::optional<double> read_back;  ///< nothing: it could not be set, or does not read
  std::optional<double> clock;      ///< what the clock read then, where the board tells
  double set_ms = 0;                ///< until it was set and read back
  std::string failure{};            ///< "" where it took
};

struct KnobCheck {
  std::string axis, unit;
  double ceiling = 0;  ///< no value above it was set
  std::vector<TriedValue> values;
  bool restored = false;
};

struct RailCheck {
  std::string name, total;  ///< the total that it is part of; "" none
  double power_w = 0, least_w = 0, most_w = 0;
  size_t readings = 0, changes = 0;
  std::optional<double> tegrastats_w{};    ///< what NVIDIA's tool said meanwhile
  std::optional<double> difference_pct{};  ///< ours against that
};

struct Verification {
  BoardIdentity board;
  bool tree = false;  ///< of files alone, without a kernel behind them
  bool quick = false;
  std::string started_utc;
  double seconds = 0;
  std::vector<CheckedStep> steps;
  std::vector<KnobCheck> knobs;
  std::vector<RailCheck> rails;

  size_t count(Verdict verdict) const;
};

/// The document without the key of its bundle (docs/json.md).
Json verification_json(const Verification& verification);
/// A step as a person reads it: verdict, name, what was found; below it the hint.
std::string step_text(const CheckedStep& step);

}  // namespace flyball
