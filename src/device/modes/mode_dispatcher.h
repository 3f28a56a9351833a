// Who sets modes for `flyball mode`: this process where it may, else the helper (helper/).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "device/helper/hold.h"
#include "device/modes/mode.h"

namespace flyball {

class ModeDispatcher {
 public:
  /// The board outlives it.
  ModeDispatcher(BoardDevice& board, std::filesystem::path root,
                 std::filesystem::path socket = helper_socket());

  /// As set_mode(). Errors also: only root may set this board and no helper does it, with the
  /// remedy; those of the helper.
  Result<PowerMode> set(const ModeRequest& request);
  /// The mode stays; `flyball mode restore` puts back what was before.
  Status keep();
  Status restore();

 private:
  bool is_own(const std::string& axis) const;
  Result<PowerMode> set_by_helper(const ModeRequest& request, const HelperBoard& helper);
  Status ask_helper_to_set(const ModeRequest& request);

  BoardDevice& board_;
  std::filesystem::path root_, socket_;
  std::unique_ptr<BoardHold> hold_;  ///< where the helper sets the mode
};

/// What the helper does for `preset` and `pin_max`, on a board that a client has.
Status set_caps(Device& device, const std::filesystem::path& root, const HelperRequest& request);

/// What the helper of this board says, where one answers.
std::optional<HelperBoard> helper_of(const std::filesystem::path& root,
                                     const std::filesystem::path& socket = helper_socket());

/// Puts back what was before a mode that this user kept, and before one that the helper did; how
/// many settings.
Result<size_t> restore_kept_modes(const std::filesystem::path& root,
                                  const std::filesystem::path& socket = helper_socket());

}  // namespace flyball
