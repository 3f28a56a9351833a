// Knobs of a process that may not set them all: it sets its own, and the helper sets the rest.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "device/device.h"
#include "device/helper/link.h"

namespace flyball {

/// Where only root may set some of `own`'s axes and a helper answers: a Device that sets these by
/// the helper and all others itself. Else `own`; where there is a helper that cannot be used, one
/// of the gaps says why.
///
/// The helper is connected to while the board is claimed, and hears from us every 10 s. When it
/// goes away meanwhile, or puts the board back because it did not hear from us, still_set() and the
/// next call say so. `root`: of the files that `own` sets; a helper of other files is not used.
std::unique_ptr<Device> with_helper(std::unique_ptr<Device> own,
                                    const std::filesystem::path& root = "/",
                                    const std::filesystem::path& socket = helper_socket());

/// What helpers have answered where such a Device was closed and they could not put back what it
/// had set: it stands in their journal, not in ours. Each is told once.
std::vector<Error> take_left_by_helper();

}  // namespace flyball
