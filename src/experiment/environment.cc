#include "experiment/environment.h"

#include <fmt/format.h>

#include "base/text.h"
#include "data/formats/open.h"
#include "data/makers/default_set.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t own_needs_bytes = 16'000'000;

}  // namespace

Result<fs::path> dataset_for(const ExperimentSpec& spec, const RunSettings& run,
                             const fs::path& own, const fs::path& made_root) {
  const Medium* medium = spec.medium(run.medium);
  const bool elsewhere = medium && !medium->folder.empty();
  const fs::path named = own.empty() ? spec.data : own;
  if (!named.empty()) return elsewhere ? medium->folder : named;
  if (spec.dataset.kind.empty())
    return Error{Code::not_found, fmt::format("experiment {} has no dataset", spec.name),
                 "give --data FOLDER, or write [dataset] make = \"images\""};
  const fs::path folder =
      (elsewhere ? medium->folder / "flyball-data" : made_root) / spec.dataset.label();
  std::error_code ignored;
  if (!fs::exists(folder, ignored))
    FLYBALL_CHECK(make_whole_dataset(spec.dataset.kind, spec.dataset.samples, folder,
                                     {.size = {spec.dataset.width, spec.dataset.height}}));
  return folder;
}

Result<RunMemory> memory_of(const RunSettings& run, const fs::path& data) {
  RunMemory memory;
  if (run.memory_pct > 0) {
    FLYBALL_ASSIGN(const DatasetPtr dataset, open_dataset(data, Split::train));
    double bytes = 0;
    for (const fs::path& file : dataset->files()) {
      std::error_code missing;
      const auto size = fs::file_size(file, missing);
      if (!missing) bytes += static_cast<double>(size);
    }
    memory.for_set = static_cast<uint64_t>(bytes * run.memory_pct / 100);
    memory.limit = memory.for_set + own_needs_bytes;
  } else {
    memory.for_set = memory.limit = static_cast<uint64_t>(run.memory_mb * 1e6);
  }
  memory.cache = static_cast<uint64_t>(static_cast<double>(memory.for_set) * run.cache_pct / 100);
  return memory;
}

Result<std::unique_ptr<Limits>> limits_for(const ExperimentSpec& spec, const RunSettings& run,
                                           const RunMemory& memory, const fs::path& data) {
  LimitOptions options{.memory_mb = static_cast<double>(memory.limit) * 1e-6};
  if (const Medium* medium = spec.medium(run.medium)) options.read_mb_s = medium->read_mb_s;
  if (options.memory_mb == 0 && options.read_mb_s == 0) return std::unique_ptr<Limits>();
  if (options.read_mb_s > 0) {
    FLYBALL_ASSIGN(options.device, disk_of(data));
  }
  return Limits::apply(options);
}

}  // namespace flyball
