// scripts/fuzz idx: the two files of a split. The first two bytes say how long the label file is.
#include <algorithm>
#include <cstdint>
#include <string>

#include "data/formats/idx.h"
#include "data/fuzz_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  const auto& folder = fuzz_folder();
  if (size < 2) return 0;
  const size_t labels = std::min<size_t>(size - 2, size_t{data[0]} << 8 | data[1]);
  put_file(folder / "train-labels-idx1-ubyte", {data + 2, labels});
  put_file(folder / "train-images-idx3-ubyte", {data + 2 + labels, size - 2 - labels});
  fetch_all(open_idx(folder, Split::train));
  return 0;
}
