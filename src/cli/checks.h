// Checks of option values that several commands share; what fails is bad use and names the option.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/status.h"

namespace flyball::cli {

/// Refuses an empty text: an option left out and an option given as '' are two things.
CLI::Validator not_empty();
/// A finite number of at least 1.
CLI::Validator sample_count();
/// A time cap in seconds, 0.1 to 3600.
CLI::Validator trial_seconds();
/// Holds the command's --seed to whole numbers of 64 bits, without a sign.
void check_seed(CLI::App& command);
/// Can a file be written there? Tries it and leaves nothing behind; a file that is there stays.
Status check_writable(const std::filesystem::path& file);

}  // namespace flyball::cli
