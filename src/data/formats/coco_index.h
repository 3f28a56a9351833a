// The annotation files of COCO (Lin et al. 2014): one JSON document that lists images, boxes and
// categories.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

/// A box to be found, in pixels of its picture and inside of it.
struct CocoBox {
  float left = 0, top = 0, width = 0, height = 0;
  int32_t label = 0;  ///< in [0, categories)
};

struct CocoImage {
  std::string file;  ///< below the folder of pictures; never leads out of it
  int32_t width = 0, height = 0;
  int32_t count = 0;  ///< of its boxes
  int64_t first = 0;  ///< of them
};

/// What training needs of such a file. Its categories, in the order of their ids, are the labels
/// 0, 1, 2, …; pictures come in the order of the file, those without a box among them.
struct CocoIndex {
  std::vector<CocoImage> images;
  std::vector<CocoBox> boxes;             ///< of one image after the other
  std::vector<std::string> categories;    ///< names
  std::map<int64_t, std::string> faults;  ///< what is wrong with an image or one of its boxes
  std::vector<std::string> strays;        ///< boxes that belong to no image, the first 1000
  int64_t stray_count = 0;
  int64_t crowds = 0;  ///< boxes of whole groups (iscrowd), left out
  int64_t empty = 0;   ///< boxes without an area, left out
  int64_t most = 0;    ///< boxes of one image
};

/// Reads the file once, piece by piece: 56 bytes for each box and about 160 for each image are held
/// meanwhile (twice that at a vector's growth), 20 and about 100 afterwards; what is not needed
/// (outlines, licences) is not kept. Errors: it cannot be read, is no JSON, or is none of COCO's;
/// they say at which byte or item.
Result<CocoIndex> read_coco(const std::filesystem::path& path);
/// The same of text in memory; `name` is the file in messages.
Result<CocoIndex> parse_coco(std::string_view text, const std::string& name);

}  // namespace flyball
