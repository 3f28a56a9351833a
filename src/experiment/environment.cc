#include "experiment/environment.h"

#include <fmt/format.h>

#include "base/text.h"
#include "data/formats/open.h"
#include "data/makers/make.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// In a folder beside it first: a kill must not leave half a dataset under its name.
Status make_whole(const MadeDataset& made, const fs::path& folder) {
  const fs::path partial = folder.string() + ".partial";
  std::error_code problem;
  fs::remove_all(partial, problem);
  fs::create_directories(folder.parent_path(), problem);
  FLYBALL_CHECK(
      make_dataset(made.kind, made.samples, partial, {.size = {made.width, made.height}}));
  fs::rename(partial, folder, problem);
  if (problem)
    return Error{Code::io, fmt::format("cannot make {}: {}", folder.string(), problem.message()),
                 ""};
  return {};
}

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
  if (!fs::exists(folder, ignored)) FLYBALL_CHECK(make_whole(spec.dataset, folder));
  return folder;
}

Result<std::unique_ptr<Limits>> limits_for(const ExperimentSpec& spec, const RunSettings& run,
                                           const fs::path& data) {
  LimitOptions options{.memory_mb = run.memory_mb};
  if (const Medium* medium = spec.medium(run.medium)) options.read_mb_s = medium->read_mb_s;
  if (options.memory_mb == 0 && options.read_mb_s == 0) return std::unique_ptr<Limits>();
  if (options.read_mb_s > 0) {
    FLYBALL_ASSIGN(options.device, disk_of(data));
  }
  return Limits::apply(options);
}

}  // namespace flyball
