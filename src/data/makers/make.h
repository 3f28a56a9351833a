// Data sets of every kind, drawn in their true formats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"
#include "data/makers/synthetic.h"

namespace flyball {

struct MakeOptions {
  uint64_t seed = 1;
  int64_t classes = 10;   ///< of images and gld23k; the others have 10
  PictureSize size = {};  ///< of images and gld23k
  size_t threads = 0;     ///< 0: all cores; the files do not depend on it
};

/// Writes a synthetic set in the true format of a kind: `samples` for training, and a test part of
/// a sixth (mnist), a fifth (cifar10) or a tenth (gld23k, squad) of that; images have no test part.
/// Samples of squad are questions.
/// `digits` is another name for mnist. JPEGs have quality 90. The folder must be new or empty;
/// until the set is whole, unfinished_mark (data/formats/open.h) stands in it.
Status make_dataset(const std::string& kind, int64_t samples, const std::filesystem::path& out,
                    const MakeOptions& options = {});

}  // namespace flyball
