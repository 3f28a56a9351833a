// COCO: pictures in a folder, with the boxes of an annotation file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/dataset.h"
#include "data/formats/coco_index.h"

namespace flyball {

/// A sample is a JPEG, colour or grey, and its boxes: parts "boxes" (rows of left, top, width,
/// height in pixels), "box_class" (a label for each) and "picture_size" (width, height as
/// annotated). A fault of an image or of one of its boxes is an error of its sample.
class CocoSet final : public Dataset {
 public:
  enum Part : size_t { boxes, box_class, picture_size };

  CocoSet(std::filesystem::path annotations, std::filesystem::path pictures, CocoIndex index)
      : annotations_(std::move(annotations)),
        pictures_(std::move(pictures)),
        index_(std::move(index)) {}

  std::string kind() const override { return "coco"; }
  int64_t size() const override { return static_cast<int64_t>(index_.images.size()); }
  int64_t classes() const override { return static_cast<int64_t>(index_.categories.size()); }
  std::array<int, 3> shape() const override { return {3, 0, 0}; }
  std::vector<TensorSpec> parts() const override;
  Status fetch(int64_t index, RawSample& sample) const override;
  /// A sample shows the class of each of its boxes.
  Status check(const RawSample& sample, std::vector<int64_t>& classes) const override;
  std::string name(int64_t index) const override { return path(index).string(); }
  std::filesystem::path own_file(int64_t index) const override;
  std::vector<std::filesystem::path> files() const override;

  const CocoIndex& index() const { return index_; }

 private:
  std::filesystem::path path(int64_t index) const;

  std::filesystem::path annotations_, pictures_;
  CocoIndex index_;
};

/// Opens the annotations of one part, `instances_NAME.json` in the folder or its `annotations`,
/// where NAME says which: train… or val…, test… (the first by name of several; one that says
/// neither is the training part). Pictures lie in NAME, images/NAME, images or the folder itself.
Result<DatasetPtr> open_coco(const std::filesystem::path& folder, Split split);

/// True when the folder holds annotations for this part.
bool has_coco(const std::filesystem::path& folder, Split split);

}  // namespace flyball
