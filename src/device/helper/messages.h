// What `flyball` and its root service (helper/) say to each other: one JSON document a line.
// docs/helper.md is the protocol in words. Neither side believes the other: whatever does not read
// as it should is refused, and no message names a file, a command or a variable.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "space/axis.h"

namespace flyball {

inline constexpr int helper_protocol = 1;               ///< version that both speak
inline constexpr size_t helper_request_bytes = 4096;    ///< at most, of a line to the helper
inline constexpr size_t helper_reply_bytes = 1U << 18;  ///< and of one from it

struct HelperRequest {
  enum class Kind {
    describe,
    claim,
    apply,
    preset,
    pin_max,
    restore,
    keep,
    restore_kept,
    release,
    alive
  };
  Kind kind = Kind::alive;
  PowerMode mode{};      ///< of `apply`
  std::string preset{};  ///< of `preset`: its name or number
};

/// Error `invalid_argument`: what of it cannot be read. No text of the client's stands in it.
Result<HelperRequest> parse_helper_request(std::string_view line);
/// With the line's end, as the others below.
std::string helper_request_line(const HelperRequest& request);

/// What a helper can set, and who has it do so.
struct HelperBoard {
  std::string version;                 ///< of the helper's program
  std::filesystem::path root = "/";    ///< of the files that it sets
  std::vector<Axis> axes{};            ///< without those that bind only the process that sets them
  PowerMode baseline{}, caps{};        ///< as the Device has them
  Settings stays_at{};                 ///< AxisState::stays_at, by axis
  std::vector<std::string> gaps{};     ///< Device::gap_texts()
  std::optional<Error> cannot_keep{};  ///< of Device::can_keep()
  std::string holder{};                ///< "process 12 of user 1000 since …"; "" when it is free
  std::string kept{};  ///< who let a mode stay that `restore_kept` puts back: "process 12 … at …"
};

std::string helper_done_line();
std::string helper_error_line(const Error& error);
std::string helper_board_line(const HelperBoard& board);
std::string helper_restored_line(size_t settings);

/// Errors: what the helper refused, in its words; `corrupt` when the line is no reply.
Status parse_helper_done(std::string_view line);
Result<HelperBoard> parse_helper_board(std::string_view line);
Result<size_t> parse_helper_restored(std::string_view line);

/// Is every value legal? Errors `invalid_argument`: there is no such axis; those of check_value().
Status check_mode(const std::vector<Axis>& axes, const PowerMode& mode);

/// The bytes of a stream as lines.
class LineBuffer {
 public:
  explicit LineBuffer(size_t limit) : limit_(limit) {}
  void add(std::string_view bytes) { bytes_ += bytes; }
  /// The next line is longer than may be, whether or not its end has come.
  bool too_long() const;
  /// The next whole line, without its end.
  std::optional<std::string> take();
  /// Has a line begun that has not ended?
  bool half() const { return !bytes_.empty(); }

 private:
  size_t limit_;
  std::string bytes_;
};

}  // namespace flyball
