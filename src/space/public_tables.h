// Measured tables as their authors publish them (docs/reproduce.md says where).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "space/import_map.h"

namespace flyball {

/// How a file, or a folder of files, is written: one of the readers is there.
struct PublicFormat {
  std::string name;  ///< as `flyball import --format` takes it
  std::string summary;
  Result<Imported> (*read)(const std::string& text, const std::filesystem::path& file,
                           const ImportMap& map);
  Result<Imported> (*read_folder)(const std::filesystem::path& folder, const ImportMap& map);
};

/// powertrain: CSV of PowerTrain and AutoCITE/Fulcrum (AGX Orin): cores, cpu (kHz), gpu (Hz), mem
/// (Hz), observed_time (ms), observed_power (W), bs (inference alone; training is 16). A repeated
/// configuration counts once, its first row; rows with an empty field or a zero are left out; both
/// are told in Imported::notes.
/// bofl: JSON of BoFL (Middleware 2022): "cpu_khz,gpu_hz,emc_hz": [seconds, joules] of a minibatch.
/// powertrain-logs: a folder of the Orin Nano's runs, one folder for each mode (logger_table.h).
/// Workload, phase, board and batch size follow from the file's name (resnet_train_data_final.csv,
/// AGX/CIFAR10.json); clauses TARGET==VALUE of `map` outdo it, and are needed for other names.
const std::vector<PublicFormat>& public_formats();

/// Errors: no such format; those of files, and of what does not hold together, by file and line (of
/// JSON: by entry).
Result<Imported> import_public(const std::string& format, const std::filesystem::path& file,
                               const ImportMap& map);

}  // namespace flyball
