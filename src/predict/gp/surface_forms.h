// The time and power forms as surfaces use them.
#pragma once

#include "predict/gp/surface.h"

namespace flyball {

SurfaceForm time_surface(const Coordinates& coordinates);
SurfaceForm power_surface(const Coordinates& coordinates);

}  // namespace flyball
