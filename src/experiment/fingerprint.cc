#include "experiment/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

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

// However it was written.
std::string place_of(const fs::path& folder) {
  if (folder.empty()) return "";
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).string();  // "photos/" is "photos"
}

// Of a folder that holds a dataset of the user's.
Conditions files_of(const fs::path& folder) {
  if (folder.empty()) return {};
  const auto dataset = open_dataset(folder, Split::train);
  if (!dataset) return {};
  return {
      {"files of " + place_of(folder), dataset_conditions(**dataset, folder).at("dataset files")}};
}

// A set that is drawn is known by its label: what else lies on its medium is none of it.
Conditions media_of(const ExperimentSpec& spec, bool drawn) {
  Conditions found;
  for (const Medium& medium : spec.media) {
    found["medium " + medium.name] =
        fmt::format("{} {:g} MB/s", place_of(medium.folder), medium.read_mb_s);
    if (!drawn) found.merge(files_of(medium.folder));
  }
  return found;
}

std::vector<std::string> conditions_in(const std::string& fingerprint) {
  const size_t at = fingerprint.find(under);
  if (at == std::string::npos) return {};
  std::vector<std::string> words;
  for (const std::string& word :
       split(fingerprint.substr(at + std::string_view(under).size()), ','))
    words.emplace_back(trim(word));
  std::ranges::sort(words);
  return words;
}

}  // namespace

std::string experiment_fingerprint(const ExperimentSpec& spec, const ExperimentOptions& options,
                                   const BoardInfo& board) {
  const fs::path named = named_data(spec, options);
  std::string text = board.device.fingerprint + "; " + library_versions() + "; data " +
                     (named.empty() ? spec.dataset.label() : place_of(named));
  // Until it could be chosen networks computed on the CPU, which is not said.
  if (board.provenance == Provenance::measured && board.compute != "cpu")
    text += "; network on " + board.compute;
  for (const auto& [name, mode] : spec.modes) text += "; mode " + name + " " + mode;
  return text;
}

std::string with_conditions(const std::string& fingerprint, const ExperimentSpec& spec,
                            const ExperimentOptions& options, const BoardInfo& board) {
  const fs::path named = named_data(spec, options);
  const Conditions all = combine({board.device.settings, process_conditions(),
                                  media_of(spec, named.empty()), files_of(named)});
  std::vector<std::string> words;
  for (const auto& [name, value] : all) words.push_back(name + " " + value);
  return fingerprint + under + join(words, ", ");
}

bool agrees(const std::string& stored, const std::string& fingerprint) {
  return stored == fingerprint || stored.starts_with(fingerprint + under);
}

std::string other_conditions(const std::string& stored, const std::string& fingerprint) {
  const auto now = conditions_in(fingerprint), then = conditions_in(stored);
  if (then.empty()) return "under conditions that were not kept";
  std::vector<std::string> gone, come;
  std::ranges::set_difference(then, now, std::back_inserter(gone));
  std::ranges::set_difference(now, then, std::back_inserter(come));
  if (gone.empty()) return "without " + join(come, ", ");
  if (come.empty()) return fmt::format("under {}, which is no more so", join(gone, ", "));
  return fmt::format("under {}; now: {}", join(gone, ", "), join(come, ", "));
}

}  // namespace flyball
