// Ask and tell for a program that owns its loop: a session whose profiler is that program, at the
// other end of a line of messages.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "device/measuring.h"
#include "tune/tune.h"

namespace flyball {

/// The other end: reads the next line (nothing: it is gone) and writes a document as one.
struct StudyLine {
  std::function<std::optional<std::string>()> read;
  std::function<void(const Json&)> write;
  std::function<bool()> gone = {};  ///< nobody reads any more; may be empty
};

/// Whose numbers the told ones are: device, fingerprint, and which total power is.
struct StudyBoard {
  ProfilerInfo info;
  /// Governors and the like as they are when nobody else measures any more; may be empty.
  std::function<Conditions()> settings = {};
};

/// Answers messages (study_protocol.h) until the other end is gone; each message gets one line. A
/// message that is refused is answered with {"error": …} and changes nothing. With a store every
/// trial is on disk before the next one is asked for; a study that was left before its end is an
/// interrupted run. From the first ask to the end of the search it is the one that measures on this
/// machine (device/measuring.h); `measuring` says what it does where another one is, unless create
/// does. Errors: none of the other end's; the store fails.
Status serve_study(const StudyLine& line, const StudyBoard& board, Store* store,
                   const std::string& command, const MeasuringOptions& measuring = {});

}  // namespace flyball
