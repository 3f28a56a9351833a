// A board as Flyball sees it: what can be set, what was set, and how it is put back.
#pragma once

#include <memory>
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

/// Knobs of one board. Settings are read back after they are set, and put back by restore(), which
/// the destructor calls too; who does it after a crash stands in journal.h.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// Axes that can be set here, with their legal values.
  virtual std::vector<Axis> axes() const = 0;
  /// The mode the board has when nobody tunes it.
  virtual PowerMode default_mode() const = 0;
  /// What each axis does now (clocks as they read), where pinned clocks are to be seen; empty where
  /// the kernel does not tell.
  virtual Settings observed() const { return {}; }
  /// Why an axis that one might expect is missing, with the remedy.
  virtual std::vector<std::string> gaps() const = 0;
  /// Axes that bind this process and what it starts alone (cores by affinity): nobody can set them
  /// for another one.
  virtual std::vector<std::string> own_axes() const { return {}; }
  /// Axes that the board has and that only root may set; each is one of the gaps, and axes() is
  /// without it, or has it as one of own_axes().
  virtual std::vector<std::string> root_axes() const { return {}; }
  /// Axes that nobody sets who does not ask for them by name: no space holds them of itself, since
  /// to lock the clocks of a GPU changes a machine that was asked for its cores alone.
  virtual std::vector<std::string> asked_axes() const { return {}; }
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
  /// Is what was set still there, as far as one hears of it without looking? Error: whoever set it
  /// for us has put it back meanwhile (helper_device.h).
  virtual Status still_set() { return {}; }
  /// Why this mode cannot be set before a reboot, with the remedy: a clock that was lowered and did
  /// not rise again (old releases). "" where nothing of it is known.
  virtual std::string out_of_reach(const PowerMode&) const { return ""; }
  /// Can a mode stay when this process ends? An error says why not.
  virtual Status can_keep() const = 0;
  /// Leaves the board in the mode that was applied: restore() does nothing any more. An error where
  /// can_keep() has one.
  virtual Status keep() = 0;
};

}  // namespace flyball
