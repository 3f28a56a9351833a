// A machine or board as its knobs: what every Device of ours is made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "boards/identity.h"
#include "device/device.h"
#include "device/knobs/knob.h"

namespace flyball {

struct BoardDeviceOptions {
  std::filesystem::path root = "/";       ///< of /proc and /sys
  std::filesystem::path journal{};        ///< "" takes board_journal(); never below `root`'s sys/
  SettingFiles* files = &kernel_files();  ///< what stands behind the knobs
  /// `files` keep every write for themselves (modes/rehearsal.h): no right to write is needed.
  bool rehearsed = false;
};

class BoardDevice final : public Device {
 public:
  struct Parts {
    DeviceInfo info;
    std::vector<KnobPtr> knobs;  ///< also those that this process may not set
    std::vector<AxisGap> gaps;
    size_t asked_from = SIZE_MAX;  ///< knobs from here on are set on request alone
    bool clocks_tell = false;      ///< a pinned clock reads as it was pinned, unless it throttles
  };
  BoardDevice(BoardDeviceOptions options, Parts parts);
  ~BoardDevice() override;

  const DeviceInfo& info() const override { return parts_.info; }
  std::vector<AxisState> states() const override;
  std::vector<AxisGap> gaps() const override { return parts_.gaps; }
  PowerMode caps() const override;
  PowerMode baseline() const override { return baseline_ ? *baseline_ : caps(); }
  Settings observed() const override;
  Status claim() override;
  /// Pins each axis. Cores come on before clocks change, and go off after.
  Status apply(const PowerMode& mode) override;
  Status restore() override;
  Status still_set() override;
  Status can_keep() const override;
  Status keep() override;

  const std::vector<KnobPtr>& knobs() const { return parts_.knobs; }
  Knob* find(const std::string& axis) const;
  /// The journal of the claimed board, else null.
  SettingsJournal* journal() const { return journal_.get(); }
  /// For settings that are no axis (a preset's): claims the board. Errors also: none of its clocks
  /// can be set, so it has no journal.
  Result<SettingsJournal*> claim_journal();

 private:
  Status check(const PowerMode& mode) const;
  void note_baseline();
  Status set(const std::string& axis, double value);
  Error explained(const Error& error, const Knob& knob, double value) const;

  BoardDeviceOptions options_;
  Parts parts_;
  std::vector<const Knob*> settable_;
  std::optional<PowerMode> baseline_;  ///< while something of ours may be set
  PowerMode set_;                      ///< what apply() set, and restore() has not put back
  std::shared_ptr<SettingsJournal> journal_;
  std::map<std::string, double> stuck_;  ///< axes that did not rise, and where they stay
};

/// The board that this machine (or tree) is: cores by hotplug where they can be switched, clocks of
/// CPU, GPU and memory. Puts back first what a dead flyball left.
std::unique_ptr<BoardDevice> open_known_board(const BoardIdentity& board,
                                              BoardDeviceOptions options = {});

/// What this machine (or tree) is: open_known_board(), or the host.
std::unique_ptr<BoardDevice> open_any_board(const BoardIdentity& board,
                                            const std::filesystem::path& root);

/// The same by rehearsed options: with every knob that can be read, whoever may set it.
std::unique_ptr<BoardDevice> open_rehearsed_board(const BoardIdentity& board,
                                                  BoardDeviceOptions options);

/// Name, title and fingerprint of a board; of a tree the kernel that it shows.
DeviceInfo describe_board(const BoardIdentity& board, const std::string& name, size_t cores,
                          const std::filesystem::path& root);

}  // namespace flyball
