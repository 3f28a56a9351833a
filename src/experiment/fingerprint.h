// What makes the figures of an experiment comparable, and stored ones the ones that are asked for.
#pragma once

#include <optional>
#include <string>

#include "experiment/runner.h"
#include "space/conditions.h"

namespace flyball {

/// Machine, libraries, the place of the dataset, where networks compute, and what modes are called.
std::string experiment_fingerprint(const ExperimentSpec& spec, const ExperimentOptions& options,
                                   const BoardInfo& board);

/// What else decides how long a run takes: the dataset's files, the media, the governors and idle
/// states as they are, variables of the environment.
Conditions experiment_conditions(const ExperimentSpec& spec, const ExperimentOptions& options,
                                 const BoardInfo& board);

/// "FINGERPRINT; under cpu governor powersave, …": runs of an equal text compare. The fingerprint
/// alone where the conditions were not kept.
std::string with_conditions(const std::string& fingerprint,
                            const std::optional<Conditions>& conditions);
/// The condition of a set that the experiment draws itself, below this folder.
Conditions drawn_in(const std::filesystem::path& out);
/// Takes the conditions out of a fingerprint that has them behind it. Where one ends and the next
/// begins is not known: they become one.
void split_conditions(std::string& fingerprint, std::optional<Conditions>& conditions);

}  // namespace flyball
