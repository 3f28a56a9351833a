// The board as the runs of an experiment ask for it: power mode, and clocks pinned or free.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/host/board_device.h"
#include "experiment/spec.h"

namespace flyball {

class RunBoard {
 public:
  RunBoard(std::unique_ptr<BoardDevice> device, std::filesystem::path root)
      : device_(std::move(device)), root_(std::move(root)) {}

  /// Can every run of the experiment have the board that it asks for? Errors: `unavailable` for a
  /// knob that is missing, which it names with the reason; a mode that is none, an unlisted value.
  Status check(const ExperimentSpec& spec) const;
  /// Sets what the run asks for, from the board as it was; nothing where it is set already, or
  /// where nothing is asked for. Waits until the clocks read so. Errors: what does not take.
  Status prepare(const ExperimentSpec& spec, const RunSettings& run);
  /// Puts back what was before; also done at the end of this object.
  Status restore();
  const BoardDevice& device() const { return *device_; }

 private:
  Status set(const ExperimentSpec& spec, const RunSettings& run);
  Status free_clocks(const PowerMode& mode);

  std::unique_ptr<BoardDevice> device_;
  std::filesystem::path root_;
  std::string set_;  ///< what the board is set to; "": as it was
};

}  // namespace flyball
