// scripts/fuzz gld: the mapping of GLD-23k.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data/formats/jpeg_files.h"
#include "data/fuzz_testing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  const auto files = parse_gld23k({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
  if (files.ok())
    for (const JpegFile& file : *files)  // an id must never lead out of the folder
      if (file.path.find('/') != std::string::npos || file.path == "..") std::abort();
  const auto& folder = fuzz_folder();
  put_file(folder / "train.csv", {data, size});
  fetch_all(open_gld23k(folder, Split::train));
  return 0;
}
