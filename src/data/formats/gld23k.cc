// GLD-23k: a CSV file that maps pictures to classes.
#include <fmt/format.h>

#include <algorithm>

#include "base/csv.h"
#include "base/files.h"
#include "base/text.h"
#include "data/formats/jpeg_files.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kMostClasses = 1'000'000;  // a larger label is a mistake, not a class

// The CSV of a split whose name says so, the first by name where there are several.
fs::path find_csv(const fs::path& folder, Split split) {
  const std::string part = split == Split::train ? "train" : "test";
  std::vector<fs::path> found;
  for (const fs::path& place : {folder / "data_user_dict", folder}) {
    std::error_code problem;
    for (fs::directory_iterator entry(place, problem), end; !problem && entry != end;
         entry.increment(problem)) {
      const std::string name = entry->path().filename().string();
      if (name.ends_with(".csv") && name.find(part) != std::string::npos)
        found.push_back(entry->path());
    }
    if (!found.empty()) return *std::min_element(found.begin(), found.end());
  }
  return {};
}

// images/ID.jpg where that exists, else the nested layout of Google's own archives.
std::string picture_path(const fs::path& folder, const std::string& id) {
  std::error_code ignored;
  const std::string flat = "images/" + id + ".jpg";
  if (id.size() < 3 || fs::exists(folder / flat, ignored)) return flat;
  const std::string nested = fmt::format("images/{}/{}/{}/{}.jpg", id[0], id[1], id[2], id);
  return fs::exists(folder / nested, ignored) ? nested : flat;
}

// An id becomes part of a path: it must not lead out of the folder.
bool is_plain_id(const std::string& id) {
  return !id.empty() && id.size() <= 200 && id[0] != '.' &&
         std::all_of(id.begin(), id.end(),
                     [](unsigned char c) { return c > ' ' && c < 0x7f && c != '/' && c != '\\'; });
}

Result<std::vector<JpegFile>> read_gld23k(const fs::path& csv) {
  FLYBALL_ASSIGN(const std::string text, read_file(csv, size_t{1} << 30));
  return parse_gld23k(text, csv.string());
}

int64_t count_classes(const std::vector<JpegFile>& files) {
  int64_t most = -1;
  for (const JpegFile& file : files)
    if (file.label < kMostClasses) most = std::max(most, file.label);
  return most + 1;
}

}  // namespace

Result<std::vector<JpegFile>> parse_gld23k(std::string_view text, const std::string& name) {
  FLYBALL_ASSIGN(const Csv csv, parse_csv(text, name));
  const auto id = csv.column("image_id"), label = csv.column("class");
  if (!id || !label)
    return Error{Code::corrupt,
                 fmt::format("{} has no column '{}'", name, id ? "class" : "image_id"),
                 "GLD-23k's columns are user_id, image_id and class"};
  std::vector<JpegFile> files;
  files.reserve(csv.rows.size());
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    const std::string picture(trim(csv.rows[row][*id]));
    if (!is_plain_id(picture))
      return csv.at(row, *id, "this is not the name of a picture", "mend the field");
    const auto value = parse_integer(trim(csv.rows[row][*label]));
    if (!value)
      return csv.at(row, *label, fmt::format("'{}' is not a class number", csv.rows[row][*label]),
                    "classes are whole numbers from 0");
    files.push_back({picture, *value});
  }
  if (files.empty())
    return Error{Code::corrupt, fmt::format("{} lists no pictures", name), "fetch it again"};
  return files;
}

bool has_gld23k(const fs::path& folder, Split split) {
  return !find_csv(folder, split).empty();
}

Result<DatasetPtr> open_gld23k(const fs::path& folder, Split split, int64_t classes) {
  const fs::path csv = find_csv(folder, split);
  if (csv.empty())
    return Error{Code::not_found,
                 fmt::format("{} has no CSV file for the {} part", folder.string(),
                             split == Split::train ? "training" : "test"),
                 "its name must hold 'train' or 'test' and end in .csv"};
  FLYBALL_ASSIGN(auto files, read_gld23k(csv));
  const fs::path training = find_csv(folder, Split::train);
  if (classes == 0 && split == Split::test && !training.empty()) {
    FLYBALL_ASSIGN(const auto known, read_gld23k(training));
    classes = count_classes(known);
  }
  if (classes == 0) classes = count_classes(files);
  for (JpegFile& file : files) file.path = picture_path(folder, file.path);
  return DatasetPtr(std::make_shared<JpegFiles>("gld23k", folder, std::move(files), classes));
}

}  // namespace flyball
