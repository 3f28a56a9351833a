#include "data/formats/open.h"

#include <fmt/format.h>

#include "base/files.h"
#include "data/formats/cifar.h"
#include "data/formats/coco.h"
#include "data/formats/idx.h"
#include "data/formats/jpeg_files.h"
#include "data/formats/squad.h"
#include "data/formats/wikitext.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// torchvision keeps MNIST two folders deeper.
fs::path idx_folder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path inner = folder / "MNIST" / "raw";
  return fs::is_directory(inner, ignored) ? inner : folder;
}

}  // namespace

const std::vector<std::string>& dataset_kinds() {
  static const std::vector<std::string> kKinds = {"mnist",    "cifar10", "images", "gld23k",
                                                  "wikitext", "squad",   "coco"};
  return kKinds;
}

Result<std::string> detect_dataset(const fs::path& folder) {
  std::error_code problem;
  const fs::file_status status = fs::status(folder, problem);
  if (!fs::exists(status)) return file_error("read", folder, problem ? problem.value() : ENOENT);
  if (!fs::is_directory(status))
    return Error{Code::invalid_argument, fmt::format("{} is not a folder", folder.string()),
                 "give the folder that holds the data set"};
  if (fs::exists(folder / unfinished_mark, problem))
    return Error{Code::corrupt,
                 fmt::format("{} is not whole: making it was cut off", folder.string()),
                 fmt::format("remove it (rm -r '{}') and make it again", folder.string())};
  // Image folders last: a set of another kind may have sub-folders, too.
  for (const char* kind : {"mnist", "cifar10", "gld23k", "wikitext", "squad", "coco", "images"})
    if (has_part(folder, kind, Split::train) || has_part(folder, kind, Split::test))
      return std::string(kind);
  return Error{Code::not_found, fmt::format("{} holds no data set that is known", folder.string()),
               "known are MNIST's IDX files, CIFAR-10 binary, GLD-23k (CSV and images/), COCO "
               "(annotations/instances_*.json), WikiText (wiki.train.tokens), SQuAD v2 (JSON and "
               "vocab.txt) and a folder for each class with JPEGs"};
}

bool has_part(const fs::path& folder, const std::string& kind, Split split) {
  if (kind == "mnist") return has_idx(idx_folder(folder), split);
  if (kind == "cifar10") return has_cifar10(folder, split);
  if (kind == "gld23k") return has_gld23k(folder, split);
  if (kind == "wikitext") return has_wikitext(folder, split);
  if (kind == "coco") return has_coco(folder, split);
  if (kind == "squad") return has_squad(folder, split);
  return has_image_folder(folder, split);
}

Result<DatasetPtr> open_dataset(const fs::path& folder, Split split, int64_t classes) {
  FLYBALL_ASSIGN(const std::string kind, detect_dataset(folder));
  if (kind == "mnist") return open_idx(idx_folder(folder), split, classes);
  if (kind == "cifar10") return open_cifar10(folder, split);
  if (kind == "gld23k") return open_gld23k(folder, split, classes);
  if (kind == "wikitext") return open_wikitext(folder, split);
  if (kind == "coco") return open_coco(folder, split);
  if (kind == "squad") return open_squad(folder, split);
  return open_image_folder(folder, split);
}

}  // namespace flyball
