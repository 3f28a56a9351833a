// Datasets as they lie on disk, read in place: what a sample is before any decoding.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/batch.h"
#include "data/sample_parts.h"

namespace flyball {

/// How the bytes of a sample are to be read.
enum class Encoding {
  planes,  ///< channels × height × width bytes, row-major
  jpeg,    ///< a JPEG file
  parts,   ///< no picture: the sample is its parts
};

/// One sample as stored. A worker fetches all its samples into the same one, so that its buffer
/// stops growing at the largest sample seen.
struct RawSample {
  std::vector<uint8_t> bytes;
  Encoding encoding = Encoding::planes;
  std::array<int, 3> shape{};  ///< channels, height, width; unused for jpeg
  int64_t label = 0;           ///< in [0, classes)
  SampleParts parts;           ///< what Dataset::parts() names, besides a picture or for one
};

/// A set of samples. All members may be called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;
  /// "mnist", "cifar10", "images", "gld23k" or "coco".
  virtual std::string kind() const = 0;
  virtual int64_t size() const = 0;
  virtual int64_t classes() const = 0;
  /// Channels, height, width of every sample; height and width are 0 when they differ, all are
  /// where there are no pictures.
  virtual std::array<int, 3> shape() const = 0;
  /// What samples have besides a picture and a label: token ids, spans, boxes, in the order of
  /// RawSample::parts; −1 for sizes that differ from sample to sample.
  virtual std::vector<TensorSpec> parts() const { return {}; }
  /// Reads one sample. An error names the file and says what is wrong with it.
  virtual Status fetch(int64_t index, RawSample& sample) const = 0;
  /// A sample as a message names it: its file, and its place in it where it has one.
  virtual std::string name(int64_t index) const = 0;
  /// The files that samples are read from (for the share of the set that the page cache holds).
  virtual std::vector<std::filesystem::path> files() const = 0;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

enum class Split { train, test };

}  // namespace flyball
