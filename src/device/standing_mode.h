// Does a mode stand, or has another program set the board since?
#pragma once

#include "base/status.h"
#include "space/axis.h"

namespace flyball {

/// Of a mode that was set, by the caps in force now. Error: a clock may rise above what was asked,
/// or other cores are on. A cap that is lower may be the kernel's, for heat: who measures sees that
/// by the clocks.
Status check_stands(const PowerMode& asked, const PowerMode& caps);

}  // namespace flyball
