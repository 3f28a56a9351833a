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
  int64_t classes = 0;    ///< of images, gld23k (0: 10) and coco (0: 80); the others have 10
  PictureSize size = {};  ///< of images, gld23k and coco (of which one in four stands upright)
  size_t threads = 0;     ///< 0: all cores; the files do not depend on it
};

/// Writes a synthetic set in the true format of a kind: `samples` for training, and a test part of
/// a sixth (mnist), a fifth (cifar10, coco) or a tenth (gld23k, wikitext, squad) of that; images
/// have no test part. Samples of wikitext are 35 words, of squad questions. `digits` is another
/// name for mnist. JPEGs have quality 90. The folder must be new or empty; until the set is whole,
/// unfinished_mark (data/formats/open.h) stands in it.
Status make_dataset(const std::string& kind, int64_t samples, const std::filesystem::path& out,
                    const MakeOptions& options = {});

}  // namespace flyball
