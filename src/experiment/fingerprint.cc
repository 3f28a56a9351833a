#include "experiment/fingerprint.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "data/dataset_conditions.h"
#include "data/formats/open.h"
#include "module/versions.h"
#include "profile/trials/trial_conditions.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view under = "; under ";
constexpr const char* unsplit = "conditions";  // the name of those that were kept as one text

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

Conditions experiment_conditions(const ExperimentSpec& spec, const ExperimentOptions& options,
                                 const BoardInfo& board) {
  const fs::path named = named_data(spec, options);
  Conditions drawn;
  if (named.empty() && !spec.dataset.kind.empty()) drawn = drawn_in(options.out);
  return combine({board.device.settings, process_conditions(), media_of(spec, named.empty()),
                  files_of(named), drawn});
}

std::string with_conditions(const std::string& fingerprint,
                            const std::optional<Conditions>& conditions) {
  if (!conditions) return fingerprint;
  std::vector<std::string> words;
  for (const auto& [name, value] : *conditions)
    words.push_back(name == unsplit ? value : name + " " + value);
  return fingerprint + std::string(under) + join(words, ", ");
}

// Sorts behind every other name, so that it can stand behind those that are one text.
Conditions drawn_in(const fs::path& out) {
  return {{"samples drawn in", place_of(out / "data")}};
}

void split_conditions(std::string& fingerprint, std::optional<Conditions>& conditions) {
  const size_t at = fingerprint.find(under);
  if (at == std::string::npos) return;
  conditions = Conditions{{unsplit, fingerprint.substr(at + under.size())}};
  fingerprint.resize(at);
}

}  // namespace flyball
