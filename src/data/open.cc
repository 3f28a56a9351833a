#include "data/open.h"

#include <fmt/format.h>

#include "data/idx.h"

namespace flyball {

Result<DatasetPtr> open_dataset(const std::filesystem::path& folder, Split split) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return Error{Code::not_found, fmt::format("there is no dataset folder {}", folder.string()),
                 "`flyball dataset make digits --out DIR` draws one"};
  if (has_idx(folder)) return open_idx(folder, split);
  return Error{Code::not_found, fmt::format("{} holds no dataset that is known", folder.string()),
               "MNIST's IDX files are known (train-images-idx3-ubyte and its fellows)"};
}

}  // namespace flyball
