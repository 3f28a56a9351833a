// Settings of an NVIDIA GPU under names of files, so that they are set, read back and journalled as
// all others are: ROOT/nvml/GPU-1a2b…/power_limit_mw. No such file exists: kernel_files() hands the
// name to NVIDIA's management library (NVML).
//
// A name says which GPU by its identifier, never by a number, and one setting out of this list; it
// cannot say which library or which call. So a journal that was kept over a death of its process
// can do no more than set what stands here, within what the driver allows:
//   power_limit_mw    the power limit, in mW; the driver tells it
//   gpu_lock_mhz      "LOW,HIGH": clocks of the GPU are held between them; "unlocked": they are not
//   memory_lock_mhz   the same of its memory
// The library does not tell locks. They read as "unlocked", which is what putting them back means:
// a lock that somebody else had set is lost. Compute mode, MIG and persistence are never touched.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/status.h"

namespace flyball {

struct NvidiaSetting {
  std::filesystem::path root = "/";  ///< whose library is asked (telemetry/sensors/nvidia_gpus.h)
  std::string gpu{};                 ///< "GPU-1a2b…"
  std::string name{};                ///< one of the list above

  static constexpr const char* power_limit = "power_limit_mw";
  static constexpr const char* gpu_lock = "gpu_lock_mhz";
  static constexpr const char* memory_lock = "memory_lock_mhz";
  static constexpr const char* unlocked = "unlocked";

  std::filesystem::path file() const;
  /// "nvml/GPU-1a2b…/power_limit_mw": as a journal names it.
  std::string journal_name() const;
  /// Does it read as what it is? Locks do not: they are put back without a look.
  bool is_told() const { return name == power_limit; }

  /// Nothing where the file is none of these.
  static std::optional<NvidiaSetting> of_file(const std::filesystem::path& file);
  static std::optional<NvidiaSetting> of_journal(const std::filesystem::path& root,
                                                 const std::string& name);

  /// Errors: no library, no such GPU, what the driver says.
  Result<std::string> read() const;
  Status write(const std::string& value) const;
};

}  // namespace flyball
