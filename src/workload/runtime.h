// Process-wide settings of LibTorch, for use inside the module.
#pragma once

#include <c10/core/Device.h>

#include <exception>
#include <memory>
#include <string>

#include "base/status.h"

namespace flyball {

/// An exception of LibTorch as an Error: its first line, without the backtrace, of a TorchScript
/// module the cause; out_of_memory() for want of memory.
Error from_torch(const std::exception& failure);

/// "cpu", "cuda" or "cuda:N", if this LibTorch can use it.
Result<c10::Device> find_device(const std::string& name);

/// Threads that one operation may use, from now on and in all threads; at least 1.
void set_threads(int threads);
/// How many they are.
int threads();
/// Makes the number of threads of set_threads() hold in the calling thread too.
void adopt_threads();

/// Memory for `bytes` bytes from which copies to CUDA run faster; null when there is none.
std::shared_ptr<std::byte> pinned_memory(size_t bytes);

}  // namespace flyball
