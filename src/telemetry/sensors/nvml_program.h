// NVIDIA's management library by way of the program flyball-nvml (flyball_nvml.c): a static Flyball
// cannot load it. Each call is one line there and one back, some 10 µs.
#pragma once

#include <filesystem>
#include <string>

#include "telemetry/sensors/nvml_api.h"

namespace flyball {

/// Where flyball-nvml lies: beside this program, or in lib/flyball beside its folder.
std::filesystem::path nvml_program();

/// Starts `program` for a library. It runs as long as the entries are kept, in a session of its
/// own, so that Ctrl-C does not end it before settings are put back. A program that ends or does
/// not answer in time makes every later call fail with `nvml_unknown`. Errors: as NvmlApi::open(),
/// no such program, as root one that other users can have written.
Result<NvmlApi> open_by_program(const std::filesystem::path& program, const std::string& library);

}  // namespace flyball
