#include "data/formats/jpeg_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/lower.h"
#include "data/formats/source.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> sub_folders(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (name[0] != '.' && entry->is_directory(ignored)) names.push_back(name);
  }
  if (problem)
    return Error{problem == std::errc::no_such_file_or_directory ? Code::not_found : Code::io,
                 fmt::format("cannot list {}: {}", folder.string(), problem.message()),
                 "check the path and its permissions"};
  std::sort(names.begin(), names.end());
  return names;
}

// Appends the JPEGs of a class in the order of their paths.
Status list_class(const fs::path& root, const std::string& name, int64_t label,
                  std::vector<JpegFile>& files) {
  std::error_code problem;
  std::vector<std::string> paths;
  fs::recursive_directory_iterator entry(root / name,
                                         fs::directory_options::follow_directory_symlink, problem);
  for (const fs::recursive_directory_iterator end; !problem && entry != end;
       entry.increment(problem)) {
    // A directory entry that is itself a broken link stays in: its sample says so.
    std::error_code ignored;
    const std::string path = entry->path().lexically_relative(root).string();
    if (is_jpeg_name(path) && !entry->is_directory(ignored)) paths.push_back(path);
  }
  if (problem)
    return Error{Code::io,
                 fmt::format("cannot list {}: {}", (root / name).string(), problem.message()),
                 "check its permissions"};
  std::sort(paths.begin(), paths.end());
  for (std::string& path : paths) files.push_back({std::move(path), label});
  return {};
}

// The folder of a split, which may be missing for the test part.
fs::path split_folder(const fs::path& folder, Split split) {
  std::error_code ignored;
  if (split == Split::train)
    return fs::is_directory(folder / "train", ignored) ? folder / "train" : folder;
  for (const char* name : {"val", "validation", "test"})
    if (fs::is_directory(folder / name, ignored)) return folder / name;
  return {};
}

}  // namespace

Status JpegFiles::fetch(int64_t index, RawSample& sample) const {
  const JpegFile& file = files_[static_cast<size_t>(index)];
  sample.encoding = Encoding::jpeg;
  sample.label = file.label;
  if (file.label < 0 || file.label >= classes_)
    return Error{Code::corrupt,
                 fmt::format("{}: label {} is out of range, there are {} classes",
                             path(index).string(), file.label, classes_),
                 "mend the label"};
  return read_whole(path(index), sample.bytes);
}

std::vector<fs::path> JpegFiles::files() const {
  std::vector<fs::path> paths;
  paths.reserve(files_.size());
  for (int64_t i = 0; i < size(); ++i) paths.push_back(path(i));
  return paths;
}

bool is_jpeg_name(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return false;
  const std::string suffix = lower(name.substr(dot + 1));
  return suffix == "jpg" || suffix == "jpeg" || suffix == "jpe";
}

bool has_image_folder(const fs::path& folder, Split split) {
  const fs::path root = split_folder(folder, split);
  if (root.empty()) return false;
  const auto names = sub_folders(root);
  return names.ok() && !names->empty();
}

Result<DatasetPtr> open_image_folder(const fs::path& folder, Split split) {
  const fs::path root = split_folder(folder, split);
  if (root.empty())
    return Error{Code::not_found, fmt::format("{} has no test part", folder.string()),
                 "put its class folders into 'val', and those for training into 'train'"};
  FLYBALL_ASSIGN(const auto names, sub_folders(root));
  auto classes = names;
  const fs::path training = split_folder(folder, Split::train);
  if (split == Split::test && training != folder) {
    FLYBALL_ASSIGN(classes, sub_folders(training));
  }
  std::vector<JpegFile> files;
  for (const std::string& name : names) {
    // A class that training does not know gets a label out of range.
    const auto found = std::find(classes.begin(), classes.end(), name);
    FLYBALL_CHECK(list_class(root, name, found - classes.begin(), files));
  }
  if (files.empty())
    return Error{Code::not_found, fmt::format("{} holds no JPEG in a sub-folder", root.string()),
                 "an image folder has one sub-folder for each class, with .jpg files in it"};
  return DatasetPtr(std::make_shared<JpegFiles>("images", root, std::move(files),
                                                static_cast<int64_t>(classes.size())));
}

}  // namespace flyball
