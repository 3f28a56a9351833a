#include "data/formats/coco.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/formats/source.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kNameBegin = "instances_", kNameEnd = ".json";

// "train2017" of "instances_train2017.json"; "" for other files.
std::string part_name(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kNameBegin) || !name.ends_with(kNameEnd)) return "";
  return name.substr(kNameBegin.size(), name.size() - kNameBegin.size() - kNameEnd.size());
}

bool serves(const std::string& part, Split split) {
  const bool tests =
      part.find("val") != std::string::npos || part.find("test") != std::string::npos;
  return tests == (split == Split::test) && !part.empty();
}

fs::path find_annotations(const fs::path& folder, Split split) {
  for (const fs::path& place : {folder / "annotations", folder}) {
    std::vector<fs::path> found;
    std::error_code problem;
    for (fs::directory_iterator entry(place, problem), end; !problem && entry != end;
         entry.increment(problem))
      if (serves(part_name(entry->path()), split)) found.push_back(entry->path());
    if (!found.empty()) return *std::min_element(found.begin(), found.end());
  }
  return {};
}

fs::path picture_folder(const fs::path& folder, const std::string& part) {
  std::error_code ignored;
  for (const fs::path& place : {folder / part, folder / "images" / part, folder / "images"})
    if (fs::is_directory(place, ignored)) return place;
  return folder;
}

}  // namespace

std::vector<TensorSpec> CocoSet::parts() const {
  const int64_t most = std::max<int64_t>(1, index_.most);
  return {{"boxes", DType::float32, {4}, RowLayout::packed, most},
          {"box_class", DType::int64, {}, RowLayout::packed, most},
          {"picture_size", DType::int64, {2}}};
}

fs::path CocoSet::own_file(int64_t index) const {
  return index_.images[static_cast<size_t>(index)].file.empty() ? fs::path() : path(index);
}

fs::path CocoSet::path(int64_t index) const {
  const std::string& file = index_.images[static_cast<size_t>(index)].file;
  // Without a name the annotations are all that can be named.
  return file.empty() ? fs::path(fmt::format("{}: images[{}]", annotations_.string(), index))
                      : pictures_ / file;
}

Status CocoSet::check(const RawSample& sample, std::vector<int64_t>& classes) const {
  for (const int64_t label : sample.parts.get<int64_t>(box_class)) classes.push_back(label);
  return {};
}

std::vector<fs::path> CocoSet::files() const {
  std::vector<fs::path> paths = {annotations_};
  for (int64_t i = 0; i < size(); ++i)
    if (!index_.images[static_cast<size_t>(i)].file.empty()) paths.push_back(path(i));
  return paths;
}

Status CocoSet::fetch(int64_t index, RawSample& sample) const {
  if (const auto fault = index_.faults.find(index); fault != index_.faults.end())
    return Error{Code::corrupt, fault->second, "mend it there, or leave the image out"};
  const CocoImage& image = index_.images[static_cast<size_t>(index)];
  sample.encoding = Encoding::jpeg;
  sample.label = 0;
  const auto corners = sample.parts.set<float>(boxes, {image.count, 4});
  const auto labels = sample.parts.set<int64_t>(box_class, {image.count});
  for (size_t i = 0; i < labels.size(); ++i) {
    const CocoBox& box = index_.boxes[static_cast<size_t>(image.first) + i];
    const std::array<float, 4> numbers = {box.left, box.top, box.width, box.height};
    std::copy(numbers.begin(), numbers.end(), corners.begin() + static_cast<ptrdiff_t>(4 * i));
    labels[i] = box.label;
  }
  const auto size = sample.parts.set<int64_t>(picture_size, {2});
  size[0] = image.width, size[1] = image.height;
  return read_whole(path(index), sample.bytes);
}

bool has_coco(const fs::path& folder, Split split) {
  return !find_annotations(folder, split).empty();
}

Result<DatasetPtr> open_coco(const fs::path& folder, Split split) {
  const fs::path annotations = find_annotations(folder, split);
  if (annotations.empty())
    return Error{Code::not_found,
                 fmt::format("{} has no annotations for the {} part", folder.string(),
                             split == Split::train ? "training" : "test"),
                 split == Split::train ? "they are called annotations/instances_train2017.json, say"
                                       : "they are called annotations/instances_val2017.json, say"};
  FLYBALL_ASSIGN(CocoIndex index, read_coco(annotations));
  return DatasetPtr(std::make_shared<CocoSet>(
      annotations, picture_folder(folder, part_name(annotations)), std::move(index)));
}

}  // namespace flyball
