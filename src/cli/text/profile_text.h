// What `flyball profile` shows to people.
#pragma once

#include "profile/characterise/epochs.h"
#include "profile/characterise/program_profile.h"

namespace flyball::cli {

void print_epochs(const EpochRun& run);
void print_program(const ProgramProfile& profile);

}  // namespace flyball::cli
