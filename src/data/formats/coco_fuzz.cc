// scripts/fuzz coco: annotation files of COCO.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/formats/coco.h"
#include "data/fuzz_testing.h"

namespace flyball {
namespace {

// What a reader of the index relies on.
void hold(const CocoIndex& index) {
  int64_t boxes = 0;
  for (const CocoImage& image : index.images) {
    if (image.first != boxes || image.count < 0 || image.count > index.most) std::abort();
    boxes += image.count;
    for (const auto& part : std::filesystem::path(image.file))
      if (part == ".." || part == "/") std::abort();  // it must never lead out of the folder
  }
  if (boxes != static_cast<int64_t>(index.boxes.size())) std::abort();
  const auto labels = static_cast<int32_t>(index.categories.size());
  for (const CocoBox& box : index.boxes)
    if (box.label < 0 || box.label >= labels) std::abort();
  for (size_t i = 0; i < index.images.size(); ++i) {
    const CocoImage& image = index.images[i];
    if (index.faults.contains(static_cast<int64_t>(i))) continue;
    for (int64_t b = image.first; b < image.first + image.count; ++b) {
      const CocoBox& box = index.boxes[static_cast<size_t>(b)];
      const bool inside = box.left >= 0 && box.top >= 0 && box.width > 0 && box.height > 0 &&
                          box.left < static_cast<float>(image.width) &&
                          box.top < static_cast<float>(image.height);
      if (!inside) std::abort();
    }
  }
}

}  // namespace
}  // namespace flyball

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  const auto index = parse_coco({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (index.ok()) hold(*index);
  const auto& folder = fuzz_folder();
  put_file(folder / "instances_train.json", {data, size});
  const auto set = open_coco(folder, Split::train);
  if (set.ok() != index.ok()) std::abort();  // piece by piece as at once
  fetch_all(set);
  return 0;
}
