// scripts/fuzz cifar: one file of records.
#include <cstdint>

#include "data/formats/cifar.h"
#include "data/fuzz_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  const auto& folder = fuzz_folder();
  put_file(folder / "test_batch.bin", {data, size});
  fetch_all(open_cifar10(folder, Split::test));
  return 0;
}
