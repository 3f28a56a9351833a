// What makes the figures of an experiment comparable, and stored ones the ones that are asked for.
#pragma once

#include <string>

#include "experiment/runner.h"

namespace flyball {

/// Machine, libraries, the place of the dataset, where networks compute, and what modes are called.
std::string experiment_fingerprint(const ExperimentSpec& spec, const ExperimentOptions& options,
                                   const BoardInfo& board);

/// The same, and what else decides how long a run takes: the dataset's files, the media, the
/// governors and idle states as they are, variables of the environment.
std::string with_conditions(const std::string& fingerprint, const ExperimentSpec& spec,
                            const ExperimentOptions& options, const BoardInfo& board);

/// Is `stored` this fingerprint under some conditions, or of before they were kept?
bool agrees(const std::string& stored, const std::string& fingerprint);

/// "under CPU governor powersave; now: CPU governor performance", or "without OMP_…": in what the
/// conditions of `stored` are not those of `fingerprint`.
std::string other_conditions(const std::string& stored, const std::string& fingerprint);

}  // namespace flyball
