// Knobs of a process that may not set them all: it sets its own, and the helper sets the rest.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "device/device.h"
#include "device/helper/link.h"

namespace flyball {

/// Is told of what could not be put back when a Device was closed and has nobody else to tell.
using ReportLeft = std::function<void(const Error&)>;

/// Where only root may set some of `own`'s axes and a helper answers: a Device that sets these by
/// the helper and all others itself. Else `own`; where there is a helper that cannot be used, one
/// of the gaps says why.
///
/// The helper is connected to while the board is claimed, and hears from us every 10 s. When it
/// goes away meanwhile, or puts the board back because it did not hear from us, still_set() and the
/// next call say so. What the helper could not put back when the Device is closed stands in its
/// journal, not in ours: `left` is told. `root`: of the files that `own` sets; a helper of other
/// files is not used.
std::unique_ptr<Device> with_helper(std::unique_ptr<Device> own, const std::filesystem::path& root,
                                    ReportLeft left,
                                    const std::filesystem::path& socket = helper_socket());

}  // namespace flyball
