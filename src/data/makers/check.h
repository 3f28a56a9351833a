// Data sets of every kind, read through from end to end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// One part of a set.
struct DatasetPart {
  std::string name;                  ///< "train" or "test"
  int64_t samples = 0, classes = 0;  ///< 0 classes: samples have none
  int64_t bytes = 0;                 ///< of all samples that could be read, as stored
  /// Samples (of COCO boxes, of text places of a word) of the rarest class.
  int64_t smallest_class = 0;
  int64_t largest_class = 0;
};

/// What is in a folder, and what is broken.
struct DatasetReport {
  std::string kind;
  std::vector<DatasetPart> parts;
  std::vector<Error> problems;       ///< the first 1000, in the order of the samples
  int64_t problem_count = 0;         ///< all of them
  std::vector<std::string> ignored;  ///< files of an image folder that are no JPEGs, the first 1000
  std::vector<std::string> notes;    ///< what a user should know and is nothing broken
};

/// Reads and decodes every sample of every part, on `threads` threads (0: all cores). Broken files
/// are in the report; an error means that this is no data set.
Result<DatasetReport> check_dataset(const std::filesystem::path& folder, size_t threads = 0);

}  // namespace flyball
