// Loops over all cores whose results do not depend on how many there are.
#pragma once

#include <cstddef>
#include <functional>

namespace flyball {

/// Threads that a sweep may use: the cores this process may run on.
size_t usable_cores();

/// Calls body(i) for i in [0, n), each exactly once, on up to `threads` threads (0: all cores).
/// `body` must write only to what belongs to i; then the result is independent of `threads`.
/// A loop inside of a loop runs on the thread that it is called on.
void parallel_for(size_t n, const std::function<void(size_t)>& body, size_t threads = 0);

}  // namespace flyball
