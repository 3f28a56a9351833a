// Data sets of which every sample is a JPEG file of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/dataset.h"

namespace flyball {

/// Where a sample lies and what it shows.
struct JpegFile {
  std::string path;  ///< below the root folder
  int64_t label = 0;
};

/// A set over a list of files. A label outside [0, classes) is an error of its sample.
class JpegFiles final : public Dataset {
 public:
  JpegFiles(std::string kind, std::filesystem::path root, std::vector<JpegFile> files,
            int64_t classes)
      : kind_(std::move(kind)),
        root_(std::move(root)),
        files_(std::move(files)),
        classes_(classes) {}

  std::string kind() const override { return kind_; }
  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  int64_t classes() const override { return classes_; }
  std::array<int, 3> shape() const override { return {3, 0, 0}; }
  Status fetch(int64_t index, RawSample& sample) const override;
  std::string name(int64_t index) const override { return path(index).string(); }
  std::filesystem::path own_file(int64_t index) const override { return path(index); }
  std::vector<std::filesystem::path> files() const override;

 private:
  std::filesystem::path path(int64_t index) const {
    return root_ / files_[static_cast<size_t>(index)].path;
  }

  std::string kind_;
  std::filesystem::path root_;
  std::vector<JpegFile> files_;
  int64_t classes_;
};

/// True for names that end in .jpg, .jpeg or .jpe in any case.
bool is_jpeg_name(const std::string& name);

/// Opens a folder whose sub-folders are the classes, in the order of their names (torchvision's
/// ImageFolder); pictures may lie deeper. Where there is a `train` folder, that is the training
/// part, and `val`, `validation` or `test` the test part, with the classes of `train`; else the
/// whole folder is the training part. Files that are no JPEGs are ignored (check_dataset lists
/// them).
Result<DatasetPtr> open_image_folder(const std::filesystem::path& folder, Split split);

/// True when the folder has sub-folders for this part, so that it may be an image folder.
bool has_image_folder(const std::filesystem::path& folder, Split split);

/// Opens Google Landmarks as FedML cut it down (GLD-23k): a CSV file with the columns user_id (may
/// be absent), image_id and class, named *train*.csv or *test*.csv, in the folder or its
/// `data_user_dict`; the pictures are images/ID.jpg or images/a/b/c/abc….jpg. `classes` 0: as many
/// as the training part names.
Result<DatasetPtr> open_gld23k(const std::filesystem::path& folder, Split split,
                               int64_t classes = 0);

/// True when the folder holds such a CSV file for this part.
bool has_gld23k(const std::filesystem::path& folder, Split split);

/// Reads the CSV's text into files; a class that is no number is an error that names the line.
Result<std::vector<JpegFile>> parse_gld23k(std::string_view text, const std::string& name);

}  // namespace flyball
