// Runs out of folders that the loggers of public experiments wrote (space/logger_folder.h).
#pragma once

#include <filesystem>
#include <memory>

#include "findings/run_source.h"

namespace flyball {

/// All runs below the folders, as boards: which board and which network it was stand in the names
/// of the folders ("Orin-nano2/runs/MobNet/pm_6_1510400_624750000_2133000000"), the workers in
/// those of the files; minibatches have 16 samples, as the loggers' authors used. `board` is that
/// of logs whose folders name none, as twins are called; "" where all do. Errors: a `board` that is
/// none of these, no logs there, a network or a board that is not named, what read_logger_folder()
/// says.
Result<std::vector<std::unique_ptr<RunSource>>> logged_runs(
    const PublishedStudy& study, const std::vector<std::filesystem::path>& folders,
    const std::string& board);

}  // namespace flyball
