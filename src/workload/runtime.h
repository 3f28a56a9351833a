// Process-wide settings of LibTorch, for use inside the room.
#pragma once

#include <c10/core/Device.h>

#include <exception>
#include <string>

#include "base/status.h"

namespace flyball {

/// An exception of LibTorch as an Error: its first line, without the backtrace; out_of_memory() for
/// want of memory.
Error from_torch(const std::exception& failure);

/// "cpu", "cuda" or "cuda:N", if this LibTorch can use it.
Result<c10::Device> find_device(const std::string& name);

/// Makes the number of threads of set_threads() hold in the calling thread too.
void adopt_threads();

}  // namespace flyball
