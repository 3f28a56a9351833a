// Settings of an NVIDIA GPU, by NVIDIA's management library (NVML). They are set, read back and
// journalled as files are.
//
// A journal names which GPU by its identifier, never by a number, and one setting out of this list;
// it cannot say which library or which call. So a journal that was kept over a death of its process
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
#include <utility>

#include "base/status.h"

namespace flyball {

struct NvidiaSetting {
  enum What { power_limit, gpu_lock, memory_lock };
  // No aggregate: a path alone must not pass for one.
  NvidiaSetting(std::filesystem::path tree, std::string identifier, What setting)
      : root(std::move(tree)), gpu(std::move(identifier)), what(setting) {}

  std::filesystem::path root;  ///< whose library is asked (telemetry/sensors/nvidia_gpus.h)
  std::string gpu;             ///< "GPU-1a2b…"
  What what;

  static constexpr const char* unlocked = "unlocked";

  /// "nvml/GPU-1a2b…/power_limit_mw": as a journal names it.
  std::string journal_name() const;
  /// Does it read as what it is? Locks do not: they are put back without a look.
  bool is_told() const { return what == power_limit; }

  /// Nothing where a journal's name is none of these.
  static std::optional<NvidiaSetting> of_journal(const std::filesystem::path& root,
                                                 const std::string& name);

  /// Errors: no library, no such GPU, what the driver says.
  Result<std::string> read() const;
  Status write(const std::string& value) const;
};

}  // namespace flyball
