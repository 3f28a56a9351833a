// How much memory is left for a process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace flyball {

/// Bytes that this process can newly take without another's loss: what the machine has available,
/// or what its memory control group (version 1 or 2), or one above it, is allowed besides what it
/// holds for good, if that is less. Nothing where the kernel does not tell.
std::optional<uint64_t> available_memory(const std::filesystem::path& root = "/");

}  // namespace flyball
