// The conditions of live trials: what of this process, its libraries and the user's program decides
// how fast they are.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "device/power_meter.h"
#include "space/axis.h"
#include "space/conditions.h"
#include "workload/stepper.h"

namespace flyball {

/// How Flyball itself makes a trial: its step, loader, allocator settings and stopping rule. Raised
/// by hand with a change that makes measured times or powers differ; a version that changes none of
/// them leaves it, so that what was measured before still serves.
inline constexpr int trial_procedure = 3;

/// The procedure, and the variables of the environment that change speed (OMP_…, MKL_…, MALLOC_…).
Conditions process_conditions();
/// The libraries that are loaded and do the work or hold its memory, each with the file behind its
/// name and its size: BLAS, oneDNN, OpenMP, LibTorch, CUDA's runtime, cuBLAS and cuDNN, libjpeg,
/// allocators.
Conditions library_conditions();
/// How a network is trained, where that is not as usual (StepOptions).
Conditions step_conditions(const StepOptions& step);
/// Which total power is read from.
Conditions power_conditions(const PowerMeter& meter);
/// The working folder, where the program stands, which libraries and packages it finds
/// (LD_LIBRARY_PATH, VIRTUAL_ENV, …), and every file that the words of a command name (also as
/// --option=FILE), with those Python files beside a script, and in packages there, that it may
/// import: whose names stand in its text, or in theirs. A folder is known by its name alone, since
/// the program may write into it. And settings that it finds in our environment
/// (FLYBALL_BATCH_SIZE), but for `axes` of a run: each trial sets these to its own values. And what
/// else it reads of the environment, by variables_named_in().
Conditions program_conditions(const std::vector<std::string>& argv,
                              std::span<const Axis> axes = {});

/// The files that the words of a command name, as program_conditions() finds them.
std::vector<std::filesystem::path> program_files(const std::vector<std::string>& argv);

/// All of them. Bytes that are no plain text are written as \xHH.
Conditions combine(std::initializer_list<Conditions> parts);

}  // namespace flyball
