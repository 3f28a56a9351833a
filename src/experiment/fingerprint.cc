#include "experiment/fingerprint.h"

#include <fmt/format.h>

#include "base/text.h"
#include "data/dataset_conditions.h"
#include "data/formats/open.h"
#include "profile/trials/trial_conditions.h"
#include "workload/versions.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* under = "; under ";

fs::path named_data(const ExperimentSpec& spec, const ExperimentOptions& options) {
  return options.data.empty() ? spec.data : options.data;
}

// Of a folder that holds a dataset; a drawn one is known by its label.
Conditions files_of(const fs::path& folder) {
  if (folder.empty()) return {};
  const auto dataset = open_dataset(folder, Split::train);
  if (!dataset) return {};
  return {
      {"files of " + folder.string(), dataset_conditions(**dataset, folder).at("dataset files")}};
}

Conditions media_of(const ExperimentSpec& spec) {
  Conditions found;
  for (const Medium& medium : spec.media) {
    found["medium " + medium.name] =
        fmt::format("{} {:g} MB/s", medium.folder.string(), medium.read_mb_s);
    found.merge(files_of(medium.folder));
  }
  return found;
}

}  // namespace

std::string experiment_fingerprint(const ExperimentSpec& spec, const ExperimentOptions& options,
                                   const BoardInfo& board) {
  const fs::path named = named_data(spec, options);
  std::string text =
      board.device.fingerprint + "; " + library_versions() + "; data " +
      (named.empty() ? spec.dataset.label() : fs::absolute(named).lexically_normal().string());
  // Until it could be chosen networks computed on the CPU, which is not said.
  if (board.provenance == Provenance::measured && board.compute != "cpu")
    text += "; network on " + board.compute;
  for (const auto& [name, mode] : spec.modes) text += "; mode " + name + " " + mode;
  return text;
}

std::string with_conditions(const std::string& fingerprint, const ExperimentSpec& spec,
                            const ExperimentOptions& options, const BoardInfo& board) {
  const Conditions all = combine({board.device.settings, process_conditions(), media_of(spec),
                                  files_of(named_data(spec, options))});
  std::vector<std::string> words;
  for (const auto& [name, value] : all) words.push_back(name + " " + value);
  return fingerprint + under + join(words, ", ");
}

bool agrees(const std::string& stored, const std::string& fingerprint) {
  return stored == fingerprint || stored.starts_with(fingerprint + under);
}

}  // namespace flyball
