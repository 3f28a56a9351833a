// Loops that do nothing but move memory, counted as STREAM counts (McCalpin 1995): what a loop
// names, not what a cache reads before it writes.
#pragma once

#include <cstddef>

namespace flyball {

/// a[i] = b[i] + s·c[i]: 24 bytes an element.
void stream_triad(double* a, const double* b, const double* c, double s, size_t n);
/// a[i] = b[i]: 16 bytes an element.
void stream_copy(double* a, const double* b, size_t n);

}  // namespace flyball
