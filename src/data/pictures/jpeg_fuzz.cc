// scripts/fuzz jpeg: a picture from anywhere, decoded as a whole and in part, then resampled.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/data_testing.h"
#include "data/pictures/jpeg.h"
#include "data/pictures/transform.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  static JpegReader reader;  // one for all, as in a worker: no input may spoil it for the next
  const auto info = reader.open({data, size});
  if (!info.ok()) return 0;
  if (int64_t{info->width} * info->height > 1'000'000) return 0;  // only slow
  const Box part{info->width / 3, info->height / 4, (info->width + 2) / 3, (info->height + 3) / 4};
  (void)reader.read(part);
  if (reader.open({data, size}).ok()) (void)reader.read({0, 0, info->width, info->height});

  static Workspace workspace;
  static const Transform transform = *Transform::create(
      ShapedSet({3, 0, 0}), {.crop = Crop::random_resized, .size = 8, .flip = true, .cutout = 2});
  RawSample sample;
  sample.encoding = Encoding::jpeg;
  sample.bytes.assign(data, data + size);
  float out[3 * 8 * 8];
  (void)transform.apply(sample, size, workspace, out);
  return 0;
}
