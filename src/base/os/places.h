// Where what belongs to the user lives. Every part of Flyball asks here, so that all of them agree,
// also in a service that has no environment.
#pragma once

#include <filesystem>

#include "base/status.h"

namespace flyball {

/// $HOME, else the home of this user as the system knows it, else a folder of this user's own where
/// temporary files belong.
std::filesystem::path home_folder();
/// Error: neither $HOME nor the system knows a home, so what is kept lies among temporary files.
Status home_status();
/// What is kept: $XDG_DATA_HOME/flyball, else ~/.local/share/flyball.
std::filesystem::path data_folder();
/// What can be made again: $XDG_CACHE_HOME/flyball, else ~/.cache/flyball.
std::filesystem::path cache_folder();
/// What the user settles: $XDG_CONFIG_HOME/flyball, else ~/.config/flyball.
std::filesystem::path configuration_folder();

}  // namespace flyball
