// A board as Flyball sees it: what can be set, what was set, and how it is put back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/axis.h"
#include "space/conditions.h"

namespace flyball {

/// Who a measurement belongs to.
struct DeviceInfo {
  std::string name;         ///< as in tables: "host", "orin_agx", …
  std::string title;        ///< for people: board or CPU model
  std::string fingerprint;  ///< board, cores, kernel: equal fingerprints mean comparable numbers
  /// What stays as it is while modes change: governors, DVFS, fan, idle states (fixed_settings.h).
  Conditions settings{};
};

/// An axis that the board has.
struct AxisState {
  Axis axis;             ///< with its legal values
  bool settable = true;  ///< else a gap says why not
  /// It binds this process and what it starts alone (cores by affinity): nobody can set it for
  /// another one.
  bool own = false;
  /// It is set only for those who ask for it by name, and no space holds it of itself: to lock the
  /// clocks of a GPU changes a machine that was asked for its cores alone.
  bool asked = false;
  /// A clock that was lowered and did not rise again (old releases) stays here until a reboot.
  std::optional<double> stays_at{};
};

/// Why axes that one might expect are missing, or set less than they could be.
struct AxisGap {
  std::vector<std::string> axes{};  ///< empty: all that the board might have
  Error why;                        ///< with the remedy

  bool concerns(const std::string& axis) const;
  std::string text() const;  ///< "why; remedy"
};

/// Knobs of one board. Settings are read back after they are set, and put back by restore(), which
/// the destructor calls too; who does it after a crash stands in journal.h.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual std::vector<AxisState> states() const = 0;
  virtual std::vector<AxisGap> gaps() const = 0;
  /// What bounds each settable axis now, whoever set it: the cap in force, as the highest listed
  /// value that is not above it.
  virtual PowerMode caps() const = 0;
  /// The mode that a run compares with: what bounded the board before this device set anything of
  /// it.
  virtual PowerMode baseline() const = 0;
  /// What each axis does now (clocks as they read), where pinned clocks are to be seen; empty where
  /// the kernel does not tell.
  virtual Settings observed() const { return {}; }
  /// Takes the board for this process; apply() does it where nobody has. An error means that
  /// nothing can be set at all: another living process has it (`conflict`), or what an earlier one
  /// had set could not be put back. Where no setting outlives its process, several may have it.
  virtual Status claim() = 0;
  /// Sets the mode and reads it back. Errors: those of claim(); an axis or value the board does not
  /// have; a setting that did not take.
  virtual Status apply(const PowerMode& mode) = 0;
  /// Puts back what was there before the first apply(). What fails is named, and kept for the next
  /// start.
  virtual Status restore() = 0;
  /// Is what was set still there? Error: whoever set it for us has put it back meanwhile
  /// (helper_device.h), or another program has set the board (standing_mode.h).
  virtual Status still_set() { return {}; }
  /// Can a mode stay when this process ends? An error says why not.
  virtual Status can_keep() const = 0;
  /// Leaves the board in the mode that was applied: restore() does nothing any more. An error where
  /// can_keep() has one.
  virtual Status keep() = 0;

  /// The settable axes, with their legal values.
  std::vector<Axis> axes() const;
  /// Axes that only root may set, or set for all processes; each has a gap.
  std::vector<std::string> root_axes() const;
  /// gaps() as texts.
  std::vector<std::string> gap_texts() const;
  /// Why this mode cannot be set before a reboot (AxisState::stays_at), with the remedy. "" where
  /// nothing of it is known.
  std::string out_of_reach(const PowerMode& mode) const;
};

/// The settable axes that bind more than their process alone.
std::vector<Axis> axes_for_others(const Device& device);

}  // namespace flyball
